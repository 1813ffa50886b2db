// SPDX-License-Identifier: Apache-2.0
#include "volume/coarsen.h"

#include <algorithm>
#include <cassert>
#include <vector>

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

Interpolation3 interpolate_trilinear(const LatticeSet& fine, const LatticeSet& coarse,
                                     std::span<const std::uint8_t> fixed) {
  Interpolation3 P;
  P.offsets.reserve(fine.size() + 1);
  P.offsets.push_back(0);
  for (const LatticeSet::Run& run : fine.runs()) {
    Vec3i v = fine.run_start(run);
    for (std::uint32_t i = run.first; v.x() < run.end; ++v.x(), ++i) {
      if (!fixed[i]) {
        // An even coordinate lies on a coarse plane, an odd one between two.
        const Vec3i low = v / 2, odd(v.x() & 1, v.y() & 1, v.z() & 1);
        const double weight = 1.0 / (1 << odd.sum());
        for (int k = 0; k < 8; ++k) {
          const Vec3i step(k & 1, (k >> 1) & 1, k >> 2);
          if ((step.array() > odd.array()).any()) continue;
          const std::uint32_t column = coarse.find(low + step);
          assert(column != kNoIndex);
          P.columns.push_back(column);
          P.weights.push_back(weight);
        }
      }
      P.offsets.push_back(static_cast<std::uint32_t>(P.columns.size()));
    }
  }
  return P;
}

}  // namespace sinew
