// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_document.h"

namespace sinew::gltf {

// Fills document.nodes and node_order. Refuses cycles, two parents, indices out of range and transforms that
// are not finite.
Result<void> parse_nodes(GltfDocument& document);

// Order in which every node of a subtree comes in one run: a is an ancestor of b (or b itself) where
// first[a] <= first[b] < first[a] + size[a].
struct TreeIntervals {
  std::vector<int> first, size;
  bool is_below(int node, int ancestor) const {
    const auto n = static_cast<std::size_t>(node), a = static_cast<std::size_t>(ancestor);
    return first[a] <= first[n] && first[n] < first[a] + size[a];
  }
};
TreeIntervals tree_intervals(const GltfDocument& document);

// Whether SINEW_rig says that the node is a helper: no bone, though a skin lists it.
bool is_helper(const GltfDocument& document, int node);

// The different joint nodes of all skins in order of first use, then the other nodes of the skeleton in
// document order: ancestors of those, nodes that carry a mesh, and their ancestors. A file with neither skins
// nor meshes gives all nodes.
struct JointNodes {
  std::vector<int> nodes;
  std::size_t skin_joints = 0;  // the first ones
};
JointNodes joint_nodes(const GltfDocument& document, const std::vector<std::vector<int>>& skin_joints);

// The largest entry of a transform that is finite, or infinity.
double magnitude(const Affine3& transform);

}  // namespace sinew::gltf
