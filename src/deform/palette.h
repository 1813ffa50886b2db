// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "deform/skin_table.h"
#include "sinew/math/types.h"

namespace sinew {

// What kernels read per joint of a frame: one type of entry a kind of blending, as large as its alignment, so
// that no entry straddles a cache line and whole ones are loaded as vectors.
template <class PaletteEntry>
using Palette = std::vector<PaletteEntry>;

struct alignas(64) MatrixEntry {
  float rows[12];         // of the 3x4 matrix
  float stretch[4] = {};  // of a bone that stretches: what its tail moves further
};

// Quaternions as x y z w.
struct alignas(32) DualEntry {
  float real[4];
  float dual[4];
};

// The rigid motion of a bone that stretches: its dual part grows by `more` to the tail.
struct alignas(64) StretchedDualEntry {
  float real[4];
  float dual[4];
  float zero[4] = {};  // so that (zero, more) is added to (real, dual) as one vector
  float more[4];
};

// A symmetric matrix.
struct alignas(32) SymmetricEntry {
  float diagonal[4];  // xx yy zz 0
  float mixed[4];     // xy xz yz 0
};

// The rows of a 3x4 matrix, for entries that hold several.
struct Rows {
  float at[12];
};
Rows rows_of(const Mat3& linear, const Vec3& translation);
inline Rows rows_of(const Affine3& m) {
  return rows_of(m.linear(), m.translation());
}
// x, y, z, w.
void put_numbers(const Quat& q, float (&out)[4]);

// The linear part of a skinning matrix as rotation * stretch, the rotation always proper.
struct LinearSplit {
  Quat rotation = Quat::Identity();
  Mat3 stretch = Mat3::Identity();
  bool stretched = false;  // false: stretch is the identity to rounding, and set to it
};
LinearSplit split_linear(const Mat3& linear);

// Where the joints' heads lie in bind space, one per palette entry but the last.
std::vector<Vec3> palette_heads(const SkinTable& table, std::span<const Affine3> bind);

// Palettes of a SkinTable have palette_size() entries, in the order of SkinTable::palette_joints with the
// identity last. None of these allocates. `matrices` are the frame's skinning matrices, one per joint of the
// skeleton.
void fill_rows(const SkinTable& table, std::span<const Affine3> matrices,
               Palette<MatrixEntry>& rows) noexcept;

// matrix = rigid * stretch_about_head: rigid motions as dual quaternions, and the stretches as matrix rows.
// Returns whether any joint is stretched.
bool fill_rigid(const SkinTable& table, std::span<const Affine3> matrices, std::span<const Vec3> heads,
                Palette<DualEntry>& duals, Palette<MatrixEntry>& stretch_rows) noexcept;

// Rotations as quaternions (the real parts), stretches as symmetric matrices. Returns as fill_rigid does.
bool fill_decomposed(const SkinTable& table, std::span<const Affine3> matrices,
                     Palette<DualEntry>& quaternions, Palette<SymmetricEntry>& stretches) noexcept;

}  // namespace sinew
