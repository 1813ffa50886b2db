// SPDX-License-Identifier: Apache-2.0
// Trilinear interpolation that stops at the surface. A point lies between two others along x: a side of its
// cell, or the surface where that comes first. A point on a side of the cell lies between two along y, one on
// an edge between two along z, nodes or cuts. Every step is a mean of two points, so the weights are >= 0,
// sum to 1 and reproduce the place; in a cell that no triangle touches it is the trilinear formula.
// Neighbouring cells agree on the side between them. A tetrahedralisation of the inside corners and cut
// points would not do: it leaves out what lies between its hull and a corner of the cage that pokes into the
// cell, and thin parts of a cage without any node inside.
#include "volume/cut_lookup.h"

#include <algorithm>
#include <cmath>

namespace sinew {

CutLookup::CutLookup(const CutGrid& grid, MeshView surface, const Bvh& tree, const WindingNumber& winding,
                     bool oriented)
    : grid_(grid), surface_(surface), tree_(tree), winding_(winding), oriented_(oriented) {
  touched_.assign(grid.index.size(), false);
  const double half = 0.5 * (1 + 1e-6);
  for (const Triangle& t : surface.triangles) {
    std::array<Vec3, 3> corner;
    for (std::size_t c = 0; c < 3; ++c) corner[c] = (surface.positions[t[c]] - grid.origin) / grid.cell;
    const Vec3 low = corner[0].cwiseMin(corner[1]).cwiseMin(corner[2]);
    const Vec3 high = corner[0].cwiseMax(corner[1]).cwiseMax(corner[2]);
    const Vec3 normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
    const double reach = half * normal.cwiseAbs().sum();
    const auto clamped = [&](const Vec3& p) {
      return Vec3i(p.array().floor().cast<int>().max(0).min(grid.dims.array() - 2).matrix());
    };
    const Vec3i begin = clamped(low.array() - 1e-6), end = clamped(high.array() + 1e-6);
    for (int z = begin.z(); z <= end.z(); ++z)
      for (int y = begin.y(); y <= end.y(); ++y)
        for (int x = begin.x(); x <= end.x(); ++x)
          if (std::abs(normal.dot(Vec3(x + 0.5, y + 0.5, z + 0.5) - corner[0])) <= reach)
            touched_[grid.lattice(x, y, z)] = true;
  }
}

bool CutLookup::inside(const Vec3& point) const noexcept {
  const Vec3 at = (point - grid_.origin) / grid_.cell;
  for (int axis = 0; axis < 3; ++axis)
    if (!(at[axis] >= 0 && at[axis] <= grid_.dims[axis] - 1)) return false;
  const Vec3i cell = at.array().floor().cast<int>().min(grid_.dims.array() - 2).matrix();
  if (!touched_[grid_.lattice(cell.x(), cell.y(), cell.z())])
    return grid_.find(cell.x(), cell.y(), cell.z()) != kNoIndex;
  if (oriented_) return std::abs(winding_(point)) > 0.5;
  // Faces that do not agree on a side: count how often a ray meets the surface.
  const Vec3 direction(0.5403, 0.6571, 0.5254);
  bool odd = false;
  double from = 0;
  for (int hits = 0; hits < 1000; ++hits) {
    const RayHit hit = tree_.first_hit(point, direction, from);
    if (!hit.found()) break;
    odd = !odd;
    from = hit.t + 1e-9 * grid_.cell;
  }
  return odd;
}

bool CutLookup::on_line(CutStencil& out, const Vec3& at, double weight) const noexcept {
  const Vec3i base = at.array().round().cast<int>().matrix();
  const auto crossings = grid_.lines[2][grid_.line(2, base)];
  const auto above = std::lower_bound(crossings.begin(), crossings.end(), at.z(),
                                      [](const LineCrossing& c, double z) { return c.at < z; });
  const bool on_surface = above != crossings.end() && above->at == at.z();
  if (!on_surface && (above - crossings.begin()) % 2 == 0) return false;
  const int floor = std::min(static_cast<int>(std::floor(at.z())), grid_.dims.z() - 2);
  const LineCrossing* low = above != crossings.begin() && (above - 1)->at > floor ? &*(above - 1) : nullptr;
  const LineCrossing* high = above != crossings.end() && above->at < floor + 1 ? &*above : nullptr;
  const double from = low ? low->at : floor, to = high ? high->at : floor + 1;
  const double t = on_surface ? 1 : to > from ? (at.z() - from) / (to - from) : 1;
  const auto put = [&](const LineCrossing* cut, int z, double share) {
    if (share <= 0) return true;
    if (cut) {
      const Triangle& k = surface_.triangles[cut->triangle];
      Vec3 barycentric;
      nearest_on_triangle(grid_.origin + grid_.cell * Vec3(base.x(), base.y(), cut->at),
                          surface_.positions[k[0]], surface_.positions[k[1]], surface_.positions[k[2]],
                          barycentric);
      out.surface[static_cast<std::size_t>(out.surface_count++)] = {cut->triangle, barycentric, share};
      return true;
    }
    const std::uint32_t node = grid_.find(base.x(), base.y(), z);
    if (node == kNoIndex) return false;
    out.nodes[static_cast<std::size_t>(out.node_count)] = node;
    out.weights[static_cast<std::size_t>(out.node_count++)] = share;
    return true;
  };
  return put(low, floor, weight * (1 - t)) && put(high, floor + 1, weight * t);
}

bool CutLookup::between(CutStencil& out, Vec3 at, int axis, double weight) const noexcept {
  if (weight <= 0) return true;
  if (axis == 2) return on_line(out, at, weight);
  const int floor = std::min(static_cast<int>(std::floor(at[axis])), grid_.dims[axis] - 2);
  const Vec3 origin = grid_.origin + grid_.cell * at;
  std::array<RayHit, 2> hit;
  std::array<double, 2> distance{at[axis] - floor, floor + 1 - at[axis]};
  for (const std::size_t up : {0u, 1u}) {
    if (distance[up] <= 0) continue;
    Vec3 direction = Vec3::Zero();
    direction[axis] = up ? grid_.cell : -grid_.cell;
    hit[up] = tree_.first_hit(origin, direction, 0, distance[up]);
    if (hit[up].found()) distance[up] = hit[up].t;
  }
  const double sum = distance[0] + distance[1];
  const std::array<double, 2> share{sum > 0 ? distance[1] / sum : 1, sum > 0 ? distance[0] / sum : 0};
  for (const std::size_t up : {0u, 1u}) {
    const double part = weight * share[up];
    if (part <= 0) continue;
    if (hit[up].found()) {
      out.surface[static_cast<std::size_t>(out.surface_count++)] = {hit[up].triangle, hit[up].barycentric,
                                                                    part};
      continue;
    }
    Vec3 side = at;
    side[axis] = floor + static_cast<int>(up);
    if (!between(out, side, axis + 1, part)) return false;
  }
  return true;
}

bool CutLookup::find(const Vec3& point, CutStencil& out) const noexcept {
  out.node_count = out.surface_count = 0;
  const Vec3 at = (point - grid_.origin) / grid_.cell;
  for (int axis = 0; axis < 3; ++axis)
    if (!(at[axis] >= 0 && at[axis] <= grid_.dims[axis] - 1)) return false;
  const Vec3i cell = at.array().floor().cast<int>().min(grid_.dims.array() - 2).matrix();
  if (!touched_[grid_.lattice(cell.x(), cell.y(), cell.z())]) {
    const Vec3 t = at - cell.cast<double>();
    for (int k = 0; k < 8; ++k) {
      const int x = k & 1, y = k >> 1 & 1, z = k >> 2;
      const std::uint32_t node = grid_.find(cell.x() + x, cell.y() + y, cell.z() + z);
      if (node == kNoIndex) return false;
      out.nodes[static_cast<std::size_t>(k)] = node;
      out.weights[static_cast<std::size_t>(k)] =
          (x ? t.x() : 1 - t.x()) * (y ? t.y() : 1 - t.y()) * (z ? t.z() : 1 - t.z());
    }
    out.node_count = 8;
    return true;
  }
  return inside(point) && between(out, at, 0, 1);
}

}  // namespace sinew
