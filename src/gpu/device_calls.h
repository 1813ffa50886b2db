// SPDX-License-Identifier: Apache-2.0
// What the language of devices alone can say. tests/gpu/on_host says it for hosts.
#pragma once

#include <cuda_runtime.h>

namespace sinew::gpu {

template <class... Parameters, class... Arguments>
void launch_kernel(void (*kernel)(Parameters...), dim3 blocks, int threads, cudaStream_t stream,
                   const Arguments&... arguments) {
  kernel<<<blocks, threads, 0, stream>>>(arguments...);
}

}  // namespace sinew::gpu
