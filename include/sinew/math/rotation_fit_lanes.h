// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sinew {

/// A vector q (any length) that the symmetric matrix a of rank 3 takes to zero: the column of its adjugate
/// with the largest diagonal. Straight-line code, so that a loop over it becomes SIMD.
template <class T>
[[gnu::always_inline]] inline void null_vector(const T& a00, const T& a01, const T& a02, const T& a03,
                                               const T& a11, const T& a12, const T& a13, const T& a22,
                                               const T& a23, const T& a33, T* q) {
  const T s0 = a00 * a11 - a01 * a01, s1 = a00 * a12 - a01 * a02, s2 = a00 * a13 - a01 * a03;
  const T s3 = a01 * a12 - a11 * a02, s4 = a01 * a13 - a11 * a03, s5 = a02 * a13 - a12 * a03;
  const T c5 = a22 * a33 - a23 * a23, c4 = a12 * a33 - a13 * a23, c3 = a12 * a23 - a13 * a22;
  const T c2 = a02 * a33 - a03 * a23, c1 = a02 * a23 - a03 * a22;
  const T b00 = a11 * c5 - a12 * c4 + a13 * c3, b01 = -a01 * c5 + a02 * c4 - a03 * c3;
  const T b02 = a13 * s5 - a23 * s4 + a33 * s3, b03 = -a12 * s5 + a22 * s4 - a23 * s3;
  const T b11 = a00 * c5 - a02 * c2 + a03 * c1, b12 = -a03 * s5 + a23 * s2 - a33 * s1;
  const T b13 = a02 * s5 - a22 * s2 + a23 * s1, b22 = a03 * s4 - a13 * s2 + a33 * s0;
  const T b23 = -a02 * s4 + a12 * s2 - a23 * s0, b33 = a02 * s3 - a12 * s1 + a22 * s0;
  const T size0 = b00 < 0 ? -b00 : b00, size1 = b11 < 0 ? -b11 : b11;
  const T size2 = b22 < 0 ? -b22 : b22, size3 = b33 < 0 ? -b33 : b33;
  const auto one = size1 > size0, three = size3 > size2;
  const T low = one ? size1 : size0, high = three ? size3 : size2;
  const auto upper = high > low;
  const T low0 = one ? b01 : b00, low1 = one ? b11 : b01, low2 = one ? b12 : b02, low3 = one ? b13 : b03;
  const T high0 = three ? b03 : b02, high1 = three ? b13 : b12, high2 = three ? b23 : b22,
          high3 = three ? b33 : b23;
  q[0] = upper ? high0 : low0;
  q[1] = upper ? high1 : low1;
  q[2] = upper ? high2 : low2;
  q[3] = upper ? high3 : low3;
}

/// One Newton step on the rotation group from q (any length, kept bounded). m has norm 1. Returns |step|^2, or
/// 1 where the Hessian is not safely positive definite.
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

/// The rotation of fit_rotation for lanes of matrices at once: `entry` column-major, any size; q (w, x, y, z)
/// of any length; good is 1 where q is certified, and where it is 0 the caller uses fit_rotation. V is float
/// or a vector of floats (gnu::vector_size). Straight-line code without fused operations: the same bits for
/// any width.
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

}  // namespace sinew
