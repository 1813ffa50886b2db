// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "gpu/rig_view.h"

namespace sinew::gpu {

template <class T>
struct Vec {
  T x, y, z;
};
using Point = Vec<float>;
using DPoint = Vec<double>;

template <class T>
SINEW_HD Vec<T> operator+(const Vec<T>& a, const Vec<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
SINEW_HD Vec<T> operator-(const Vec<T>& a, const Vec<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
SINEW_HD Vec<T> operator*(T s, const Vec<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
SINEW_HD T dot(const Vec<T>& a, const Vec<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
SINEW_HD Vec<T> cross(const Vec<T>& a, const Vec<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Rows of a 3x4 matrix. Sums begin with what needs no multiplication: each of the others is then one instruction.
template <class T>
SINEW_HD Vec<T> transform(const T* m, const Vec<T>& p) {
  return {m[3] + m[0] * p.x + m[1] * p.y + m[2] * p.z, m[7] + m[4] * p.x + m[5] * p.y + m[6] * p.z,
          m[11] + m[8] * p.x + m[9] * p.y + m[10] * p.z};
}
// start + a x b.
template <class T>
SINEW_HD Vec<T> plus_cross(const Vec<T>& start, const Vec<T>& a, const Vec<T>& b) {
  return {start.x + a.y * b.z - a.z * b.y, start.y + a.z * b.x - a.x * b.z, start.z + a.x * b.y - a.y * b.x};
}
template <class T>
SINEW_HD Vec<T> turn_by(const T* m, const Vec<T>& p) {
  return {m[0] * p.x + m[1] * p.y + m[2] * p.z, m[4] * p.x + m[5] * p.y + m[6] * p.z,
          m[8] * p.x + m[9] * p.y + m[10] * p.z};
}

SINEW_HD Point unit_or(const Point& n, const Point& otherwise) {
  const float square = dot(n, n);
  if (!(square > 1e-36f)) return otherwise;
  const float scale = 1.0f / sqrtf(square);
  return scale * n;
}

// The normal of a surface that these rows of a linear map carry along.
SINEW_HD Point carry_normal(const Point& r0, const Point& r1, const Point& r2, const Point& n) {
  const Point c0 = cross(r1, r2), c1 = cross(r2, r0), c2 = cross(r0, r1);
  const float sign = dot(r0, c0) < 0 ? -1.0f : 1.0f;
  return unit_or({sign * dot(c0, n), sign * dot(c1, n), sign * dot(c2, n)}, n);
}

template <class T>
struct Quaternion {
  T x, y, z, w;
};
template <class T>
SINEW_HD Quaternion<T> operator*(const Quaternion<T>& a, const Quaternion<T>& b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

SINEW_HD Quaternion<double> quaternion_of(const double* m) {  // of the rotation in rows of four
  const double trace = m[0] + m[5] + m[10];
  Quaternion<double> q;
  if (trace > 0) {
    const double s = 2 * sqrt(trace + 1);
    q = {(m[9] - m[6]) / s, (m[2] - m[8]) / s, (m[4] - m[1]) / s, s / 4};
  } else if (m[0] > m[5] && m[0] > m[10]) {
    const double s = 2 * sqrt(1 + m[0] - m[5] - m[10]);
    q = {s / 4, (m[1] + m[4]) / s, (m[2] + m[8]) / s, (m[9] - m[6]) / s};
  } else if (m[5] > m[10]) {
    const double s = 2 * sqrt(1 + m[5] - m[0] - m[10]);
    q = {(m[1] + m[4]) / s, s / 4, (m[6] + m[9]) / s, (m[2] - m[8]) / s};
  } else {
    const double s = 2 * sqrt(1 + m[10] - m[0] - m[5]);
    q = {(m[2] + m[8]) / s, (m[6] + m[9]) / s, s / 4, (m[4] - m[1]) / s};
  }
  const double scale = 1 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {scale * q.x, scale * q.y, scale * q.z, scale * q.w};
}

SINEW_HD void rotation_rows(const Quaternion<double>& q, double* m, int stride) {  // nine numbers
  m[0] = 1 - 2 * (q.y * q.y + q.z * q.z);
  m[1] = 2 * (q.x * q.y - q.w * q.z);
  m[2] = 2 * (q.x * q.z + q.w * q.y);
  m[stride] = 2 * (q.x * q.y + q.w * q.z);
  m[stride + 1] = 1 - 2 * (q.x * q.x + q.z * q.z);
  m[stride + 2] = 2 * (q.y * q.z - q.w * q.x);
  m[2 * stride] = 2 * (q.x * q.z - q.w * q.y);
  m[2 * stride + 1] = 2 * (q.y * q.z + q.w * q.x);
  m[2 * stride + 2] = 1 - 2 * (q.x * q.x + q.y * q.y);
}

// out = a b, 3x4 each.
SINEW_HD void multiply(const double* a, const double* b, double* out) {
  SINEW_UNROLL
  for (int r = 0; r < 3; ++r) SINEW_UNROLL
  for (int c = 0; c < 4; ++c)
    out[4 * r + c] =
        a[4 * r] * b[c] + a[4 * r + 1] * b[4 + c] + a[4 * r + 2] * b[8 + c] + (c == 3 ? a[4 * r + 3] : 0.0);
}

}  // namespace sinew::gpu
