// SPDX-License-Identifier: Apache-2.0
#include "volume/fill.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/disjoint_sets.h"
#include "sinew/core/parallel.h"

namespace sinew {
namespace {

using Interval = LatticeSet::Interval;

// Runs body(row, out) for every row in parallel and packs what it appends.
template <class Body>
RowIntervals collect_rows(std::size_t rows, Body&& body) {
  constexpr std::size_t kGrain = 64;
  const std::size_t pieces = (rows + kGrain - 1) / kGrain;
  std::vector<std::vector<Interval>> parts(pieces);
  std::vector<std::uint32_t> counts(rows);
  parallel_for(rows, kGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Interval>& part = parts[begin / kGrain];
    for (std::size_t row = begin; row < end; ++row) {
      const std::size_t before = part.size();
      body(row, part);
      counts[row] = static_cast<std::uint32_t>(part.size() - before);
    }
  });
  RowIntervals out;
  out.offsets.resize(rows + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), out.offsets.begin() + 1);
  out.items.reserve(out.offsets.back());
  for (const auto& part : parts) out.items.insert(out.items.end(), part.begin(), part.end());
  return out;
}

// Calls visit(begin, end) for what the intervals leave of [0, columns).
template <class Visit>
void for_each_gap(std::span<const Interval> intervals, int columns, Visit&& visit) {
  int begin = 0;
  for (const Interval& interval : intervals) {
    if (interval.begin > begin) visit(begin, interval.begin);
    begin = interval.end;
  }
  if (begin < columns) visit(begin, columns);
}

void append(std::vector<Interval>& row, std::size_t start, int begin, int end) {
  if (row.size() > start && row.back().end >= begin)
    row.back().end = std::max(row.back().end, end);
  else
    row.push_back({begin, end});
}

// Winding numbers of one stretch of cells without surface. They change slowly there: where both ends and the
// middle agree clearly, so does all between them.
class RowWinding {
 public:
  RowWinding(const LatticeFrame& frame, const WindingNumber& winding, std::size_t row,
             std::vector<Interval>& out)
      : winding_(winding), size_(frame.size), out_(out), start_(out.size()) {
    const int y = static_cast<int>(row) % frame.dims.y(), z = static_cast<int>(row) / frame.dims.y();
    first_ = frame.origin + frame.size * Vec3(0.5, y + 0.5, z + 0.5);
  }
  void classify(int begin, int end) { classify(begin, end, at(begin), at(end - 1)); }

 private:
  double at(int x) const { return winding_(first_ + Vec3(size_ * x, 0, 0)); }
  static bool clear(double w) { return std::abs(w - 0.5) > 0.1; }
  void put(int begin, int end, double w) {
    if (w > 0.5) append(out_, start_, begin, end);
  }
  void classify(int begin, int end, double low, double high) {
    if (end - begin == 1) return put(begin, end, low);
    const int middle = begin + (end - begin) / 2;
    const double inner = at(middle);
    const bool agree = (low > 0.5) == (high > 0.5) && (low > 0.5) == (inner > 0.5);
    if (agree && ((clear(low) && clear(high) && clear(inner)) || end - begin <= 3))
      return put(begin, end, low);
    classify(begin, middle, low, middle - begin == 1 ? low : at(middle - 1));
    classify(middle, end, inner, high);
  }

  const WindingNumber& winding_;
  double size_;
  Vec3 first_;
  std::vector<Interval>& out_;
  std::size_t start_;
};

}  // namespace

RowIntervals fill_by_crossings(const RowItems<Crossing>& crossings, int columns) {
  const auto first_cell = [&](double from) {
    return static_cast<int>(std::ceil(std::clamp(from - 0.5, 0.0, double(columns))));
  };
  return collect_rows(crossings.offsets.size() - 1, [&](std::size_t row, std::vector<Interval>& out) {
    const std::size_t start = out.size();
    int winding = 0;
    double entered = 0;
    for (const Crossing& crossing : crossings.row(row)) {
      const int before = winding;
      winding -= crossing.sign;
      if (before <= 0 && winding > 0) entered = crossing.at;
      if (before > 0 && winding <= 0 && first_cell(entered) < first_cell(crossing.at))
        append(out, start, first_cell(entered), first_cell(crossing.at));
    }
  });
}

