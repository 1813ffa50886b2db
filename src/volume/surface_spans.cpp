// SPDX-License-Identifier: Apache-2.0
#include "volume/surface_spans.h"

#include "sinew/core/parallel.h"
#include "volume/convex_rows.h"

namespace sinew {
namespace {

constexpr std::size_t kSpanGrain = 1 << 11;

// Sorts a row's intervals and joins those that touch; gives how many are left.
std::size_t unite(std::span<LatticeSet::Interval> row) {
  std::sort(row.begin(), row.end(),
            [](const LatticeSet::Interval& a, const LatticeSet::Interval& b) { return a.begin < b.begin; });
  std::size_t kept = 0;
  for (const LatticeSet::Interval& interval : row) {
    if (kept > 0 && row[kept - 1].end >= interval.begin)
      row[kept - 1].end = std::max(row[kept - 1].end, interval.end);
    else
      row[kept++] = interval;
  }
  return kept;
}

}  // namespace

RowItems<LatticeSet::Interval> surface_spans(std::span<const Vec3> positions,
                                             std::span<const Triangle> triangles, const Vec3i& dims) {
  std::vector<std::vector<std::pair<std::uint32_t, LatticeSet::Interval>>> lists(
      (triangles.size() + kSpanGrain - 1) / kSpanGrain);
  parallel_for(triangles.size(), kSpanGrain, [&](std::size_t begin, std::size_t end) {
    auto& list = lists[begin / kSpanGrain];
    for (std::size_t t = begin; t < end; ++t) {
      const std::array<Vec3, 3> corners{positions[triangles[t][0]], positions[triangles[t][1]],
                                        positions[triangles[t][2]]};
      visit_convex_rows(corners, dims, 0, [&](std::uint32_t row, const LatticeSet::Interval& interval) {
        list.emplace_back(row, interval);
      });
    }
  });
  const std::size_t rows = static_cast<std::size_t>(dims.y()) * static_cast<std::size_t>(dims.z());
  RowItems<LatticeSet::Interval> gathered = gather_rows(rows, lists);
  std::vector<std::uint32_t> kept(rows);
  parallel_for(rows, 1 << 10, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) kept[r] = static_cast<std::uint32_t>(unite(gathered.row(r)));
  });
  RowItems<LatticeSet::Interval> out;
  out.offsets.reserve(rows + 1);
  for (std::size_t r = 0; r < rows; ++r) {
    out.offsets.push_back(static_cast<std::uint32_t>(out.items.size()));
    const auto row = gathered.row(r).first(kept[r]);
    out.items.insert(out.items.end(), row.begin(), row.end());
  }
  out.offsets.push_back(static_cast<std::uint32_t>(out.items.size()));
  return out;
}

}  // namespace sinew
