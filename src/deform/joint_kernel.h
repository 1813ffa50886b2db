// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deform/joint_table.h"
#include "deform/palette.h"
#include "deform/posed_bones.h"
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

// The same for frames whose bones are stretched and twisted along themselves, in a palette of its own: the
// turned point goes into the frames of the bone above the joint and of the joint's own, is twisted there by
// its endpoint weights, and moved. Two such halves a joint, each: the way into the frame, the motion out of
// it, what its tail moves further, half of the twist at the head and how much half of it grows to the tail.
inline constexpr std::size_t kShapedStride = 112;
inline constexpr std::size_t kShapedHalf = 48, kShapedHalfStride = 32;  // behind what fill_joints writes
inline constexpr std::size_t kShapedInto = 0, kShapedOut = 12, kShapedStretch = 24, kShapedTwist = 28;
void fill_shaped_joints(const JointTable& table, const RestBones& rest, const FrameInput& input,
                        const JointBasedOptions& options, Palette& palette) noexcept;
void shaped_joint_groups(const JointTable& table, const Palette& palette, std::size_t begin, std::size_t end,
                         const VertexStreams& streams);

void joint_groups(const JointTable& table, const Palette& palette, std::size_t begin, std::size_t end,
                  const VertexStreams& streams);

}  // namespace sinew
