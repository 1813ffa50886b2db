// SPDX-License-Identifier: Apache-2.0
#include "pipeline/held_surface.h"

#include <algorithm>

#include "sinew/volume/trilinear.h"

namespace sinew {
namespace {

constexpr double kHold = 3;          // stiffness of a cell's side, over that of a cell
constexpr double kLeastFree = 0.05;  // of a vertex that is held

// A third of the faces around every vertex, over the side of a cell: no vertex stands for more than that.
std::vector<double> sides_of(const PolyMesh& mesh, double cell) {
  std::vector<double> sides(mesh.vertex_count(), 0.0);
  const TriangleView view = triangulate(mesh);
  for (const Triangle& t : view.triangles) {
    const Vec3 &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
    const double area = 0.5 * (b - a).cross(c - a).norm() / (3 * cell * cell);
    for (std::size_t k = 0; k < 3; ++k) sides[t[k]] += area;
  }
  for (double& side : sides) side = std::min(side, 1.0);
  return sides;
}

}  // namespace

HeldSurface::HeldSurface(const PolyMesh& mesh, std::span<const double> shares, const VoxelGrid& grid,
                         std::span<const std::uint8_t> fixed) {
  std::vector<double> sides = sides_of(mesh, grid.cell_size());
  for (std::size_t i = 0; i < shares.size(); ++i) sides[i] *= shares[i];
  const TrilinearWeights transfer = trilinear_weights(grid, mesh.positions);
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<double> stiffness;
  for (std::uint32_t i = 0; i < mesh.vertex_count(); ++i) {
    if (!(sides[i] > 0) || grid.cell_at(mesh.positions[i]) == kNoIndex) continue;
    double free = 0;
    for (std::size_t k = 0; k < 8; ++k)
      if (!fixed[transfer.vertices[i][k]]) free += transfer.weights[i][k];
    if (free < kLeastFree) continue;
    for (std::size_t k = 0; k < 8; ++k)
      entries.emplace_back(static_cast<Eigen::Index>(vertices_.size()), transfer.vertices[i][k],
                           transfer.weights[i][k]);
    stiffness.push_back(kHold * grid.cell_size() * sides[i] * free * free);
    vertices_.push_back(i);
  }
  springs_.points.resize(static_cast<Eigen::Index>(vertices_.size()),
                         static_cast<Eigen::Index>(grid.vertex_count()));
  springs_.points.setFromTriplets(entries.begin(), entries.end());
  springs_.stiffness =
      Eigen::Map<const Eigen::VectorXd>(stiffness.data(), static_cast<Eigen::Index>(stiffness.size()));
}

GridPositions HeldSurface::places(std::span<const Vec3f> posed) const {
  GridPositions places(static_cast<Eigen::Index>(vertices_.size()), 3);
  for (std::size_t s = 0; s < vertices_.size(); ++s)
    places.row(static_cast<Eigen::Index>(s)) = posed[vertices_[s]].cast<double>().transpose();
  return places;
}

}  // namespace sinew
