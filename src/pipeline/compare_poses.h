// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/binding/surface.h"
#include "sinew/pipeline/compare.h"

namespace sinew {

// A pose to compare in, as the frame's matrices.
struct ComparePose {
  std::string name;
  std::vector<Affine3> globals, matrices;  // per joint
  std::size_t arena = 0;                   // the body that it is judged on: 0 is the whole, k piece k - 1
};

struct JointTurn {
  std::size_t bone = 0;
  Mat3 turn = Mat3::Identity();  // in bind space, about the bone's head
};
// Joints turned, the others as in bind space.
ComparePose turned_pose(const Rig& rig, const Surface& surface, std::span<const JointTurn> turns,
                        std::string name);

// Per bone the body on which its joint is judged, or kNoArena: none resolves it, or it moves everything.
inline constexpr std::size_t kNoArena = static_cast<std::size_t>(-1);
// Joints that hang together and are judged on one body: each with the nearest above it.
struct Neighbours {
  std::size_t bone = 0, above = 0;
};
std::vector<Neighbours> neighbours(const Surface& surface, std::span<const std::size_t> arena_of);

// Whether a grid of such cells resolves the bone.
bool resolves(double cell_size, const Bone& bone);
// Per bone whether a comparison of it is asked for: all, or those named. kUsage: a name that is not there.
Result<std::vector<std::uint8_t>> wanted_joints(const Rig& rig, const Surface& surface,
                                                const CompareRequest& request);
// Bends and twists of single joints and of neighbours, then moments of the first clip, then those asked for.
Result<std::vector<ComparePose>> compare_poses(const Rig& rig, const Surface& surface,
                                               std::span<const std::size_t> arena_of,
                                               const CompareRequest& request);

}  // namespace sinew
