// SPDX-License-Identifier: Apache-2.0
// As much of CUDA as the kernels use, on the host: a fibre is a thread, blocks run one after the other. Memory is
// the heap's, so that memory checkers see what kernels do beyond it.
#pragma once

#include <ucontext.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ static

struct dim3 {
  unsigned x, y;
  dim3(unsigned in_x = 1, unsigned in_y = 1) : x(in_x), y(in_y) {}
};
inline dim3 threadIdx, blockIdx, blockDim;

namespace on_host {

inline constexpr unsigned kWarp = 32;
struct Fibre {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(1 << 17);
  bool done = false;
  unsigned block_barriers = 0, warp_barriers = 0;  // that it has come to
};
inline std::vector<Fibre> fibres;
inline ucontext_t scheduler;
inline unsigned current = 0;
inline std::function<void()> body;

inline void yield() {
  swapcontext(&fibres[current].context, &scheduler);
}
inline void run_body() {
  body();
  fibres[current].done = true;
  yield();
}
inline void run_block(dim3 block) {
  for (Fibre& fibre : fibres) {
    getcontext(&fibre.context);
    fibre.context.uc_stack.ss_sp = fibre.stack.data();
    fibre.context.uc_stack.ss_size = fibre.stack.size();
    fibre.done = false;
    fibre.block_barriers = fibre.warp_barriers = 0;
    makecontext(&fibre.context, run_body, 0);
  }
  for (bool any = true; any;) {
    any = false;
    for (current = 0; current < fibres.size(); ++current) {
      if (fibres[current].done) continue;
      any = true;
      threadIdx = current;
      blockIdx = block;
      swapcontext(&scheduler, &fibres[current].context);
    }
  }
}
inline void launch(dim3 blocks, unsigned threads, std::function<void()> kernel) {
  body = std::move(kernel);
  blockDim = threads;
  fibres = std::vector<Fibre>(threads);
  for (unsigned y = 0; y < blocks.y; ++y)
    for (unsigned x = 0; x < blocks.x; ++x) run_block({x, y});
}

// Waits until all fibres from first on have come as far, or ended.
inline void wait(unsigned first, unsigned count, unsigned Fibre::*barriers) {
  const unsigned here = ++(fibres[current].*barriers);
  for (unsigned i = first; i < first + count && i < fibres.size();)
    if (fibres[i].done || fibres[i].*barriers >= here)
      ++i;
    else
      yield();
}
inline void sync_warp() {
  wait(current / kWarp * kWarp, kWarp, &Fibre::warp_barriers);
}

}  // namespace on_host

inline void __syncthreads() {
  on_host::wait(0, static_cast<unsigned>(on_host::fibres.size()), &on_host::Fibre::block_barriers);
}
inline void __syncwarp() {
  on_host::sync_warp();
}
template <class T>
void __stcs(T* p, T value) {
  *p = value;
}

using cudaError_t = int;
using cudaStream_t = void*;
using cudaMemPool_t = void*;
enum {
  cudaSuccess,
  cudaErrorMemoryAllocation,
  cudaMemcpyHostToDevice,
  cudaMemPoolAttrReleaseThreshold,
  cudaDevAttrMultiProcessorCount,
};
inline cudaError_t cudaMalloc(void** p, std::size_t bytes) {
  *p = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaMallocAsync(void** p, std::size_t bytes, cudaStream_t) {
  return cudaMalloc(p, bytes);
}
inline cudaError_t cudaFree(void* p) {
  std::free(p);
  return cudaSuccess;
}
inline cudaError_t cudaFreeAsync(void* p, cudaStream_t) {
  return cudaFree(p);
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, int) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
inline const char* cudaGetErrorString(cudaError_t) {
  return "";
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, int, int) {
  *value = 1;
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int) {
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, int, void*) {
  return cudaSuccess;
}