RowIntervals fill_by_winding(const RowIntervals& surface, const LatticeFrame& frame,
                             const WindingNumber& winding) {
  return collect_rows(frame.rows(), [&](std::size_t row, std::vector<Interval>& out) {
    RowWinding line(frame, winding, row, out);
    for_each_gap(surface.row(row), frame.dims.x(), [&](int begin, int end) { line.classify(begin, end); });
  });
}

RowIntervals unite(const RowIntervals& a, const RowIntervals& b) {
  return collect_rows(a.offsets.size() - 1, [&](std::size_t row, std::vector<Interval>& out) {
    const std::size_t start = out.size();
    auto left = a.row(row), right = b.row(row);
    while (!left.empty() || !right.empty()) {
      auto& next = right.empty() || (!left.empty() && left[0].begin <= right[0].begin) ? left : right;
      append(out, start, next[0].begin, next[0].end);
      next = next.subspan(1);
    }
  });
}

RowIntervals attached_to_surface(const RowIntervals& solid, const RowIntervals& surface, const Vec3i& dims) {
  const LatticeSet cells(dims, solid.offsets, solid.items);
  const LatticeComponents components = connected_components(cells);
  std::vector<bool> kept(components.count, false);
  for (int z = 0; z < dims.z(); ++z)
    for (int y = 0; y < dims.y(); ++y)
      for (const Interval& interval : surface.row(static_cast<std::size_t>(y + dims.y() * z)))
        kept[components.of_member[cells.find(interval.begin, y, z)]] = true;
  RowIntervals out;
  const auto runs = cells.runs();
  for (std::size_t row = 0, k = 0; row + 1 < solid.offsets.size(); ++row) {
    out.offsets.push_back(static_cast<std::uint32_t>(out.items.size()));
    for (; k < runs.size() && runs[k].row == row; ++k)
      if (kept[components.of_member[runs[k].first]]) out.items.push_back({runs[k].begin, runs[k].end});
  }
  out.offsets.push_back(static_cast<std::uint32_t>(out.items.size()));
  return out;
}

RowIntervals enclosed(const RowIntervals& solid, const Vec3i& dims) {
  const std::size_t rows = solid.offsets.size() - 1;
  const RowIntervals gaps = collect_rows(rows, [&](std::size_t row, std::vector<Interval>& out) {
    for_each_gap(solid.row(row), dims.x(), [&](int begin, int end) { out.push_back({begin, end}); });
  });
  // One more member stands for outside.
  const auto outside = static_cast<std::uint32_t>(gaps.items.size());
  DisjointSets sets(gaps.items.size() + 1);
  const auto join_rows = [&](std::size_t a, std::size_t b) {
    std::uint32_t k = gaps.offsets[a], l = gaps.offsets[b];
    while (k < gaps.offsets[a + 1] && l < gaps.offsets[b + 1]) {
      if (gaps.items[k].begin < gaps.items[l].end && gaps.items[l].begin < gaps.items[k].end) sets.join(k, l);
      gaps.items[k].end < gaps.items[l].end ? ++k : ++l;
    }
  };
  for (std::size_t row = 0; row < rows; ++row) {
    const int y = static_cast<int>(row) % dims.y(), z = static_cast<int>(row) / dims.y();
    const bool border = y == 0 || z == 0 || y + 1 == dims.y() || z + 1 == dims.z();
    for (std::uint32_t k = gaps.offsets[row]; k < gaps.offsets[row + 1]; ++k)
      if (border || gaps.items[k].begin == 0 || gaps.items[k].end == dims.x()) sets.join(k, outside);
    if (y > 0) join_rows(row - 1, row);
    if (z > 0) join_rows(row - static_cast<std::size_t>(dims.y()), row);
  }
  RowIntervals out;
  out.offsets.reserve(rows + 1);
  for (std::size_t row = 0; row < rows; ++row) {
    out.offsets.push_back(static_cast<std::uint32_t>(out.items.size()));
    for (std::uint32_t k = gaps.offsets[row]; k < gaps.offsets[row + 1]; ++k)
      if (sets.find(k) != sets.find(outside)) out.items.push_back(gaps.items[k]);
  }
  out.offsets.push_back(static_cast<std::uint32_t>(out.items.size()));
  return out;
}

}  // namespace sinew
