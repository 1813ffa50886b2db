// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deform/joint_kernel.h"
#include "deform/joint_table.h"
#include "sinew/rig/composed_steps.h"
#include "sinew/rig/rig.h"

namespace sinew {

// Fields of the vertices of one group and one joint, in `data`: kJointGroupSize shares of the twist as floats
// in `twist`, then per mode six rows (three for the position, three for the normal) of kJointGroupSize whole
// numbers.
struct FleshBlock {
  std::uint32_t field = 0;
  std::size_t data = 0, twist = 0;
};

struct FleshTable {
  JointTable joints;                     // groups and weights; its entries number `steps`
  std::vector<ComposedStep> steps;       // of the palette
  std::vector<std::uint16_t> set_order;  // beside joints.set_entries: children first, a place in the set
  std::vector<std::uint16_t>
      set_parent;                      // likewise, per step of the set in that order: where its result goes
  std::vector<std::uint8_t> set_leaf;  // likewise: nothing comes into it
  std::vector<std::uint32_t> block_offsets;  // groups + 1
  std::vector<FleshBlock> blocks;
  std::vector<std::int8_t> data;
  std::vector<float> twist;
  std::vector<JointFrame> frames;
  std::vector<int> parents;
  std::vector<FleshField> fields;       // without their values
  std::vector<FleshTilt> tilts;         // likewise
  std::vector<std::size_t> first_mode;  // per field, in FleshPalette::amounts
};
Result<FleshTable> pack_flesh(const Rig& rig);

// A step as the kernel reads it: y = above r + s move r with r the turned (local x); of a run, y = local x.
struct alignas(64) FleshEntry {
  Rows local, above, move;
  TurnEntry turn;
  bool run = false, still = false;
};
// How a field is driven in a frame: the direction of the swing, and where its modes begin.
struct FleshDrive {
  float cosine = 1, sine = 0;
  TurnEntry turn;
  bool still = true;
};
// The amount of a mode: a sum of harmonics of the direction in which a vertex sees the swing, in steps of the
// mode; for normals times `tilt`.
struct FleshAmount {
  std::array<float, kTurnHarmonics> of_harmonic;
  float tilt;
};
struct FleshPalette {
  explicit FleshPalette(const FleshTable& table) : steps(table.steps.size()), drives(table.fields.size()) {
    moves.resize(table.frames.size());
    std::size_t modes = 0;
    for (const FleshField& field : table.fields) modes += field.modes();
    amounts.resize(modes);
  }
  Palette<FleshEntry> steps;
  std::vector<FleshDrive> drives;    // per field
  std::vector<FleshAmount> amounts;  // per mode of the fields
  std::vector<JointMove> moves;      // per joint
};
// Never allocates.
void fill_flesh(const FleshTable& table, std::span<const Affine3> matrices, FleshPalette& palette) noexcept;
void flesh_groups(const FleshTable& table, const FleshPalette& palette, std::size_t begin, std::size_t end,
                  const VertexStreams& streams);

}  // namespace sinew
