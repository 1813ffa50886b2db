// SPDX-License-Identifier: Apache-2.0
// Floats as sums of two numbers of half precision, which together have 22 bits.
#pragma once

#include <bit>
#include <cstdint>

#include "gpu/rig_view.h"

#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

namespace sinew::gpu {

// To the nearest, ties to even; beyond the largest it becomes infinite.
inline std::uint32_t half_of_float(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t whole = bits & 0x7fffffffu;
  if (whole >= 0x47800000u) return sign | (whole > 0x7f800000u ? 0x7e00u : 0x7c00u);
  if (whole < 0x38800000u) {  // below the smallest normal one: adding 1/2 puts its bits in place
    const float shifted = std::bit_cast<float>(whole) + 0.5f;
    return sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u);
  }
  const std::uint32_t odd = whole >> 13 & 1u;
  return sign | (whole - 0x38000000u + 0xfffu + odd) >> 13;
}
inline float float_of_half(std::uint32_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31u, rest = half & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | rest << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | rest << 13);
  const float small = static_cast<float>(rest) * 5.9604644775390625e-8f;
  return sign != 0 ? -small : small;
}

struct Halves {
  std::uint32_t high, low;  // bits
};
SINEW_HD Halves split_halves(float x) {
#ifdef __CUDA_ARCH__
  const __half high = __float2half_rn(x), low = __float2half_rn(x - __half2float(high));
  return {__half_as_ushort(high), __half_as_ushort(low)};
#else
  const std::uint32_t high = half_of_float(x);
  return {high, half_of_float(x - float_of_half(high))};
#endif
}

}  // namespace sinew::gpu
