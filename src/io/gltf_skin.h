// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_document.h"
#include "io/gltf_scene.h"

namespace sinew::gltf {

// A skin as the file has it.
struct RawSkin {
  std::vector<int> joints;            // nodes
  std::vector<Affine3> inverse_bind;  // per joint
};
Result<std::vector<RawSkin>> parse_skins(GltfDocument& document);

// A skin as the rig has it: where its vertices go, and which joint each of its slots is.
struct BoundSkin {
  std::vector<std::uint32_t> joints;
  Affine3 to_bind = Affine3::Identity();
};

// One skeleton for all skins. Skins may share joints and still bind them differently: where one affine map
// explains the difference, it moves the skin's vertices (to_bind); else the skin gets joints of its own,
// children that stay at their parents, named "NAME (skin 3)", which do not count as deforming.
struct BoundSkeleton {
  std::vector<Joint> joints;
  std::vector<Affine3> inverse_bind, bind;  // per joint; bind is inverse_bind^-1
  std::vector<BoundSkin> skins;
};
// Also fills document.joint_nodes, node_joints and summary.joint_names.
Result<BoundSkeleton> build_skeleton(GltfDocument& document, const std::vector<RawSkin>& skins);

// The joint that carries a rigid piece of `node`; makes one where the node's own joint cannot be inverted.
std::uint32_t rigid_joint(GltfDocument& document, BoundSkeleton& skeleton, int node);

// The inverse, where there is one that numbers can hold.
std::optional<Affine3> inverted(const Affine3& transform);

}  // namespace sinew::gltf
