// SPDX-License-Identifier: Apache-2.0
#include "deform/palette.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/dual_quaternion.h"
#include "sinew/math/polar.h"

namespace sinew {
namespace {

void write_rows(const Mat3& linear, const Vec3& translation, float* entry) {
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column)
      entry[4 * row + column] = static_cast<float>(linear(row, column));
    entry[4 * row + 3] = static_cast<float>(translation[row]);
  }
  std::fill_n(entry + 12, 4, 0.0f);
}

void write_dual(const DualQuat& rigid, float* entry) {
  for (int c = 0; c < 4; ++c) {
    entry[c] = static_cast<float>(rigid.real.coeffs()[c]);
    entry[4 + c] = static_cast<float>(rigid.dual.coeffs()[c]);
  }
}

void write_stretch(const Mat3& stretch, float* entry) {
  const double numbers[8] = {stretch(0, 0), stretch(1, 1), stretch(2, 2), 0,
                             stretch(0, 1), stretch(0, 2), stretch(1, 2), 0};
  for (int c = 0; c < 8; ++c) entry[c] = static_cast<float>(numbers[c]);
}

}  // namespace

LinearSplit split_linear(const Mat3& linear) {
  // Most joints of most frames are rigid up to the rounding of a file's floats; for them no iteration is
  // needed.
  const double deviation = (linear.transpose() * linear - Mat3::Identity()).cwiseAbs().maxCoeff();
  if (deviation < 4e-6 && linear.determinant() > 0)
    return {Quat(linear).normalized(), Mat3::Identity(), false};
  const Polar polar = polar_decomposition(linear);
  return {Quat(polar.rotation).normalized(), polar.stretch, true};
}

std::vector<Vec3> palette_heads(const SkinTable& table, std::span<const Affine3> bind) {
  std::vector<Vec3> heads;
  heads.reserve(table.palette_joints.size());
  for (const std::uint32_t j : table.palette_joints) heads.push_back(bind[j].translation());
  return heads;
}

void fill_rows(const SkinTable& table, std::span<const Affine3> matrices, Palette& rows) noexcept {
  const std::size_t count = table.palette_joints.size();
  for (std::size_t e = 0; e < count; ++e) {
    const Affine3& matrix = matrices[table.palette_joints[e]];
    write_rows(matrix.linear(), matrix.translation(), rows.entry(e));
  }
  write_rows(Mat3::Identity(), Vec3::Zero(), rows.entry(count));
}

bool fill_rigid(const SkinTable& table, std::span<const Affine3> matrices, std::span<const Vec3> heads,
                Palette& duals, Palette& stretch_rows) noexcept {
  const std::size_t count = table.palette_joints.size();
  bool stretched = false;
  for (std::size_t e = 0; e < count; ++e) {
    const Affine3& matrix = matrices[table.palette_joints[e]];
    const LinearSplit split = split_linear(matrix.linear());
    stretched = stretched || split.stretched;
    // The head is fixed by the stretch, so the rigid part alone carries it to its posed place.
    write_dual(dual_quaternion(split.rotation, matrix * heads[e] - split.rotation * heads[e]),
               duals.entry(e));
    write_rows(split.stretch, heads[e] - split.stretch * heads[e], stretch_rows.entry(e));
  }
  write_dual(DualQuat{}, duals.entry(count));
  write_rows(Mat3::Identity(), Vec3::Zero(), stretch_rows.entry(count));
  return stretched;
}

bool fill_decomposed(const SkinTable& table, std::span<const Affine3> matrices, Palette& quaternions,
                     Palette& stretches) noexcept {
  const std::size_t count = table.palette_joints.size();
  bool stretched = false;
  for (std::size_t e = 0; e < count; ++e) {
    const LinearSplit split = split_linear(matrices[table.palette_joints[e]].linear());
    stretched = stretched || split.stretched;
    write_dual(DualQuat{.real = split.rotation, .dual = Quat(0, 0, 0, 0)}, quaternions.entry(e));
    write_stretch(split.stretch, stretches.entry(e));
  }
  write_dual(DualQuat{}, quaternions.entry(count));
  write_stretch(Mat3::Identity(), stretches.entry(count));
  return stretched;
}

}  // namespace sinew
