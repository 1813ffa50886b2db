# SPDX-License-Identifier: Apache-2.0
# Files *_kernel.cpp are compiled once per instruction set by Highway, which picks the best one at run time. These settings
# hold for all of them.

# sinew_kernels(): sets the options of every kernel, for targets that are made in the calling folder.
function(sinew_kernels)
  file(GLOB kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*_kernel.cpp)
  # Vectors of unknown length cannot be kept in arrays. SSSE3 without SSE4 is rare enough to be emulated.
  set(disabled "HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128|HWY_RVV|HWY_SSSE3")
  # Sanitized builds skip AVX2, whose code is that of AVX-512 but for a few steps: checks make it slow to compile.
  if(SINEW_SANITIZE MATCHES address)
    string(APPEND disabled "|HWY_AVX2")
  endif()
  # Highway falls back to one-lane code on compilers that miscompile 16-bit multiplications of its emulated vectors (GCC
  # before 12.3). Our kernels have none, and need vectors of four.
  set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_DEFINITIONS HWY_BROKEN_EMU128=0 "HWY_DISABLED_TARGETS=(${disabled})")
  # Where the compiler may use SSE4.2 it is the least that is asked for, also without the instructions for encryption;
  # emulated vectors are then not compiled, which took half the time.
  set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_DEFINITIONS HWY_DISABLE_PCLMUL_AES)
  if(NOT SINEW_SSE2 AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_OPTIONS -msse4.2)
  endif()
endfunction()
