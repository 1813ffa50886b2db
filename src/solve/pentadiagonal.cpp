// SPDX-License-Identifier: Apache-2.0
#include "sinew/solve/pentadiagonal.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <string>

namespace sinew {

Result<Pentadiagonal> Pentadiagonal::factor(Kind kind, std::span<const double> main,
                                            std::span<const double> first, std::span<const double> second) {
  const std::size_t n = main.size();
  assert(n >= (kind == Kind::kCyclic ? 5u : 1u) && first.size() == n && second.size() == n);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(main[i]));
  Pentadiagonal a;
  a.pivots_.resize(n);
  a.below_.assign(n, 0.0);      // L(i + 1, i)
  a.far_below_.assign(n, 0.0);  // L(i + 2, i)
  for (std::size_t i = 0; i < n; ++i) {
    double pivot = main[i];
    if (i >= 1) pivot -= a.below_[i - 1] * a.below_[i - 1] / a.pivots_[i - 1];
    if (i >= 2) pivot -= a.far_below_[i - 2] * a.far_below_[i - 2] / a.pivots_[i - 2];
    if (!(std::abs(pivot) > 1e-14 * largest) || !std::isfinite(pivot))
      return impossible("the pentadiagonal system of equations is singular at row " + std::to_string(i));
    a.pivots_[i] = 1 / pivot;
    double next = i + 1 < n ? first[i] : 0;
    if (i >= 1 && i + 1 < n) next -= a.far_below_[i - 1] * a.below_[i - 1] / a.pivots_[i - 1];
    a.below_[i] = next / pivot;
    a.far_below_[i] = i + 2 < n ? second[i] / pivot : 0;
  }
  if (kind == Kind::kOpen) return a;

  a.near_ = first[n - 1];
  a.far_[0] = second[n - 2];
  a.far_[1] = second[n - 1];
  a.corner_columns_.assign(4 * n, 0.0);
  const std::array<std::size_t, 4> rows = {0, 1, n - 2, n - 1};
  for (std::size_t c = 0; c < 4; ++c) a.corner_columns_[4 * rows[c] + c] = 1;
  a.solve_band(a.corner_columns_.data(), 4);
  const auto column = [&](std::size_t row) { return Eigen::RowVector4d::Map(&a.corner_columns_[4 * row]); };
  Eigen::Matrix4d inverse = Eigen::Matrix4d::Identity();
  inverse.row(0) += a.far_[0] * column(n - 2) + a.near_ * column(n - 1);
  inverse.row(1) += a.far_[1] * column(n - 1);
  inverse.row(2) += a.far_[0] * column(0);
  inverse.row(3) += a.near_ * column(0) + a.far_[1] * column(1);
  const Eigen::FullPivLU<Eigen::Matrix4d> lu(inverse);
  if (!lu.isInvertible() || !inverse.allFinite())
    return impossible("the cyclic pentadiagonal system of equations is singular");
  a.capacitance_ = lu.inverse();
  return a;
}

void Pentadiagonal::solve_band(double* x, std::size_t columns) const {
  const std::size_t n = size();
  for (std::size_t i = 1; i < n; ++i) {
    double* const row = x + i * columns;
    const double near = below_[i - 1], far = i >= 2 ? far_below_[i - 2] : 0;
    const double* const before = row - columns;
    const double* const twice = i >= 2 ? before - columns : before;
    for (std::size_t c = 0; c < columns; ++c) row[c] -= near * before[c] + far * twice[c];
  }
  for (std::size_t i = n; i-- > 0;) {
    double* const row = x + i * columns;
    const double near = i + 1 < n ? below_[i] : 0, far = i + 2 < n ? far_below_[i] : 0;
    const double* const after = i + 1 < n ? row + columns : row;
    const double* const twice = i + 2 < n ? after + columns : after;
    for (std::size_t c = 0; c < columns; ++c) row[c] = row[c] * pivots_[i] - near * after[c] - far * twice[c];
  }
}

void Pentadiagonal::solve(std::span<double> x, std::size_t columns) const {
  const std::size_t n = size();
  assert(x.size() == n * columns);
  solve_band(x.data(), columns);
  if (corner_columns_.empty()) return;
  const auto row = [&](std::size_t i) { return x.data() + i * columns; };
  for (std::size_t c = 0; c < columns; ++c) {
    const Eigen::Vector4d corner(far_[0] * row(n - 2)[c] + near_ * row(n - 1)[c], far_[1] * row(n - 1)[c],
                                 far_[0] * row(0)[c], near_ * row(0)[c] + far_[1] * row(1)[c]);
    const Eigen::Vector4d amount = capacitance_ * corner;
    for (std::size_t i = 0; i < n; ++i) {
      const double* const w = &corner_columns_[4 * i];
      row(i)[c] -= w[0] * amount[0] + w[1] * amount[1] + w[2] * amount[2] + w[3] * amount[3];
    }
  }
}

}  // namespace sinew
