// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deform/joint_table.h"
#include "deform/palette.h"
#include "deform/streams.h"

namespace sinew {

// Linear blending with one more vector a bone, kStretchAt floats behind the rows of its matrix; `shares` are
// weight times endpoint weight, beside the table's weights.
inline constexpr std::size_t kStretchAt = 12;
void stretch_groups(const SkinTable& table, const float* shares, const Palette& rows, std::size_t begin,
                    std::size_t end, const VertexStreams& streams);

// Dual quaternions of stretched and twisted bones. Per entry, in floats: the rotation q and q z for the
// bone's direction z; then what makes the dual part, D0 ... D3 with
//   dual = cos D0 + sin D1 + e (cos D2 + sin D3);
// half of the twist at the head, and how much half of it grows to the tail; whether it twists; and the rows
// of the joint's scale about its head.
inline constexpr std::size_t kDualBoneStride = 48;
inline constexpr std::size_t kDualBoneParts = 8;  // D0
inline constexpr std::size_t kDualBoneTwist = 24;
inline constexpr std::size_t kDualBoneScale = 28;
void dual_bone_groups(const JointTable& table, const Palette& palette, bool scaled, std::size_t begin,
                      std::size_t end, const VertexStreams& streams);

}  // namespace sinew
