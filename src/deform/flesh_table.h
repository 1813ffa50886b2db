// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <new>

#include "deform/joint_kernel.h"
#include "deform/joint_table.h"
#include "sinew/rig/composed_steps.h"
#include "sinew/rig/rig.h"

namespace sinew {

// Memory that begins with a cache line.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  LineAllocator() = default;
  template <class Other>
  LineAllocator(const LineAllocator<Other>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* from, std::size_t) { ::operator delete(from, kLine); }
  bool operator==(const LineAllocator&) const { return true; }
};

// Modes are taken two at a time: of x, y and z each two whole numbers a lane, that of the first mode and that
// of the second.
inline constexpr std::size_t kPairBytes = 3 * 2 * kJointGroupSize;
// A number of 32 bits for every lane.
inline constexpr std::size_t kLaneBytes = 4 * kJointGroupSize;

// What one field does to the vertices of one group: in FleshTable::stream shares of the twist as floats, less a
// half, then the pairs of modes for positions, then those for normals.
struct FleshBlock {
  std::uint32_t field = 0, pairs = 0;
  std::size_t data = 0;
};

struct FleshTable {
  JointTable joints;                     // groups; its entries number `steps`
  std::vector<ComposedStep> steps;       // of the palette
  std::vector<std::uint16_t> set_steps;  // as joints.set_entries, but children first
  std::vector<std::uint16_t>
      set_parent;  // likewise, per step of the set in that order: where its result goes
  // Per set: so many steps, of which several may go into one; each behind them takes what the one before left.
  std::vector<std::uint16_t> set_branches;
  std::vector<std::uint32_t> block_offsets;  // groups + 1
  std::vector<FleshBlock> blocks;
  // All that is read of groups, one behind the other: of each step that is no run, in their order, the swings
  // of all lanes and the twists, as floats; then the blocks.
  std::vector<std::int8_t, LineAllocator<std::int8_t>> stream;
  std::vector<std::size_t> group_stream;  // per group, where it begins
  std::vector<JointFrame> frames;
  std::vector<int> parents;
  std::vector<FleshField> fields;       // without their values
  std::vector<FleshTilt> tilts;         // likewise
  std::vector<std::size_t> first_pair;  // per field, in FleshPalette::pairs
  double extent = 0;                    // of the mesh
};
Result<FleshTable> pack_flesh(const Rig& rig);

// A step as the kernel reads it: y = above r + s move r with r the turned (local x); of a run, y = local x.
// Normals: n' = (cofactors[0] + s cofactors[1] + s^2 cofactors[2]) r with r the turned (local n) and the sign of
// the polynomial of s; of a run, n' = cofactors[0] n.
struct alignas(64) FleshEntry {
  Rows local, above, move;
  std::array<std::array<float, 9>, 3> cofactors;
  std::array<float, 4> determinant;
  float half_twist = 0;
  bool run = false, still = false;
};
// By how many numbers the amount of a mode depends on a vertex's share of the twist.
enum class AmountForm : std::uint8_t {
  kStill,      // the field does nothing
  kHarmonics,  // all of kTurnHarmonics
  kConstant,   // and of small twists polynomials
  kLinear,
  kQuadratic,
  kCubic,
  kQuartic,
};
// How a field is driven in a frame: the direction of the swing, the twist, and the lengths of the units that
// amounts are whole numbers of.
struct FleshDrive {
  AmountForm form = AmountForm::kStill;
  float cosine = 1, sine = 0, half_twist = 0;
  float unit = 0, tilt_unit = 0;
};
// Amounts of two modes: sums of harmonics of the direction in which a vertex sees the swing, or of powers of its
// share of the twist less a half. In units of the field; those of the second mode 65536 times as much and a
// half more, so that whole numbers of both lie in one of 32 bits. For normals they are multiplied by the
// `tilts`, fractions of 15 bits.
struct alignas(64) FleshPair {
  std::array<float, kTurnHarmonics> first{}, second{};
  std::array<std::int16_t, 2> tilts{};
};
struct FleshPalette {
  explicit FleshPalette(const FleshTable& table);
  Palette<FleshEntry> steps;
  std::vector<FleshDrive> drives;  // per field
  std::vector<FleshPair> pairs;    // of the fields' modes
  std::vector<JointMove> moves;    // per joint
  std::vector<float> most_tilts;   // per field: of a mode's step of normals over that of positions
  std::vector<std::array<double, kTurnHarmonics>> modes;  // of one field, while it is filled
};
// Never allocates.
void fill_flesh(const FleshTable& table, std::span<const Affine3> matrices, FleshPalette& palette) noexcept;
void flesh_groups(const FleshTable& table, const FleshPalette& palette, std::size_t begin, std::size_t end,
                  const VertexStreams& streams);

}  // namespace sinew
