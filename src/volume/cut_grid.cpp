// SPDX-License-Identifier: Apache-2.0
// Edges to the boundary weigh cell / length [joshi2007; vanlommel2008, Sec. 7.2.2]: the matrix stays
// symmetric, an M-matrix, and kills linear functions at every node, so that control points reproduce
// positions. Divided by the mean of the two lengths of an axis (Shortley and Weller) it would be consistent,
// too, but unsymmetric; both converge with the square of the cell.
#include "volume/cut_grid.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/mesh/bvh.h"
#include "volume/line_crossings.h"

namespace sinew {
namespace {

// Below this a node sits on the surface and takes its value.
constexpr double kShortest = 1e-6;

void number_nodes(CutGrid& grid) {
  grid.index.assign(static_cast<std::size_t>(grid.dims.x()) * static_cast<std::size_t>(grid.dims.y()) *
                        static_cast<std::size_t>(grid.dims.z()),
                    kNoIndex);
  for (int z = 0; z < grid.dims.z(); ++z)
    for (int y = 0; y < grid.dims.y(); ++y) {
      const auto crossings = grid.lines[0][grid.line(0, {0, y, z})];
      for (std::size_t k = 0; k + 1 < crossings.size(); k += 2) {
        const int begin = std::max(0, static_cast<int>(std::ceil(crossings[k].at)));
        const int end = std::min(grid.dims.x() - 1, static_cast<int>(std::floor(crossings[k + 1].at)));
        for (int x = begin; x <= end; ++x) grid.index[grid.lattice(x, y, z)] = 0;
      }
    }
  for (const int odd : {0, 1}) {
    for (int z = 0; z < grid.dims.z(); ++z)
      for (int y = 0; y < grid.dims.y(); ++y)
        for (int x = (y + z + odd) & 1; x < grid.dims.x(); x += 2) {
          const std::size_t at = grid.lattice(x, y, z);
          if (grid.index[at] == kNoIndex) continue;
          grid.index[at] = grid.count++;
          grid.place.push_back(static_cast<std::uint32_t>(at));
        }
    if (odd == 0) grid.even = grid.count;
  }
}

// The first crossing from `from` on, up or down the line, at most a cell away (a little more where rounding
// has put a neighbour outside); nullptr: none.
const LineCrossing* next_crossing(std::span<const LineCrossing> crossings, double from, bool up,
                                  bool neighbour_inside) {
  const double reach = neighbour_inside ? 1 : 1 + 1e-6;
  const auto above = std::lower_bound(crossings.begin(), crossings.end(), from,
                                      [](const LineCrossing& c, double at) { return c.at < at; });
  if (up) return above != crossings.end() && above->at - from <= reach ? &*above : nullptr;
  if (above != crossings.end() && above->at == from) return &*above;
  return above != crossings.begin() && from - (above - 1)->at <= reach ? &*(above - 1) : nullptr;
}

void cut_node(const CutGrid& grid, MeshView surface, std::uint32_t node,
              std::array<std::uint32_t, 6>& neighbours, double& diagonal, std::vector<CutGrid::Cut>& cuts) {
  const Vec3i here = grid.coordinates(grid.place[node]);
  diagonal = 0;
  for (int side = 0; side < 6; ++side) {
    const int axis = side / 2;
    const bool up = side & 1;
    Vec3i there = here;
    there[axis] += up ? 1 : -1;
    const std::uint32_t neighbour = grid.find(there.x(), there.y(), there.z());
    const LineCrossing* crossing =
        next_crossing(grid.lines[static_cast<std::size_t>(axis)][grid.line(axis, here)], here[axis], up,
                      neighbour != kNoIndex);
    auto& out = neighbours[static_cast<std::size_t>(side)];
    out = grid.count;
    if (!crossing) {
      if (neighbour == kNoIndex) continue;  // rounding has lost the crossing: no edge
      out = neighbour;
      diagonal += 1;
      continue;
    }
    const double weight = 1 / std::max(std::abs(crossing->at - here[axis]), kShortest);
    Vec3 point = here.cast<double>();
    point[axis] = crossing->at;
    const Triangle& corners = surface.triangles[crossing->triangle];
    Vec3 barycentric;
    nearest_on_triangle(grid.origin + grid.cell * point, surface.positions[corners[0]],
                        surface.positions[corners[1]], surface.positions[corners[2]], barycentric);
    const Eigen::Vector3f shares = barycentric.cast<float>();
    cuts.push_back({node, static_cast<float>(weight), crossing->triangle, {shares[0], shares[1], shares[2]}});
    diagonal += weight;
  }
}

}  // namespace

CutGrid cut_grid(MeshView surface, const CutFrame& frame, bool oriented) {
  CutGrid grid;
  grid.origin = frame.origin;
  grid.cell = frame.cell;
  grid.dims = frame.dims;
  for (int axis = 0; axis < 3; ++axis)
    grid.lines[static_cast<std::size_t>(axis)] = line_crossings(surface, frame, axis, oriented);
  number_nodes(grid);
  grid.neighbours.resize(grid.count);
  grid.diagonal.resize(grid.count);
  constexpr std::size_t kGrain = 1 << 14;
  std::vector<std::vector<CutGrid::Cut>> pieces((grid.count + kGrain - 1) / kGrain);
  parallel_for(grid.count, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double diagonal = 0;
      cut_node(grid, surface, static_cast<std::uint32_t>(i), grid.neighbours[i], diagonal,
               pieces[begin / kGrain]);
      grid.diagonal[i] = diagonal > 0 ? static_cast<float>(diagonal) : 1.0f;
    }
  });
  for (const auto& piece : pieces) grid.cuts.insert(grid.cuts.end(), piece.begin(), piece.end());
  return grid;
}

}  // namespace sinew
