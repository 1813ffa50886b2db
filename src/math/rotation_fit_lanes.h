// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sinew {

// A vector q (any length) that the symmetric matrix a of rank 3 takes to zero: the column of its adjugate
// with the largest diagonal. Straight-line code, so that a loop over it becomes SIMD.
template <class T>
inline void null_vector(const T& a00, const T& a01, const T& a02, const T& a03, const T& a11, const T& a12,
                        const T& a13, const T& a22, const T& a23, const T& a33, T* q) {
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

}  // namespace sinew
