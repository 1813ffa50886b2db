// SPDX-License-Identifier: Apache-2.0
#pragma once

using __half = _Float16;
inline __half __float2half(float x) {
  return static_cast<__half>(x);
}
inline float __half2float(__half x) {
  return static_cast<float>(x);
}
