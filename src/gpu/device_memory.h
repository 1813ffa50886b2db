// SPDX-License-Identifier: Apache-2.0
// What lies on a device during one call, and how results are written there.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "gpu/program.h"

namespace sinew::gpu {

// One chunk's arrays, from the first of all.
struct Chunks {
  double* globals;
  float *matrices, *palette, *drives, *keys;
  std::uint32_t* factors;
  ChunkSize size;
  std::int64_t poses, first;  // first: the pose that chunk 0 begins with
  float* by_pose =
      nullptr;            // for vertices that threads hold, or that are spread: what joints do, pose by pose
  float* rows = nullptr;  // where matrices go that the caller wants, a joint after the other
};

struct alignas(16) FourFloats {
  float at[4];
};

// stride, normal_stride: numbers from one pose to the next.
template <class Number>
struct Target {
  Number *positions, *normals;
  std::int64_t stride, normal_stride;
};

__device__ inline void write_number(float* to, float number) {
  __stcs(to, number);
}
__device__ inline void write_number(__half* to, float number) {
  *to = __float2half(number);
}

}  // namespace sinew::gpu
