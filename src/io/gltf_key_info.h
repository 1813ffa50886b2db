// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "io/gltf_document.h"

namespace sinew::gltf {

// What SINEW_rig says about the keys of the rig (by name) and the poses that drive them. Entries that name
// what is not there, or hold other numbers than they should, are left out, with a note.
void read_key_info(GltfDocument& document, Rig& rig);

// Puts it there, or takes it out where there is none. joint_nodes: per joint; -1: none.
void put_key_info(Json& root, const Rig& rig, std::span<const int> joint_nodes);

}  // namespace sinew::gltf
