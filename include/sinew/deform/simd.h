// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sinew {

/// The instruction set that the deformers' kernels run with on this processor, chosen once at run time of
/// those that were compiled: "SSE4.2", "AVX2", "AVX-512", "NEON", "WASM"; another one by the name that
/// Highway has for it.
std::string_view simd_target();

}  // namespace sinew
