// SPDX-License-Identifier: Apache-2.0
// The method of rotation_fit.cpp on many matrices at once: a fixed number of steps, no branches, and a flag
// for each result.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "sinew/math/rotation_fit.h"
#include "sinew/math/rotation_fit_lanes.h"

namespace sinew {
namespace {

constexpr std::size_t kLanes = 64;

using Float4 [[gnu::vector_size(16)]] = float;

struct Lanes {
  alignas(64) float m[9][kLanes];  // column-major entries, any size
  alignas(64) float q[4][kLanes];  // w, x, y, z, any length
  alignas(64) float good[kLanes];  // 1 where q is certified
};

template <class V>
[[gnu::always_inline]] inline void fit_lanes(Lanes& lanes) {
  constexpr std::size_t kWidth = sizeof(V) / sizeof(float);
  for (std::size_t l = 0; l < kLanes; l += kWidth) {
    V entry[9], q[4], good;
    for (int e = 0; e < 9; ++e) std::memcpy(&entry[e], &lanes.m[e][l], sizeof(V));
    fit_pack(entry, q, good);
    for (int c = 0; c < 4; ++c) std::memcpy(&lanes.q[c][l], &q[c], sizeof(V));
    std::memcpy(&lanes.good[l], &good, sizeof(V));
  }
}

// Wider registers where the machine has them. Contraction is off, so both give the same bits.
#if defined(__x86_64__)
using Float8 [[gnu::vector_size(32)]] = float;
[[gnu::target("avx2")]] void fit_lanes_avx2(Lanes& lanes) {
  fit_lanes<Float8>(lanes);
}
void fit_all_lanes(Lanes& lanes) {
  if (__builtin_cpu_supports("avx2"))
    fit_lanes_avx2(lanes);
  else
    fit_lanes<Float4>(lanes);
}
#else
void fit_all_lanes(Lanes& lanes) {
  fit_lanes<Float4>(lanes);
}
#endif

Eigen::Quaternionf finish(const Lanes& lanes, std::size_t l, const Eigen::Matrix3f& matrix) {
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
  Lanes lanes;
  for (std::size_t begin = 0; begin < matrices.size(); begin += kLanes) {
    const std::size_t count = std::min<std::size_t>(kLanes, matrices.size() - begin);
    for (std::size_t l = 0; l < kLanes; ++l)
      for (int e = 0; e < 9; ++e) lanes.m[e][l] = l < count ? matrices[begin + l].data()[e] : 0.0f;
    fit_all_lanes(lanes);
    for (std::size_t l = 0; l < count; ++l) rotations[begin + l] = finish(lanes, l, matrices[begin + l]);
  }
}

}  // namespace sinew
