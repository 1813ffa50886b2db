// SPDX-License-Identifier: Apache-2.0
#include "deform/joint_centres.h"

namespace sinew {
namespace {

int deforming_parent(const Skeleton& skeleton, std::size_t joint) {
  int parent = skeleton[joint].parent;
  while (parent >= 0 && !skeleton[static_cast<std::size_t>(parent)].deforms)
    parent = skeleton[static_cast<std::size_t>(parent)].parent;
  return parent;
}

}  // namespace

std::optional<Vec3> centre_of_row(const Skeleton& skeleton, std::span<const Vec3> heads,
                                  std::span<const Influence> row) {
  Vec3 sum = Vec3::Zero();
  double weights = 0;
  for (const Influence& child : row) {
    const int parent = deforming_parent(skeleton, child.joint);
    for (const Influence& other : row) {
      if (static_cast<int>(other.joint) != parent) continue;
      const double weight = child.weight * other.weight;
      sum += weight * heads[child.joint];
      weights += weight;
    }
  }
  if (!(weights > 1e-12)) return std::nullopt;
  return Vec3(sum / weights);
}

}  // namespace sinew
