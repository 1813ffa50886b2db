// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sinew::test {

// Whether the sanitizers watch, with which all takes many times as long: a test that repeats the same code
// over many meshes then takes some of them, and one that holds a limit of time holds a larger one.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
inline constexpr int kSlower = kSanitized ? 20 : 1;

}  // namespace sinew::test
