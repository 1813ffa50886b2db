// SPDX-License-Identifier: Apache-2.0
#include "volume/line_crossings.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

struct Hit {
  std::uint32_t line;
  std::uint32_t triangle;
  double at;
  int sign;  // +1 where the line leaves the side that the triangle faces away from
};

// Which side of the edge u v a point lies on, seen along the axis. Both triangles at an edge ask with the
// same operands, and so get the same answer: no line slips through between them, or meets both.
class EdgeSides {
 public:
  EdgeSides(std::span<const Vec3> positions, int axis)
      : positions_(positions), b_((axis + 1) % 3), c_((axis + 2) % 3) {}

  bool left(std::uint32_t u, std::uint32_t v, double b, double c) const {
    const bool turned = u > v;
    if (turned) std::swap(u, v);
    const Vec3 &p = positions_[u], &q = positions_[v];
    const double side = (q[b_] - p[b_]) * (c - p[c_]) - (q[c_] - p[c_]) * (b - p[b_]);
    return (side >= 0) != turned;
  }

 private:
  std::span<const Vec3> positions_;
  int b_, c_;
};

class Scanner {
 public:
  Scanner(MeshView surface, const CutFrame& frame, int axis)
      : surface_(surface),
        frame_(frame),
        a_(axis),
        b_((axis + 1) % 3),
        c_((axis + 2) % 3),
        sides_(surface.positions, axis) {}

  void scan(std::uint32_t t, std::vector<Hit>& hits) const {
    const Triangle& k = surface_.triangles[t];
    const Vec3 p = surface_.positions[k[0]], q = surface_.positions[k[1]], r = surface_.positions[k[2]];
    const auto [b_begin, b_end] = range(b_, p, q, r);
    const auto [c_begin, c_end] = range(c_, p, q, r);
    const Vec3 normal = (q - p).cross(r - p);
    for (int j = c_begin; j < c_end; ++j)
      for (int i = b_begin; i < b_end; ++i) {
        const double b = frame_.origin[b_] + frame_.cell * i, c = frame_.origin[c_] + frame_.cell * j;
        const bool first = sides_.left(k[0], k[1], b, c);
        if (first != sides_.left(k[1], k[2], b, c) || first != sides_.left(k[2], k[0], b, c)) continue;
        double at = p[a_];
        if (normal[a_] != 0) at -= (normal[b_] * (b - p[b_]) + normal[c_] * (c - p[c_])) / normal[a_];
        const auto [low, high] = std::minmax({p[a_], q[a_], r[a_]});
        at = (std::clamp(at, low, high) - frame_.origin[a_]) / frame_.cell;
        hits.push_back({static_cast<std::uint32_t>(i + frame_.dims[b_] * j), t, at, first ? 1 : -1});
      }
  }

 private:
  std::pair<int, int> range(int axis, const Vec3& p, const Vec3& q, const Vec3& r) const {
    const auto [low, high] = std::minmax({p[axis], q[axis], r[axis]});
    const double begin = std::ceil((low - frame_.origin[axis]) / frame_.cell - 1e-6);
    const double end = std::floor((high - frame_.origin[axis]) / frame_.cell + 1e-6) + 1;
    return {static_cast<int>(std::max(begin, 0.0)),
            static_cast<int>(std::min(end, static_cast<double>(frame_.dims[axis])))};
  }

  MeshView surface_;
  const CutFrame& frame_;
  int a_, b_, c_;
  EdgeSides sides_;
};

}  // namespace

LineCrossings line_crossings(MeshView surface, const CutFrame& frame, int axis, bool oriented) {
  const Scanner scanner(surface, frame, axis);
  std::vector<Hit> hits;
  for (std::uint32_t t = 0; t < surface.triangles.size(); ++t) scanner.scan(t, hits);
  std::sort(hits.begin(), hits.end(), [](const Hit& l, const Hit& r) {
    return l.line != r.line ? l.line < r.line : l.at != r.at ? l.at < r.at : l.triangle < r.triangle;
  });
  LineCrossings out;
  const std::size_t lines = static_cast<std::size_t>(frame.dims[(axis + 1) % 3]) *
                            static_cast<std::size_t>(frame.dims[(axis + 2) % 3]);
  out.offsets.assign(lines + 1, 0);
  for (std::size_t h = 0; h < hits.size();) {
    const std::uint32_t line = hits[h].line;
    int winding = 0;
    for (; h < hits.size() && hits[h].line == line; ++h) {
      const bool before = winding != 0;
      winding = oriented ? winding + hits[h].sign : 1 - winding;
      if (before != (winding != 0)) out.crossings.push_back({hits[h].at, hits[h].triangle});
    }
    out.offsets[line + 1] = static_cast<std::uint32_t>(out.crossings.size());
  }
  for (std::size_t l = 1; l <= lines; ++l) out.offsets[l] = std::max(out.offsets[l], out.offsets[l - 1]);
  return out;
}

}  // namespace sinew
