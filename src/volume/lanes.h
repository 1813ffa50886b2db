// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <vector>

namespace sinew {

template <std::size_t L>
using Lanes = std::array<double, L>;

template <std::size_t L>
Lanes<L> lane_dot(const std::vector<double>& a, const std::vector<double>& b) {
  Lanes<L> sum{};
  for (std::size_t k = 0; k < a.size(); k += L)
    for (std::size_t l = 0; l < L; ++l) sum[l] += a[k + l] * b[k + l];
  return sum;
}

// y += s x, lane by lane.
template <std::size_t L>
void lane_axpy(const Lanes<L>& s, const std::vector<double>& x, std::vector<double>& y) {
  for (std::size_t k = 0; k < x.size(); k += L)
    for (std::size_t l = 0; l < L; ++l) y[k + l] += s[l] * x[k + l];
}

// y = x + s y, lane by lane.
template <std::size_t L>
void lane_xpay(const std::vector<double>& x, const Lanes<L>& s, std::vector<double>& y) {
  for (std::size_t k = 0; k < x.size(); k += L)
    for (std::size_t l = 0; l < L; ++l) y[k + l] = x[k + l] + s[l] * y[k + l];
}

// Columns [first, first + L) of a matrix, vertex by vertex; missing columns are 0.
template <std::size_t L>
std::vector<double> load_block(const Eigen::MatrixXd& matrix, Eigen::Index first) {
  std::vector<double> block(static_cast<std::size_t>(matrix.rows()) * L, 0.0);
  const Eigen::Index width = std::min<Eigen::Index>(L, matrix.cols() - first);
  for (Eigen::Index l = 0; l < width; ++l)
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
      block[static_cast<std::size_t>(i) * L + static_cast<std::size_t>(l)] = matrix(i, first + l);
  return block;
}

template <std::size_t L>
void store_block(const std::vector<double>& block, Eigen::Index first, Eigen::MatrixXd& matrix) {
  const Eigen::Index width = std::min<Eigen::Index>(L, matrix.cols() - first);
  for (Eigen::Index l = 0; l < width; ++l)
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
      matrix(i, first + l) = block[static_cast<std::size_t>(i) * L + static_cast<std::size_t>(l)];
}

// Calls body.operator()<L>() with how many right-hand sides go together: 8 where there are many; fewer where
// there are few, so that two cores have something to do, and on huge grids, whose vectors would not fit. By
// size alone, so that threads do not matter.
template <class Body>
void with_lanes(std::size_t vertices, Eigen::Index columns, Body&& body) {
  constexpr std::size_t kHuge = 2'000'000;
  if (columns <= 2 || vertices > kHuge)
    body.template operator()<2>();
  else if (columns <= 8)
    body.template operator()<4>();
  else
    body.template operator()<8>();
}

}  // namespace sinew
