// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "sinew/volume/voxel_grid.h"

namespace sinew::test {

// The cells of a box of the lattice for which `keep` holds.
inline VoxelGrid make_grid(const Vec3i& dims, double cell_size = 1,
                           const std::function<bool(const Vec3i&)>& keep = {}) {
  std::vector<std::uint32_t> offsets(1, 0);
  std::vector<LatticeSet::Interval> intervals;
  for (int z = 0; z < dims.z(); ++z)
    for (int y = 0; y < dims.y(); ++y) {
      for (int x = 0; x < dims.x(); ++x)
        if (!keep || keep(Vec3i(x, y, z))) intervals.push_back({x, x + 1});
      offsets.push_back(static_cast<std::uint32_t>(intervals.size()));
    }
  return VoxelGrid(Vec3::Zero(), cell_size, LatticeSet(dims, offsets, intervals));
}

// A ball with a hole through it and a thin arm: ragged, and coarse grids close the hole.
inline VoxelGrid ragged_grid(int n) {
  const double c = n / 2.0;
  return make_grid(Vec3i(2 * n, n, n), 1.0, [=](const Vec3i& cell) {
    const Vec3 p = cell.cast<double>() + Vec3::Constant(0.5) - Vec3::Constant(c);
    if (std::hypot(p.y(), p.z()) < 0.12 * n) return p.x() > 0.3 * n;
    return p.norm() < 0.45 * n;
  });
}

}  // namespace sinew::test
