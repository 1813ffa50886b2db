// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew {

// No path from the root is longer.
inline constexpr std::size_t kBvhMaxDepth = 96;
inline constexpr std::uint32_t kBvhLeafSize = 4;

struct BvhBox {
  Vec3 low, high;
};

// Inner node: count 0, children at this + 1 and at `first`. Leaf: order [first, first + count).
struct BvhTreeNode {
  BvhBox box;
  std::uint32_t first, count;
};

struct BvhTree {
  std::vector<BvhTreeNode> nodes;    // the root first; empty: no finite triangle
  std::vector<std::uint32_t> order;  // triangles by leaf, ascending within each
};

// The same tree for any thread count.
BvhTree build_bvh_tree(MeshView mesh);

}  // namespace sinew
