// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pipeline/compare_poses.h"
#include "sinew/weights/refine.h"

namespace sinew {

// The mesh around a group of short bones as a rig of its own: welded and cut into triangles, with the joints of
// these bones alone, of which the one that carries the others is the root.
struct RigPiece {
  Rig rig;
  std::vector<std::size_t> joints;  // per joint of the piece: that of the whole
};
Result<RigPiece> cut_piece(const Rig& rig, const Surface& surface, const ShortBonePatch& piece);

// What a pose of the whole is for the joints of the piece.
ComparePose pose_of_piece(const ComparePose& pose, std::span<const std::size_t> joints);

}  // namespace sinew
