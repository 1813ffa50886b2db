// SPDX-License-Identifier: Apache-2.0
#include "volume/line_scan.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"

namespace sinew {
namespace {

constexpr std::size_t kScanGrain = 1 << 12;

// The lines whose centre coordinate c + 1/2 lies in [from, to).
int first_line(double from, int count) {
  return static_cast<int>(std::ceil(std::clamp(from - 0.5, 0.0, double(count))));
}

class TriangleScan {
 public:
  TriangleScan(std::span<const Vec3> positions, const Vec3i& dims, int axis)
      : positions_(positions),
        axis_(axis),
        u_((axis + 1) % 3),
        v_((axis + 2) % 3),
        columns_(dims[u_]),
        rows_(dims[v_]) {}

  template <class Emit>
  void scan(const Triangle& t, Emit&& emit) const {
    const Vec3 &a = positions_[t[0]], &b = positions_[t[1]], &c = positions_[t[2]];
    const double low = std::min({a[v_], b[v_], c[v_]}), high = std::max({a[v_], b[v_], c[v_]});
    const int begin = first_line(low, rows_), end = std::min(rows_, first_line(high, rows_) + 1);
    if (begin >= end) return;
    const Vec3 normal = (b - a).cross(c - a);
    const double length = normal.norm();
    const double cosine = length > 0 ? std::abs(normal[axis_]) / length : 0;
    const double near = std::min({a[axis_], b[axis_], c[axis_]}),
                 far = std::max({a[axis_], b[axis_], c[axis_]});
    for (int k = begin; k < end; ++k) {
      const double v = k + 0.5;
      double up = 0, down = 0;
      if (!span(t, v, up, down)) continue;
      const int sign = up > down ? 1 : -1;
      for (int j = first_line(std::min(up, down), columns_); j < first_line(std::max(up, down), columns_);
           ++j) {
        const double depth =
            a[axis_] - ((j + 0.5 - a[u_]) * normal[u_] + (v - a[v_]) * normal[v_]) / normal[axis_];
        // A triangle seen edge-on has no depth worth the name; it stays within its own extent.
        const double at = depth >= near && depth <= far ? depth : depth > far ? far : near;
        emit(static_cast<std::uint32_t>(j + columns_ * k), Crossing{at, sign, static_cast<float>(cosine)});
      }
    }
  }

 private:
  // Where the side that rises through v and the one that falls through it meet it.
  bool span(const Triangle& t, double v, double& up, double& down) const {
    bool found = false;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t from = t[k], to = t[(k + 1) % 3];
      const bool from_below = positions_[from][v_] <= v, to_below = positions_[to][v_] <= v;
      if (from_below == to_below) continue;
      found = true;
      (from_below ? up : down) = intersection(std::min(from, to), std::max(from, to), v);
    }
    return found;
  }
  // From the lower vertex to the higher one, so that both triangles of an edge get the same bits.
  double intersection(std::uint32_t from, std::uint32_t to, double v) const {
    const Vec3 &a = positions_[from], &b = positions_[to];
    return a[u_] + (v - a[v_]) / (b[v_] - a[v_]) * (b[u_] - a[u_]);
  }

  std::span<const Vec3> positions_;
  int axis_, u_, v_, columns_, rows_;
};

}  // namespace

RowItems<Crossing> scan_lines(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                              const Vec3i& dims, int axis) {
  const TriangleScan scanner(positions, dims, axis);
  std::vector<std::vector<std::pair<std::uint32_t, Crossing>>> lists((triangles.size() + kScanGrain - 1) /
                                                                     kScanGrain);
  parallel_for(triangles.size(), kScanGrain, [&](std::size_t begin, std::size_t end) {
    auto& list = lists[begin / kScanGrain];
    for (std::size_t t = begin; t < end; ++t)
      scanner.scan(triangles[t],
                   [&](std::uint32_t row, const Crossing& crossing) { list.emplace_back(row, crossing); });
  });
  const std::size_t lines =
      static_cast<std::size_t>(dims[(axis + 1) % 3]) * static_cast<std::size_t>(dims[(axis + 2) % 3]);
  RowItems<Crossing> out = gather_rows(lines, lists);
  parallel_for(lines, 1 << 10, [&](std::size_t begin, std::size_t end) {
    for (std::size_t line = begin; line < end; ++line) {
      const auto row = out.row(line);
      // Entering before leaving at one place: parts that touch are one.
      std::sort(row.begin(), row.end(), [](const Crossing& a, const Crossing& b) {
        return a.at != b.at ? a.at < b.at : a.sign < b.sign;
      });
    }
  });
  return out;
}

}  // namespace sinew
