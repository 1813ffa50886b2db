// SPDX-License-Identifier: Apache-2.0
// src/gpu/device_calls.h for the host.
#pragma once

#include <cuda_runtime.h>

namespace sinew::gpu {

template <class... Parameters, class... Arguments>
void launch_kernel(void (*kernel)(Parameters...), dim3 blocks, int threads, cudaStream_t,
                   const Arguments&... arguments) {
  on_host::launch(blocks, static_cast<unsigned>(threads), [&] { kernel(arguments...); });
}

}  // namespace sinew::gpu
