// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_document.h"
#include "io/gltf_skin.h"
#include "io/gltf_weights.h"

namespace sinew::gltf {

// A primitive of a mesh node, checked, before memory is taken for it.
struct PartPlan {
  PartSource source;
  const Json* primitive = nullptr;
  std::string place;  // "meshes[0].primitives[1]"
  int position = -1, normal = -1, texcoord = -1, indices = -1;
  int mode = 4;
  std::uint64_t vertices = 0, corners = 0;  // corners: indices, or vertices where there are none
  WeightSets weights;
};

// All primitives of all mesh nodes, in node order. Those without POSITION are left out, with a note.
Result<std::vector<PartPlan>> plan_parts(GltfDocument& document);

// kBadInput where the rig would take more memory than the file can justify (one mesh under thousands of
// nodes, say).
Result<void> check_budget(const GltfDocument& document, const std::vector<PartPlan>& plans);

// Vertices, faces, parts and weights of the rig; fills document.parts. skeleton may gain joints for rigid
// pieces.
Result<void> read_parts(GltfDocument& document, const std::vector<PartPlan>& plans, BoundSkeleton& skeleton,
                        Rig& rig, WeightReport& report);

}  // namespace sinew::gltf
