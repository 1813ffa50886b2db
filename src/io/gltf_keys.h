// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_animation.h"
#include "io/gltf_mesh.h"

namespace sinew::gltf {

// Morph targets as shape keys over the whole rig (parts and mesh already read); fills document.key_groups.
// One mesh under several nodes has one set of keys, unless the nodes weigh or animate them differently.
Result<void> read_keys(GltfDocument& document, const std::vector<PartPlan>& plans,
                       const std::vector<RawAnimation>& animations, Rig& rig);

}  // namespace sinew::gltf
