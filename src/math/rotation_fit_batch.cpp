// SPDX-License-Identifier: Apache-2.0
// The method of rotation_fit.cpp on many matrices at once: a fixed number of steps, no branches, and a flag
// for each result.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "math/rotation_fit_lanes.h"
#include "sinew/math/rotation_fit.h"

namespace sinew {
namespace {

constexpr std::size_t kLanes = 64;

using Float4 [[gnu::vector_size(16)]] = float;

struct Lanes {
  alignas(64) float m[9][kLanes];  // column-major entries, any size
  alignas(64) float q[4][kLanes];  // w, x, y, z, any length
  alignas(64) float good[kLanes];  // 1 where q is certified
};

// One Newton step on the rotation group from q (any length, kept bounded). m has norm 1. Returns |step|^2, or
// 1 where the Hessian is not safely positive definite.
template <class V>
[[gnu::always_inline]] inline void climb_step(const V* m, V* q, V& size) {
  const V one = V{} + 1.0f;
  const V scale = 2.0f / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const V x = q[1] * scale, y = q[2] * scale, z = q[3] * scale;
  const V wx = x * q[0], wy = y * q[0], wz = z * q[0], xx = x * q[1], xy = x * q[2], xz = x * q[3];
  const V yy = y * q[2], yz = y * q[3], zz = z * q[3];
  const V r00 = 1.0f - yy - zz, r10 = xy + wz, r20 = xz - wy;
  const V r01 = xy - wz, r11 = 1.0f - xx - zz, r21 = yz + wx;
  const V r02 = xz + wy, r12 = yz - wx, r22 = 1.0f - xx - yy;
  const V a00 = r00 * m[0] + r10 * m[1] + r20 * m[2], a10 = r01 * m[0] + r11 * m[1] + r21 * m[2];
  const V a20 = r02 * m[0] + r12 * m[1] + r22 * m[2], a01 = r00 * m[3] + r10 * m[4] + r20 * m[5];
  const V a11 = r01 * m[3] + r11 * m[4] + r21 * m[5], a21 = r02 * m[3] + r12 * m[4] + r22 * m[5];
  const V a02 = r00 * m[6] + r10 * m[7] + r20 * m[8], a12 = r01 * m[6] + r11 * m[7] + r21 * m[8];
  const V a22 = r02 * m[6] + r12 * m[7] + r22 * m[8];
  const V g0 = a21 - a12, g1 = a02 - a20, g2 = a10 - a01;
  const V h00 = a11 + a22, h11 = a00 + a22, h22 = a00 + a11, trace = a00 + h00;
  const V h01 = -0.5f * (a01 + a10), h02 = -0.5f * (a02 + a20), h12 = -0.5f * (a12 + a21);
  const V c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22, c02 = h01 * h12 - h02 * h11;
  const V c11 = h00 * h22 - h02 * h02, c12 = h01 * h02 - h00 * h12, c22 = h00 * h11 - h01 * h01;
  const V determinant = h00 * c00 + h01 * c01 + h02 * c02;
  const auto safe = (h00 > 0.0f) & (c22 > 0.0f) & (determinant > 2e-3f * trace * trace);
  const V inverse = 1.0f / (safe ? determinant : one);
  const V t0 = (c00 * g0 + c01 * g1 + c02 * g2) * inverse, t1 = (c01 * g0 + c11 * g1 + c12 * g2) * inverse;
  const V t2 = (c02 * g0 + c12 * g1 + c22 * g2) * inverse;
  const V u0 = 0.5f * t0, u1 = 0.5f * t1, u2 = 0.5f * t2;
  const V w = q[0], i = q[1], j = q[2], k = q[3];
  q[0] = w - i * u0 - j * u1 - k * u2;
  q[1] = i + w * u0 + j * u2 - k * u1;
  q[2] = j + w * u1 + k * u0 - i * u2;
  q[3] = k + w * u2 + i * u1 - j * u0;
  size = safe ? t0 * t0 + t1 * t1 + t2 * t2 : one;
}

// q and the certificate of one matrix; straight-line.
template <class V>
[[gnu::always_inline]] inline void fit_pack(const V* entry, V* q, V& good) {
  const V zero = V{}, one = zero + 1.0f;
  V largest = zero;
  for (int e = 0; e < 9; ++e) {
    const V size = entry[e] < zero ? -entry[e] : entry[e];
    largest = size > largest ? size : largest;
  }
  const auto usable = (largest > 1e-30f) & (largest < 1e30f);
  const V by_size = 1.0f / (usable ? largest : one);
  V m[9], squares = zero;
  for (int e = 0; e < 9; ++e) {
    m[e] = entry[e] * by_size;
    squares += m[e] * m[e];
  }
  // The root of 1..9 by Heron's method: there is no operator for it.
  V norm = 0.5f + 0.36f * squares;
  for (int step = 0; step < 3; ++step) norm = 0.5f * (norm + squares / norm);
  const V by_norm = 1.0f / norm;
  for (int e = 0; e < 9; ++e) m[e] *= by_norm;

  const V k00 = m[4] * m[8] - m[5] * m[7], k10 = m[5] * m[6] - m[3] * m[8], k20 = m[3] * m[7] - m[4] * m[6];
  const V k01 = m[7] * m[2] - m[8] * m[1], k11 = m[8] * m[0] - m[6] * m[2], k21 = m[6] * m[1] - m[7] * m[0];
  const V k02 = m[1] * m[5] - m[2] * m[4], k12 = m[2] * m[3] - m[0] * m[5], k22 = m[0] * m[4] - m[1] * m[3];
  const V minors = k00 * k00 + k10 * k10 + k20 * k20 + k01 * k01 + k11 * k11 + k21 * k21 + k02 * k02 +
                   k12 * k12 + k22 * k22;
  const V determinant = m[0] * k00 + m[1] * k10 + m[2] * k20;
  V l = zero + 1.7320508f;
  for (int step = 0; step < 6; ++step) {
    const V excess = l * l - 1.0f, slope = 4.0f * l * excess - 8.0f * determinant;
    l -= (excess * excess - 8.0f * determinant * l - 4.0f * minors) / (slope > 1e-4f ? slope : zero + 1e-4f);
  }
  null_vector<V>(m[0] + m[4] + m[8] - l, m[5] - m[7], m[6] - m[2], m[1] - m[3], m[0] - m[4] - m[8] - l,
                 m[1] + m[3], m[2] + m[6], m[4] - m[0] - m[8] - l, m[5] + m[7], m[8] - m[0] - m[4] - l, q);
  const V length = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  q[0] = length > 1e-12f ? q[0] : one;
  V size;
  climb_step(m, q, size);
  climb_step(m, q, size);
  good = (size < 1e-6f) & usable ? one : zero;
}

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
