// SPDX-License-Identifier: Apache-2.0
#include "deform/palette.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/dual_quaternion.h"
#include "sinew/math/polar.h"

namespace sinew {
namespace {

MatrixEntry matrix_entry(const Mat3& linear, const Vec3& translation) {
  MatrixEntry entry;
  const Rows rows = rows_of(linear, translation);
  std::copy_n(rows.at, 12, entry.rows);
  return entry;
}

DualEntry dual_entry(const DualQuat& rigid) {
  DualEntry entry;
  put_numbers(rigid.real, entry.real);
  put_numbers(rigid.dual, entry.dual);
  return entry;
}

SymmetricEntry symmetric_entry(const Mat3& m) {
  const auto number = [&m](Eigen::Index row, Eigen::Index column) {
    return static_cast<float>(m(row, column));
  };
  return {{number(0, 0), number(1, 1), number(2, 2), 0}, {number(0, 1), number(0, 2), number(1, 2), 0}};
}

}  // namespace

Rows rows_of(const Mat3& linear, const Vec3& translation) {
  Rows rows;
  float* out = rows.at;
  for (Eigen::Index row = 0; row < 3; ++row) {
    for (Eigen::Index column = 0; column < 3; ++column) *out++ = static_cast<float>(linear(row, column));
    *out++ = static_cast<float>(translation[row]);
  }
  return rows;
}

void put_numbers(const Quat& q, float (&out)[4]) {
  for (Eigen::Index k = 0; k < 4; ++k) out[k] = static_cast<float>(q.coeffs()[k]);
}

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

void fill_rows(const SkinTable& table, std::span<const Affine3> matrices,
               Palette<MatrixEntry>& rows) noexcept {
  const std::size_t count = table.palette_joints.size();
  for (std::size_t e = 0; e < count; ++e) {
    const Affine3& matrix = matrices[table.palette_joints[e]];
    rows[e] = matrix_entry(matrix.linear(), matrix.translation());
  }
  rows[count] = matrix_entry(Mat3::Identity(), Vec3::Zero());
}

bool fill_rigid(const SkinTable& table, std::span<const Affine3> matrices, std::span<const Vec3> heads,
                Palette<DualEntry>& duals, Palette<MatrixEntry>& stretch_rows) noexcept {
  const std::size_t count = table.palette_joints.size();
  bool stretched = false;
  for (std::size_t e = 0; e < count; ++e) {
    const Affine3& matrix = matrices[table.palette_joints[e]];
    const LinearSplit split = split_linear(matrix.linear());
    stretched = stretched || split.stretched;
    // The head is fixed by the stretch, so the rigid part alone carries it to its posed place.
    duals[e] = dual_entry(dual_quaternion(split.rotation, matrix * heads[e] - split.rotation * heads[e]));
    stretch_rows[e] = matrix_entry(split.stretch, heads[e] - split.stretch * heads[e]);
  }
  duals[count] = dual_entry(DualQuat{});
  stretch_rows[count] = matrix_entry(Mat3::Identity(), Vec3::Zero());
  return stretched;
}

bool fill_decomposed(const SkinTable& table, std::span<const Affine3> matrices,
                     Palette<DualEntry>& quaternions, Palette<SymmetricEntry>& stretches) noexcept {
  const std::size_t count = table.palette_joints.size();
  bool stretched = false;
  for (std::size_t e = 0; e < count; ++e) {
    const LinearSplit split = split_linear(matrices[table.palette_joints[e]].linear());
    stretched = stretched || split.stretched;
    quaternions[e] = dual_entry({.real = split.rotation, .dual = Quat(0, 0, 0, 0)});
    stretches[e] = symmetric_entry(split.stretch);
  }
  quaternions[count] = dual_entry(DualQuat{});
  stretches[count] = symmetric_entry(Mat3::Identity());
  return stretched;
}

}  // namespace sinew
