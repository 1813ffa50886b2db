// SPDX-License-Identifier: Apache-2.0
// What the language of devices alone can say. tests/gpu/on_host says it for hosts.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace sinew::gpu {

template <class... Parameters, class... Arguments>
void launch_kernel(void (*kernel)(Parameters...), dim3 blocks, int threads, cudaStream_t stream,
                   const Arguments&... arguments) {
  kernel<<<blocks, threads, 0, stream>>>(arguments...);
}
// With so many bytes of shared memory, which begin at shared_floats().
template <class... Parameters, class... Arguments>
void launch_kernel_with(std::int64_t bytes, void (*kernel)(Parameters...), dim3 blocks, int threads,
                        cudaStream_t stream, const Arguments&... arguments) {
  kernel<<<blocks, threads, static_cast<std::size_t>(bytes), stream>>>(arguments...);
}
__device__ inline float* shared_floats() {
  extern __shared__ __align__(128) float memory[];
  return memory;
}
// Blocks of such a kernel that the device runs at a time; 0 where it has no copies into shared memory that run on
// their own (before 9.0), or not so much memory.
template <class... Parameters>
int blocks_that_fit(std::int64_t bytes, void (*kernel)(Parameters...), int threads, int device) {
  cudaFuncAttributes attributes{};
  int most = 0, blocks = 0, processors = 0;
  const bool fits =
      cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && attributes.ptxVersion >= 90 &&
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess &&
      bytes + static_cast<std::int64_t>(attributes.sharedSizeBytes) <= most &&
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)) ==
          cudaSuccess &&
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                    static_cast<std::size_t>(bytes)) == cudaSuccess &&
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess;
  if (!fits) cudaGetLastError();
  return fits ? blocks * processors : 0;
}

// Copies between global and shared memory that run on their own, and barriers that count arrivals of threads and of
// bytes (cp.async.bulk and mbarrier in the manual of PTX, from 9.0 on).
struct Barrier {
  std::uint64_t state;
};
__device__ inline std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}
__device__ inline void barrier_init(Barrier* b, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count) : "memory");
}
__device__ inline void after_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void barrier_arrive(Barrier* b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
__device__ inline void barrier_expect(Barrier* b, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes)
               : "memory");
}
// Until the phase of this parity is over.
__device__ inline void barrier_wait(Barrier* b, std::uint32_t parity) {
  asm volatile(
      "{\n.reg .pred over;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n@over bra "
      "OVER;\n"
      "bra AGAIN;\nOVER:\n}" ::"r"(shared_address(b)),
      "r"(parity)
      : "memory");
}
__device__ inline void bulk_load(void* to, const void* from, std::uint32_t bytes, Barrier* b) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(b))
      : "memory");
}
// What threads wrote into shared memory is seen by copies that follow a barrier.
__device__ inline void before_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void bulk_store(void* to, const void* from, std::uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
}
// Leaves the second-level cache before anything else does.
__device__ inline void bulk_store_once(void* to, const void* from, std::uint32_t bytes) {
  asm volatile(
      "{\n.reg .b64 first;\ncreatepolicy.fractional.L2::evict_first.b64 first, 1.0;\n"
      "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, first;\n}" ::"l"(to),
      "r"(shared_address(from)), "r"(bytes)
      : "memory");
}
__device__ inline void bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int kLeft>
__device__ inline void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kLeft) : "memory");
}
__device__ inline void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
// All threads of one of several groups of a block.
__device__ inline void sync_group(int group, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "r"(threads) : "memory");
}

// Products of matrices of half precision, 16 rows of 16 by 8 columns of 16, as the lanes of a warp hold them
// (mma.m16n8k16 in the manual of PTX), added to `from`.
__device__ inline void multiply_16(float* sum, const float* from, const std::uint32_t* rows,
                                   std::uint32_t columns0, std::uint32_t columns1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%10,%11,%12,%13};"
      : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
      : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(columns0), "r"(columns1), "f"(from[0]),
        "f"(from[1]), "f"(from[2]), "f"(from[3]));
}
// Rows and columns of 8.
__device__ inline void multiply_8(float* sum, const float* from, const std::uint32_t* rows,
                                  std::uint32_t columns) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
      : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
      : "r"(rows[0]), "r"(rows[1]), "r"(columns), "f"(from[0]), "f"(from[1]), "f"(from[2]), "f"(from[3]));
}

}  // namespace sinew::gpu
