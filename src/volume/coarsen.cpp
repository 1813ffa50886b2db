// SPDX-License-Identifier: Apache-2.0
#include "volume/coarsen.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "volume/grid_kernels.h"

namespace sinew {
namespace {

// Sorted by their start; joins those that overlap or touch.
void merge(std::vector<LatticeSet::Interval>& intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::size_t kept = 0;
  for (const LatticeSet::Interval& next : intervals) {
    if (kept > 0 && next.begin <= intervals[kept - 1].end)
      intervals[kept - 1].end = std::max(intervals[kept - 1].end, next.end);
    else
      intervals[kept++] = next;
  }
  intervals.resize(kept);
}

}  // namespace

LatticeSet coarsen_cells(const LatticeSet& cells) {
  const Vec3i dims = (cells.dims() + Vec3i::Ones()) / 2;
  std::vector<std::uint32_t> offsets(1, 0);
  std::vector<LatticeSet::Interval> all, row;
  for (int z = 0; z < dims.z(); ++z)
    for (int y = 0; y < dims.y(); ++y) {
      row.clear();
      for (int k = 0; k < 4; ++k)
        for (const LatticeSet::Run& run : cells.row(2 * y + (k & 1), 2 * z + (k >> 1)))
          row.push_back({run.begin / 2, (run.end + 1) / 2});
      merge(row);
      all.insert(all.end(), row.begin(), row.end());
      offsets.push_back(static_cast<std::uint32_t>(all.size()));
    }
  return LatticeSet(dims, offsets, all);
}

GridTransfer make_transfer(const LatticeSet& fine, const LatticeSet& coarse,
                           std::span<const std::uint8_t> held) {
  GridTransfer P;
  if (std::any_of(held.begin(), held.end(), [](std::uint8_t h) { return h != 0; }))
    P.held.assign(held.begin(), held.end());
  P.coverage.assign(coarse.size(), 0.0);
  for (const LatticeSet::Run& run : fine.runs()) {
    const Vec3i start = fine.run_start(run), low = start / 2;
    GridTransfer::Run next{run.first,
                           static_cast<std::uint32_t>(run.end - run.begin),
                           static_cast<std::uint32_t>(start.x() & 1),
                           0,
                           {}};
    for (int k = 0; k < 4; ++k) {
      // An even coordinate lies on a coarse plane, an odd one between two.
      if ((k & 1) > (start.y() & 1) || (k >> 1) > (start.z() & 1)) continue;
      next.coarse[next.rows] = coarse.find(low + Vec3i(0, k & 1, k >> 1));
      assert(next.coarse[next.rows] != kNoIndex);
      ++next.rows;
    }
    P.runs.push_back(next);
    for (std::uint32_t q = 0; q < next.rows; ++q)
      for (std::size_t k = 0; k < next.count; ++k) {
        if (held[next.first + k]) continue;
        const std::size_t x = k + next.odd, to = next.coarse[q] + x / 2;
        const double weight = (x % 2 == 0 ? 1.0 : 0.5) / next.rows;
        P.coverage[to] += weight;
        if (x % 2 == 1) P.coverage[to + 1] += weight;
      }
  }
  return P;
}

}  // namespace sinew
