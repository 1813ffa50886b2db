// SPDX-License-Identifier: Apache-2.0
// src/gpu/device_calls.h for the host.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstdint>

#include "gpu/half_floats.h"

namespace sinew::gpu {

template <class... Parameters, class... Arguments>
void launch_kernel(void (*kernel)(Parameters...), dim3 blocks, int threads, cudaStream_t,
                   const Arguments&... arguments) {
  on_host::launch(blocks, static_cast<unsigned>(threads), [&] { kernel(arguments...); });
}

// Lane 4 g + q has of the rows those of g and g + 8, of the columns that of g, of each the numbers 2 q, 2 q + 1
// and eight further on; of the sums the rows of g and g + 8 and the columns 2 q and 2 q + 1.
template <int kPlaces>
void multiply_on_host(float* sum, const float* from, const std::uint32_t* rows,
                      std::array<std::uint32_t, 2> columns) {
  struct Lane {
    std::array<std::uint32_t, 4> rows;
    std::array<std::uint32_t, 2> columns;
  };
  static std::array<std::array<Lane, on_host::kWarp>, 32> warps;
  std::array<Lane, on_host::kWarp>& lanes = warps[on_host::current / on_host::kWarp];
  const unsigned lane = on_host::current % on_host::kWarp, g = lane / 4, q = lane % 4;
  for (unsigned k = 0; k < 2; ++k) {
    lanes[lane].columns[k] = columns[k];
    for (unsigned r = 0; r < 2; ++r) lanes[lane].rows[2 * k + r] = 8 * k < kPlaces ? rows[2 * k + r] : 0;
  }
  on_host::sync_warp();
  const auto half = [](std::uint32_t word, unsigned place) {
    return float_of_half(word >> 16 * (place % 2) & 0xffffu);
  };
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned row = g + 8 * (k / 2), column = 2 * q + k % 2;
    sum[k] = from[k];
    for (unsigned place = 0; place < kPlaces; ++place) {
      const std::uint32_t a = lanes[4 * (row % 8) + place % 8 / 2].rows[2 * (place / 8) + row / 8];
      const std::uint32_t b = lanes[4 * column + place % 8 / 2].columns[place / 8];
      sum[k] += half(a, place) * half(b, place);
    }
  }
  on_host::sync_warp();
}
inline void multiply_16(float* sum, const float* from, const std::uint32_t* rows, std::uint32_t columns0,
                        std::uint32_t columns1) {
  multiply_on_host<16>(sum, from, rows, {columns0, columns1});
}
inline void multiply_8(float* sum, const float* from, const std::uint32_t* rows, std::uint32_t columns) {
  multiply_on_host<8>(sum, from, rows, {columns, 0});
}

}  // namespace sinew::gpu
