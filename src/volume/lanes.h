// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <vector>

#include "volume/csr.h"

namespace sinew {

using Lanes = std::array<double, kLanes>;

inline Lanes lane_dot(const std::vector<double>& a, const std::vector<double>& b) {
  Lanes sum{};
  for (std::size_t k = 0; k < a.size(); k += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) sum[l] += a[k + l] * b[k + l];
  return sum;
}

// y += s x, lane by lane.
inline void lane_axpy(const Lanes& s, const std::vector<double>& x, std::vector<double>& y) {
  for (std::size_t k = 0; k < x.size(); k += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) y[k + l] += s[l] * x[k + l];
}

// y = x + s y, lane by lane.
inline void lane_xpay(const std::vector<double>& x, const Lanes& s, std::vector<double>& y) {
  for (std::size_t k = 0; k < x.size(); k += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) y[k + l] = x[k + l] + s[l] * y[k + l];
}

// Columns [first, first + kLanes) of a matrix, vertex by vertex; missing columns are 0.
inline std::vector<double> load_block(const Eigen::MatrixXd& matrix, Eigen::Index first) {
  std::vector<double> block(static_cast<std::size_t>(matrix.rows()) * kLanes, 0.0);
  const Eigen::Index width = std::min<Eigen::Index>(kLanes, matrix.cols() - first);
  for (Eigen::Index l = 0; l < width; ++l)
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
      block[static_cast<std::size_t>(i) * kLanes + static_cast<std::size_t>(l)] = matrix(i, first + l);
  return block;
}

inline void store_block(const std::vector<double>& block, Eigen::Index first, Eigen::MatrixXd& matrix) {
  const Eigen::Index width = std::min<Eigen::Index>(kLanes, matrix.cols() - first);
  for (Eigen::Index l = 0; l < width; ++l)
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
      matrix(i, first + l) = block[static_cast<std::size_t>(i) * kLanes + static_cast<std::size_t>(l)];
}

}  // namespace sinew
