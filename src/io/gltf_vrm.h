// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "io/gltf_document.h"
#include "sinew/io/vrm.h"

namespace sinew::gltf {

// VRMC_vrm, and VRMC_node_constraint for the joints that follow others.
void put_vrm(Json& root, const Vrm& vrm, std::span<const int> joint_nodes);

}  // namespace sinew::gltf
