// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pipeline/compare_arena.h"

namespace sinew {

// A body and what it is judged by.
struct RotationTask {
  const Arena* arena = nullptr;
  std::span<const std::size_t> joints = {};  // of a piece: pose_of_piece's; empty: the whole
  std::size_t piece = 0;
  std::vector<std::size_t> bones;  // of the whole: one, or two that turn together
};
// Energies of all contestants with elastic weights at seeded rotations of every task's joints, those of one
// joint the same in all tasks. `whole` is the rig that the bones are of.
Result<std::vector<JointRotations>> compare_rotations(const Arena& whole, std::span<const RotationTask> tasks,
                                                      int count, const Progress* progress);

}  // namespace sinew
