// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/rig/skin_weights.h"

namespace sinew {

// Vertices that a kernel takes at a time, and the unit of pieces for parallel_for: twice the lanes of the
// narrowest target and all lanes that the kernels use of the widest, so one table serves every target.
inline constexpr std::size_t kGroupSize = 8;
// 2048 vertices a piece: small enough to balance two threads over 10 k vertices, large enough to hide the
// scheduler.
inline constexpr std::size_t kGroupsPerPiece = 256;

// Consecutive groups whose rows are padded to the same number of influences: 1, 2 or a multiple of 4.
struct SkinRun {
  std::size_t group_begin = 0, group_end = 0;
  std::size_t influences = 0;
  std::size_t entry =
      0;  // first weight of group_begin; a group has kGroupSize * influences, vertex after vertex
};

// Skin weights as the kernels read them. Vertices keep their order, so positions stream. Palettes hold one
// entry for every joint that carries a vertex, in the order of palette_joints, and the identity behind them:
// rows without influences use that with weight 1. Padding has weight 0 and the joint of the row's first
// influence, which is in cache anyway.
struct SkinTable {
  std::size_t vertices = 0;
  std::vector<std::uint32_t> palette_joints;  // palette entry -> joint of the skeleton
  std::vector<SkinRun> runs;
  std::vector<float> weights;         // four spare numbers behind the last, so that four can always be loaded
  std::vector<std::uint16_t> joints;  // palette entries, as weights

  std::size_t palette_size() const { return palette_joints.size() + 1; }
  std::size_t group_count() const { return (vertices + kGroupSize - 1) / kGroupSize; }
};

enum class RowSums { kAsGiven, kNormalised };

// kBadInput: a joint that is not below joint_count. kImpossible: more than 65,535 joints that carry vertices.
// With kNormalised, rows are divided by their sum; rows whose sum vanishes become empty.
Result<SkinTable> pack_skin(const SkinWeights& weights, std::size_t joint_count, RowSums sums);

// Calls body(run, begin, end) for the part of every run inside the groups [begin, end), in order.
template <class Body>
void for_each_run(const SkinTable& table, std::size_t begin, std::size_t end, Body&& body) {
  auto run = std::upper_bound(table.runs.begin(), table.runs.end(), begin,
                              [](std::size_t group, const SkinRun& r) { return group < r.group_end; });
  for (; run != table.runs.end() && run->group_begin < end; ++run)
    body(*run, std::max(begin, run->group_begin), std::min(end, run->group_end));
}

}  // namespace sinew
