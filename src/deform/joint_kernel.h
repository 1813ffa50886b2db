// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deform/joint_table.h"
#include "deform/palette.h"
#include "deform/posed_bones.h"
#include "deform/streams.h"

namespace sinew {

enum class TurnKind : std::uint32_t {
  kNone,
  kSmallAngle,  // half of it is at most a quarter turn
  kAnyAngle,    // any number of turns
  kChord,       // along the corrected chord between no turn and all of it
};

// A turn about z, whose angle depends on a weight t of the vertex.
struct TurnEntry {
  TurnKind kind = TurnKind::kNone;
  float half_start = 0, half_growth = 0;   // half the angle is half_start + t half_growth
  float chord_cosine = 0, chord_sine = 0;  // cos - 1 and sin of half the angle at t = 1
  float bend0 = 0, bend2 = 0;              // how t is corrected
};

// A joint: x = local p in the joint's frame, then p' = above r + s move r with r the turned x.
struct alignas(64) JointPaletteEntry {
  Rows local, above, move;
  TurnEntry turn;
};
// Never allocates.
void fill_joints(const JointTable& table, std::span<const Affine3> matrices, const JointBasedOptions& options,
                 Palette<JointPaletteEntry>& palette) noexcept;
void joint_groups(const JointTable& table, const Palette<JointPaletteEntry>& palette, std::size_t begin,
                  std::size_t end, const VertexStreams& streams);

// A bone that stretches and twists along itself: p' = out r + e stretch with r the twisted (into p) and e the
// endpoint weight.
struct alignas(64) BoneEntry {
  Rows into, out;
  float stretch[3];
  TurnEntry twist;
};
BoneEntry bone_entry(const Affine3& into, const Affine3& out, double factor, const PosedBone& bone);
// The lanes' `move` is the endpoint weight for the stretch, `turn` that for the twist.
void bone_groups(const JointTable& table, const Palette<BoneEntry>& palette, std::size_t begin,
                 std::size_t end, const VertexStreams& streams);

// A joint of a frame whose bones stretch and twist: the turned point goes into the frames of the bone above
// the joint and of the joint's own, and is moved by both.
struct alignas(64) ShapedJointEntry {
  Rows local;
  TurnEntry turn;
  BoneEntry above, own;
};
void fill_shaped_joints(const JointTable& table, const RestBones& rest, const FrameInput& input,
                        const JointBasedOptions& options, Palette<ShapedJointEntry>& palette) noexcept;
void shaped_joint_groups(const JointTable& table, const Palette<ShapedJointEntry>& palette, std::size_t begin,
                         std::size_t end, const VertexStreams& streams);

}  // namespace sinew
