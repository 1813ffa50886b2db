// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/mesh/poly_mesh.h"
#include "sinew/volume/elastic.h"

namespace sinew {

// Vertices of a mesh that springs pull to where a deformer puts them: the energy of an elastic body with these springs tells
// what a posed surface costs, whatever lies within.
class HeldSurface {
 public:
  // Those in a cell of the grid. The more of a vertex fixed ones of the grid hold, the weaker its spring: they are where the
  // pose has bones, not where the surface is. shares: how much of it each vertex has, or empty.
  HeldSurface(const PolyMesh& mesh, std::span<const double> shares, const VoxelGrid& grid,
              std::span<const std::uint8_t> fixed);

  bool empty() const { return vertices_.empty(); }
  const ElasticSprings& springs() const { return springs_; }
  GridPositions places(std::span<const Vec3f> posed) const;  // posed: the mesh's vertices

 private:
  std::vector<std::uint32_t> vertices_;  // of the springs
  ElasticSprings springs_;
};

}  // namespace sinew
