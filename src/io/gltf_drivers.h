// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_document.h"

namespace sinew::gltf {

// What SINEW_rig says of helper joints and driven keys. Entries that name what is not there, or hold other
// numbers than they should, are left out, with a note.
void read_drivers(GltfDocument& document, Rig& rig);
// Puts it there, or takes it out where there is none. joint_nodes: per joint; -1: none.
void put_drivers(Json& root, const Rig& rig, std::span<const int> joint_nodes);

// What an export says about itself, JSON, into the document's extras; nothing where it is empty.
void put_certificate(Json& root, const std::string& certificate);

}  // namespace sinew::gltf
