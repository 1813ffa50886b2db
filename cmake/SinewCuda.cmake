# SPDX-License-Identifier: Apache-2.0
# Deformers on the GPU where nvcc is found and SINEW_CUDA is not OFF; without it the module says that there is no device.
# For Ampere and later: products of 16 x 16 halves need 8.0. Binary code for the large ones; for the rest the driver compiles what
# was compiled here for the lowest of them, so that it is known to compile.
set(SINEW_CUDA_ARCHITECTURES "80-real;90-real;80-virtual" CACHE STRING "CUDA architectures to build for")
option(SINEW_CUDA "build deformers for CUDA devices where nvcc is found" ON)

macro(sinew_cuda)  # a macro: languages are enabled where it is called
  find_program(SINEW_NVCC nvcc PATHS /usr/local/cuda/bin)
  if(SINEW_CUDA AND NOT SINEW_SANITIZE AND SINEW_NVCC)
    set(CMAKE_CUDA_COMPILER ${SINEW_NVCC})
    set(CMAKE_CUDA_ARCHITECTURES ${SINEW_CUDA_ARCHITECTURES})
    set(CMAKE_CUDA_STANDARD 20)
    enable_language(CUDA)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)  # which CMake 3.25 does not know
    find_package(CUDAToolkit REQUIRED)
    # A library of its own: the flags of C++ are not nvcc's.
    add_library(sinew_gpu_kernels OBJECT ${PROJECT_SOURCE_DIR}/src/gpu/device_deformer.cu)
    target_include_directories(sinew_gpu_kernels PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_sources(sinew_gpu PRIVATE $<TARGET_OBJECTS:sinew_gpu_kernels>)
    target_link_libraries(sinew_gpu PUBLIC CUDA::cudart_static)
    target_compile_definitions(sinew_gpu PUBLIC SINEW_HAS_CUDA)
    set(SINEW_HAS_CUDA ON)
  else()
    target_sources(sinew_gpu PRIVATE ${PROJECT_SOURCE_DIR}/src/gpu/none/device_deformer.cpp)
    set(SINEW_HAS_CUDA OFF)
  endif()
endmacro()
