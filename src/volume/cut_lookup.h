// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/mesh/bvh.h"
#include "sinew/mesh/winding_number.h"
#include "volume/cut_grid.h"

namespace sinew {

// A point inside a cut grid as a mean of grid nodes and points of the surface: weights are >= 0, sum to 1,
// and the mean of the places is the point.
struct CutStencil {
  struct OnSurface {
    std::uint32_t triangle;
    Vec3 barycentric;
    double weight;
  };
  std::array<std::uint32_t, 8> nodes;
  std::array<double, 8> weights;
  std::array<OnSurface, 8> surface;
  int node_count = 0, surface_count = 0;
};

// Finds stencils. Keeps references to all it is given.
class CutLookup {
 public:
  CutLookup(const CutGrid& grid, MeshView surface, const Bvh& tree, const WindingNumber& winding,
            bool oriented);

  bool inside(const Vec3& point) const noexcept;
  // False where the point is not inside, or rounding hides it.
  bool find(const Vec3& point, CutStencil& out) const noexcept;

 private:
  bool between(CutStencil& out, Vec3 at, int axis, double weight) const noexcept;
  bool on_line(CutStencil& out, const Vec3& at, double weight) const noexcept;

  const CutGrid& grid_;
  MeshView surface_;
  const Bvh& tree_;
  const WindingNumber& winding_;
  bool oriented_;
  std::vector<bool> touched_;  // per cell: a triangle may lie in it
};

}  // namespace sinew
