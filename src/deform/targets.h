// SPDX-License-Identifier: Apache-2.0
// Included before Highway by every kernel: which targets it compiles.
#pragma once

// Highway falls back to one-lane code on compilers that miscompile 16-bit multiplications of its emulated
// vectors (GCC before 12.3). Our kernels have none, and need vectors of four.
#define HWY_BROKEN_EMU128 0

// Where the compiler may use SSE4.2 it is the least that is asked for, also without the instructions for
// encryption; emulated vectors are then not compiled, which took half the time.
#define HWY_DISABLE_PCLMUL_AES

// Vectors of unknown length cannot be kept in arrays. SSSE3 without SSE4 is rare enough to be emulated.
// Sanitized builds skip AVX2, whose code is that of AVX-512 but for one kernel: checks make it slow to
// compile.
#if defined(__SANITIZE_ADDRESS__)
#define SINEW_SKIPPED_TARGETS HWY_AVX2
#else
#define SINEW_SKIPPED_TARGETS 0
#endif
#define HWY_DISABLED_TARGETS \
  (SINEW_SKIPPED_TARGETS | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)
