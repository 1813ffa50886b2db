// SPDX-License-Identifier: Apache-2.0
// What the language of devices alone can say. tests/gpu/on_host says it for hosts.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace sinew::gpu {

template <class... Parameters, class... Arguments>
void launch_kernel(void (*kernel)(Parameters...), dim3 blocks, int threads, cudaStream_t stream,
                   const Arguments&... arguments) {
  kernel<<<blocks, threads, 0, stream>>>(arguments...);
}

// Products of matrices of half precision, 16 rows of 16 by 8 columns of 16, as the lanes of a warp hold them
// (mma.m16n8k16 in the manual of PTX), added to `from`.
__device__ inline void multiply_16(float* sum, const float* from, const std::uint32_t* rows,
                                   std::uint32_t columns0, std::uint32_t columns1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%10,%11,%12,%13};"
      : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
      : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(columns0), "r"(columns1), "f"(from[0]),
        "f"(from[1]), "f"(from[2]), "f"(from[3]));
}
// Rows and columns of 8.
__device__ inline void multiply_8(float* sum, const float* from, const std::uint32_t* rows,
                                  std::uint32_t columns) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
      : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
      : "r"(rows[0]), "r"(rows[1]), "r"(columns), "f"(from[0]), "f"(from[1]), "f"(from[2]), "f"(from[3]));
}

}  // namespace sinew::gpu
