# SPDX-License-Identifier: Apache-2.0
# What a build can be asked for, and the compiler flags that follow.
option(SINEW_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(SINEW_BENCH "Build the benchmarks into the program" ON)
option(SINEW_STUDIO "Build the studio's server into the program" ON)
option(SINEW_PYTHON_PACKAGE "Build the Python package (needs nanobind)" OFF)
set(SINEW_PYTHON_TOOLS "" CACHE FILEPATH "A Python that has nanobind; empty: the one that CMake finds")
option(SINEW_SSE2 "Run on x86-64 processors without SSE4.2 (made before 2011), too: the kernels take twice as long to compile" OFF)
option(SINEW_FUZZ "Build the fuzz targets (clang)" OFF)
# Other compilers warn of other things, some of which are not there: those must not stop somebody's first build.
set(tested_compiler OFF)
if(PROJECT_IS_TOP_LEVEL AND "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" MATCHES "^(GNU 12|Clang 14)\\.")
  set(tested_compiler ON)
endif()
option(SINEW_WERROR "Treat warnings as errors" ${tested_compiler})
set(SINEW_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
if(PROJECT_IS_TOP_LEVEL)
  find_program(CCACHE ccache)
  if(CCACHE)
    # Paths below the checkout count as relative, so that one checkout profits from what another has compiled.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  endif()
endif()

add_library(sinew_flags INTERFACE)
target_compile_options(sinew_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  $<$<BOOL:${SINEW_WERROR}>:-Werror>
  # GCC 12 sees overlaps in every `"text" + std::string` that are not there (its bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # Floating-point contraction would make results depend on the compiler's mood.
  -ffp-contract=off
  # The compiler's own garbage collector, which runs far too often for templates: a tenth of the time.
  $<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-expand=200 --param ggc-min-heapsize=600000>)
if(SINEW_SANITIZE)
  target_compile_options(sinew_flags INTERFACE -fsanitize=${SINEW_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    # A check of every pointer before each use is two fifths of what GCC spends here. A null pointer that is used stops under
    # the address sanitizer as well; the fuzzers, which clang compiles, check all of it.
    $<$<CXX_COMPILER_ID:GNU>:-fno-sanitize=null,alignment,object-size,vptr>
    # Which GCC sees everywhere in Eigen once the sanitizers' own code stands in between, as its manual warns.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(sinew_flags INTERFACE -fsanitize=${SINEW_SANITIZE})
endif()
