// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/weighted_joints.h"

#include <algorithm>

namespace sinew {

std::vector<std::uint8_t> weighted_joints(const Skeleton& skeleton, const SkinWeights& weights) {
  constexpr float kInfluential = 1e-4F;
  const std::size_t joints = skeleton.deforming_count();
  std::vector<std::uint8_t> weighted(skeleton.size());
  for (const Influence& influence : weights.entries)
    if (influence.weight > kInfluential) weighted[influence.joint] = 1;
  const std::vector<std::uint32_t> down(skeleton.order().begin(), skeleton.order().end());
  const std::vector<std::uint32_t> up(down.rbegin(), down.rend());
  for (const std::uint32_t j : up)  // a rigid part hangs on a joint
    if (j >= joints && weighted[j] && skeleton[j].parent >= 0) weighted[skeleton[j].parent] = 1;
  std::vector<std::uint8_t> above = weighted, below = weighted;
  for (const std::uint32_t j : down)
    if (const int parent = skeleton[j].parent; parent >= 0) above[j] |= above[parent];
  for (const std::uint32_t j : up)
    if (const int parent = skeleton[j].parent; parent >= 0) below[parent] |= below[j];
  std::vector<std::uint8_t> result(joints, 1);
  if (std::count(weighted.begin(), weighted.begin() + static_cast<std::ptrdiff_t>(joints), 1) > 1)
    for (std::size_t j = 0; j < joints; ++j) result[j] = above[j] & below[j];
  return result;
}

}  // namespace sinew
