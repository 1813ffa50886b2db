// SPDX-License-Identifier: Apache-2.0
// The method of rotation_fit.cpp on many matrices at once: a fixed number of steps, no branches, and a flag
// for each result.
#include <algorithm>
#include <cassert>

#include "math/rotation_fit_kernel.h"
#include "sinew/math/rotation_fit.h"

namespace sinew {
namespace {

Eigen::Quaternionf finish(const RotationLanes& lanes, std::size_t l, const Eigen::Matrix3f& matrix) {
  if (lanes.good[l] != 1.0f) {
    Quat q = fit_rotation(matrix.cast<double>());
    if (q.w() < 0) q.coeffs() = -q.coeffs();
    return q.cast<float>();
  }
  Eigen::Quaternionf q(lanes.q[0][l], lanes.q[1][l], lanes.q[2][l], lanes.q[3][l]);
  q.coeffs() *= (q.w() < 0 ? -1.0f : 1.0f) / q.coeffs().norm();
  return q;
}

}  // namespace

void fit_rotations(std::span<const Eigen::Matrix3f> matrices,
                   std::span<Eigen::Quaternionf> rotations) noexcept {
  assert(matrices.size() == rotations.size());
  constexpr std::size_t kLanes = RotationLanes::kCount;
  RotationLanes lanes;
  for (std::size_t begin = 0; begin < matrices.size(); begin += kLanes) {
    const std::size_t count = std::min<std::size_t>(kLanes, matrices.size() - begin);
    for (std::size_t l = 0; l < kLanes; ++l)
      for (int e = 0; e < 9; ++e) lanes.m[e][l] = l < count ? matrices[begin + l].data()[e] : 0.0f;
    fit_lanes(lanes);
    for (std::size_t l = 0; l < count; ++l) rotations[begin + l] = finish(lanes, l, matrices[begin + l]);
  }
}

}  // namespace sinew
