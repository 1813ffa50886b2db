// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "deform/skin_table.h"
#include "sinew/math/types.h"

namespace sinew {

// What kernels read per joint, in the order of SkinTable::palette_joints with the identity last. Strides in
// floats: powers of two, so that no entry straddles a cache line.
inline constexpr std::size_t kRowsStride = 16;    // rows 0, 1, 2 of the 3x4 matrix, 4 floats unused
inline constexpr std::size_t kDualStride = 8;     // rotation quaternion x y z w, dual part x y z w
inline constexpr std::size_t kStretchStride = 8;  // xx yy zz 0, xy xz yz 0 of the symmetric stretch

class Palette {
 public:
  Palette(std::size_t entries, std::size_t stride)
      : lines_((entries * stride + kLine - 1) / kLine), stride_(stride) {}
  const float* data() const { return lines_.data()->numbers; }
  float* entry(std::size_t e) { return lines_.data()->numbers + e * stride_; }

 private:
  static constexpr std::size_t kLine = 16;  // floats of a cache line, also the longest vector
  struct alignas(kLine * sizeof(float)) Line {
    float numbers[kLine];
  };
  std::vector<Line> lines_;
  std::size_t stride_;
};

// The linear part of a skinning matrix as rotation * stretch, the rotation always proper.
struct LinearSplit {
  Quat rotation = Quat::Identity();
  Mat3 stretch = Mat3::Identity();
  bool stretched = false;  // false: stretch is the identity to rounding, and set to it
};
LinearSplit split_linear(const Mat3& linear);

// Where the joints' heads lie in bind space, one per palette entry but the last.
std::vector<Vec3> palette_heads(const SkinTable& table, std::span<const Affine3> bind);

// None of these allocates. `matrices` are the frame's skinning matrices, one per joint of the skeleton.
void fill_rows(const SkinTable& table, std::span<const Affine3> matrices, Palette& rows) noexcept;

// matrix = rigid * stretch_about_head: rigid motions as dual quaternions, and the stretches as matrix rows.
// Returns whether any joint is stretched.
bool fill_rigid(const SkinTable& table, std::span<const Affine3> matrices, std::span<const Vec3> heads,
                Palette& duals, Palette& stretch_rows) noexcept;

// Rotations as quaternions (in the first half of dual entries), stretches as six numbers. Returns as
// fill_rigid does.
bool fill_decomposed(const SkinTable& table, std::span<const Affine3> matrices, Palette& quaternions,
                     Palette& stretches) noexcept;

}  // namespace sinew
