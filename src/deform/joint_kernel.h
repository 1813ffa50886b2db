// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deform/joint_table.h"
#include "deform/palette.h"
#include "deform/streams.h"

namespace sinew {

// What the kernel reads per entry, in floats: x = F p in the joint's frame, then p' = C0 r + s C1 r with r
// the turned x.
inline constexpr std::size_t kJointStride = 48;
inline constexpr std::size_t kJointLocal = 0, kJointAbove = 12, kJointMove = 24;  // rows of 3x4 matrices
// 0: none, 1: by polynomials, 2: along the corrected chord, 3: by polynomials, any number of turns
inline constexpr std::size_t kJointTurn = 36;
inline constexpr std::size_t kJointHalf = 37;       // half of the angle
inline constexpr std::size_t kJointHalfStart = 42;  // half of the angle where the weight is 0
inline constexpr std::size_t kJointChord = 38;      // cos - 1 and sin of that, coefficients a and b

// Never allocates.
void fill_joints(const JointTable& table, std::span<const Affine3> matrices, const JointBasedOptions& options,
                 Palette& palette) noexcept;

void joint_groups(const JointTable& table, const Palette& palette, std::size_t begin, std::size_t end,
                  const VertexStreams& streams);

}  // namespace sinew
