// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/lattice_set.h"

#include <algorithm>
#include <cassert>

#include "sinew/core/disjoint_sets.h"

namespace sinew {

LatticeSet::LatticeSet(const Vec3i& dims, std::span<const std::uint32_t> row_offsets,
                       std::span<const Interval> intervals)
    : dims_(dims) {
  const std::size_t rows = static_cast<std::size_t>(dims.y()) * static_cast<std::size_t>(dims.z());
  assert(row_offsets.size() == rows + 1);
  row_offsets_.reserve(rows + 1);
  runs_.reserve(intervals.size());
  for (std::size_t row = 0; row < rows; ++row) {
    row_offsets_.push_back(static_cast<std::uint32_t>(runs_.size()));
    for (std::size_t k = row_offsets[row]; k < row_offsets[row + 1]; ++k) {
      const Interval& interval = intervals[k];
      assert(0 <= interval.begin && interval.begin < interval.end && interval.end <= dims.x());
      const bool joins = runs_.size() > row_offsets_.back() && runs_.back().end >= interval.begin;
      if (!joins)
        runs_.push_back({interval.begin, interval.begin, static_cast<std::uint32_t>(size_),
                         static_cast<std::uint32_t>(row)});
      size_ += static_cast<std::size_t>(interval.end - runs_.back().end);
      runs_.back().end = interval.end;
    }
  }
  row_offsets_.push_back(static_cast<std::uint32_t>(runs_.size()));
}

std::span<const LatticeSet::Run> LatticeSet::row(int y, int z) const {
  if (y < 0 || z < 0 || y >= dims_.y() || z >= dims_.z()) return {};
  const std::size_t row =
      static_cast<std::size_t>(y) + static_cast<std::size_t>(dims_.y()) * static_cast<std::size_t>(z);
  return {runs_.data() + row_offsets_[row], runs_.data() + row_offsets_[row + 1]};
}

std::uint32_t LatticeSet::find(int x, int y, int z) const {
  auto runs = row(y, z);
  // Rows of a body have a run or two; hostile ones are halved first.
  while (runs.size() > 8) {
    const std::size_t half = runs.size() / 2;
    runs = runs[half].begin <= x ? runs.subspan(half) : runs.first(half);
  }
  for (const Run& run : runs)
    if (x < run.end) return x >= run.begin ? run.first + static_cast<std::uint32_t>(x - run.begin) : kNoIndex;
  return kNoIndex;
}

Vec3i LatticeSet::operator[](std::uint32_t index) const {
  assert(index < size_);
  const auto behind = std::upper_bound(runs_.begin(), runs_.end(), index,
                                       [](std::uint32_t value, const Run& run) { return value < run.first; });
  const Run& run = *(behind - 1);
  return run_start(run) + Vec3i(static_cast<int>(index - run.first), 0, 0);
}

namespace {

// The union of intervals given in any order, appended to `out`.
void append_union(std::vector<LatticeSet::Interval>& intervals, std::vector<LatticeSet::Interval>& out) {
  std::sort(intervals.begin(), intervals.end(),
            [](const LatticeSet::Interval& a, const LatticeSet::Interval& b) { return a.begin < b.begin; });
  const std::size_t start = out.size();
  for (const LatticeSet::Interval& interval : intervals) {
    if (out.size() > start && out.back().end >= interval.begin)
      out.back().end = std::max(out.back().end, interval.end);
    else
      out.push_back(interval);
  }
}

}  // namespace

LatticeSet corners_of_cells(const LatticeSet& cells) {
  const Vec3i dims = cells.dims() + Vec3i::Ones();
  std::vector<std::uint32_t> offsets;
  std::vector<LatticeSet::Interval> all, row;
  offsets.reserve(static_cast<std::size_t>(dims.y()) * static_cast<std::size_t>(dims.z()) + 1);
  for (int z = 0; z < dims.z(); ++z)
    for (int y = 0; y < dims.y(); ++y) {
      offsets.push_back(static_cast<std::uint32_t>(all.size()));
      row.clear();
      for (int k = 0; k < 4; ++k)
        for (const LatticeSet::Run& run : cells.row(y - k % 2, z - k / 2))
          row.push_back({run.begin, run.end + 1});
      append_union(row, all);
    }
  offsets.push_back(static_cast<std::uint32_t>(all.size()));
  return LatticeSet(dims, offsets, all);
}

LatticeComponents connected_components(const LatticeSet& set) {
  const auto runs = set.runs();
  DisjointSets sets(runs.size());
  for (std::uint32_t k = 0; k < runs.size(); ++k) {
    const Vec3i start = set.run_start(runs[k]);
    constexpr int kBefore[4][2] = {{-1, 0}, {-1, -1}, {0, -1}, {1, -1}};  // the rows around that come earlier
    for (const auto& [dy, dz] : kBefore)
      for (const LatticeSet::Run& other : set.row(start.y() + dy, start.z() + dz)) {
        if (other.end < runs[k].begin || other.begin > runs[k].end) continue;
        sets.join(k, static_cast<std::uint32_t>(&other - runs.data()));
      }
  }
  LatticeComponents out;
  out.of_member.resize(set.size());
  std::vector<std::uint32_t> number(runs.size());
  for (std::uint32_t k = 0; k < runs.size(); ++k) {
    const std::uint32_t lowest = sets.find(k);
    number[k] = lowest == k ? out.count++ : number[lowest];
    std::fill_n(out.of_member.begin() + runs[k].first, runs[k].end - runs[k].begin, number[k]);
  }
  return out;
}

}  // namespace sinew
