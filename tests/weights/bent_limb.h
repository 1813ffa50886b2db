// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sinew/rig/composed_joints.h"
#include "weights/cylinder_body.h"

namespace sinew::test {

// A solid cylinder along z with three bones, whose two joints are so near to each other that they share flesh.
struct BentLimb {
  Cylinder cylinder;
  VoxelGrid& grid = cylinder.grid;
  std::vector<Bone> bones{{0, Vec3(0, 0, -4), Vec3(0, 0, -0.4)},
                          {1, Vec3(0, 0, -0.4), Vec3(0, 0, 0.4)},
                          {2, Vec3(0, 0, 0.4), Vec3(0, 0, 4)}};
  std::vector<int> parents{-1, 0, 1};
  HandleMap handles;
  std::vector<JointFrame> frames;

  explicit BentLimb(double cell_size) : cylinder(cell_size), frames(joint_frames(bones, parents)) {
    std::vector<Handle> held;
    for (const Bone& bone : bones) held.push_back({bone.head, bone.tail});
    handles = map_handles(grid, held);
  }
  // What the joints do at these turns: of the lower one, then of the one above it.
  std::vector<JointMove> moves(const Vec3& child, const Vec3& parent) const {
    std::vector<Affine3> matrices(3, Affine3::Identity());
    const std::array<Vec3, 3> turns{Vec3::Zero(), parent, child};
    for (std::size_t j = 1; j < 3; ++j)
      matrices[j] = matrices[j - 1] * Eigen::Translation3d(frames[j].origin) *
                    Affine3(rotation_of(frames[j], turns[j])) * Eigen::Translation3d(-frames[j].origin);
    return joint_moves(frames, parents, matrices);
  }
};

}  // namespace sinew::test
