// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "sinew/skeleton/bone_tree.h"
#include "sinew/volume/corotational.h"
#include "sinew/volume/handles.h"

namespace sinew::test {

// A solid cylinder of radius 1 and length 8 along z, two bones that meet in its middle.
struct Cylinder {
  VoxelGrid grid;
  std::vector<Bone> bones{{0, Vec3(0, 0, -4), Vec3(0, 0, 0)}, {1, Vec3(0, 0, 0), Vec3(0, 0, 4)}};
  std::vector<int> parents{-1, 0};
  HandleMap handles;

  explicit Cylinder(double cell_size) {
    const int n = static_cast<int>(std::lround(2 / cell_size)),
              length = static_cast<int>(std::lround(8 / cell_size));
    std::vector<std::uint32_t> offsets(1, 0);
    std::vector<LatticeSet::Interval> intervals;
    for (int z = 0; z < length; ++z)
      for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x)
          if (std::hypot((x + 0.5) * cell_size - 1, (y + 0.5) * cell_size - 1) < 1)
            intervals.push_back({x, x + 1});
        offsets.push_back(static_cast<std::uint32_t>(intervals.size()));
      }
    grid = VoxelGrid(Vec3(-1, -1, -4), cell_size, LatticeSet(Vec3i(n, n, length), offsets, intervals));
    const std::vector<Handle> held{{bones[0].head, bones[0].tail}, {bones[1].head, bones[1].tail}};
    handles = map_handles(grid, held);
  }
};

// The problem of the joint in the middle, on the whole grid.
struct MiddleJoint {
  Cylinder body;
  Corotational model;
  JointFrame frame;
  std::vector<std::uint8_t> fixed;
  Eigen::VectorXd start;

  explicit MiddleJoint(double cell_size)
      : body(cell_size), model(body.grid), frame(joint_frame(body.bones, body.parents, 1)) {
    start.resize(static_cast<Eigen::Index>(body.grid.vertex_count()));
    for (std::uint32_t v = 0; v < body.grid.vertex_count(); ++v) {
      const int owner = body.handles.of_vertex[v];
      fixed.push_back(owner >= 0);
      const double z = body.grid.vertex_position(v).z();
      start[v] = owner >= 0 ? owner : std::clamp(0.5 + z / 2, 0.0, 1.0);
    }
  }
};

}  // namespace sinew::test
