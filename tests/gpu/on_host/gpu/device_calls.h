// SPDX-License-Identifier: Apache-2.0
// src/gpu/device_calls.h for the host.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstdint>

#include "gpu/half_floats.h"

namespace sinew::gpu {

template <class... Parameters, class... Arguments>
void launch_kernel(void (*kernel)(Parameters...), dim3 blocks, int threads, cudaStream_t,
                   const Arguments&... arguments) {
  on_host::launch(blocks, static_cast<unsigned>(threads), [&] { kernel(arguments...); });
}

inline std::vector<float> shared_memory;
template <class... Parameters, class... Arguments>
void launch_kernel_with(std::int64_t bytes, void (*kernel)(Parameters...), dim3 blocks, int threads,
                        cudaStream_t stream, const Arguments&... arguments) {
  shared_memory.assign(static_cast<std::size_t>(bytes) / sizeof(float) + 32, 0.0f);
  launch_kernel(kernel, blocks, threads, stream, arguments...);
}
inline float* shared_floats() {  // from a cache line's beginning on
  const auto at = reinterpret_cast<std::uintptr_t>(shared_memory.data());
  return shared_memory.data() + (128 - at % 128) % 128 / sizeof(float);
}
template <class... Parameters>
int blocks_that_fit(std::int64_t bytes, void (*)(Parameters...), int, int) {
  return bytes < 227 * 1024 ? 5 : 0;
}

// Copies are done at once; a copy of what has been loaded is counted where it ends.
struct Barrier {
  int count, pending;
  std::int64_t bytes;
  unsigned phase;
  void advance() {
    if (pending != 0 || bytes != 0) return;
    ++phase;
    pending = count;
  }
};
inline void barrier_init(Barrier* b, int count) {
  *b = {count, count, 0, 0};
}
inline void after_barrier_init() {}
inline void barrier_arrive(Barrier* b) {
  if (--b->pending < 0) std::abort();
  b->advance();
}
inline void barrier_expect(Barrier* b, std::uint32_t bytes) {
  b->bytes += bytes;
  barrier_arrive(b);
}
inline void barrier_wait(Barrier* b, unsigned parity) {
  while ((b->phase & 1) == parity) on_host::yield();
}
inline void check_bulk(const void* a, const void* b, std::uint32_t bytes) {
  if (((reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b) | bytes) & 15) != 0)
    std::abort();
}
inline void bulk_load(void* to, const void* from, std::uint32_t bytes, Barrier* b) {
  check_bulk(to, from, bytes);
  std::memcpy(to, from, bytes);
  b->bytes -= bytes;
  b->advance();
}
inline void before_copies() {}
inline void bulk_store(void* to, const void* from, std::uint32_t bytes) {
  check_bulk(to, from, bytes);
  std::memcpy(to, from, bytes);
}
inline void bulk_store_once(void* to, const void* from, std::uint32_t bytes) {
  bulk_store(to, from, bytes);
}
inline void bulk_commit() {}
template <int kLeft>
void bulk_wait_read() {}
inline void bulk_wait() {}
inline void sync_group(int group, int threads) {
  const auto count = static_cast<unsigned>(threads);
  on_host::wait(static_cast<unsigned>(group) * count, count, &on_host::Fibre::block_barriers);
}

// Lane 4 g + q has of the rows those of g and g + 8, of the columns that of g, of each the numbers 2 q, 2 q + 1
// and eight further on; of the sums the rows of g and g + 8 and the columns 2 q and 2 q + 1.
template <int kPlaces>
void multiply_on_host(float* sum, const float* from, const std::uint32_t* rows,
                      std::array<std::uint32_t, 2> columns) {
  struct Lane {
    std::array<std::uint32_t, 4> rows;
    std::array<std::uint32_t, 2> columns;
  };
  static std::array<std::array<Lane, on_host::kWarp>, 32> warps;
  std::array<Lane, on_host::kWarp>& lanes = warps[on_host::current / on_host::kWarp];
  const unsigned lane = on_host::current % on_host::kWarp, g = lane / 4, q = lane % 4;
  for (unsigned k = 0; k < 2; ++k) {
    lanes[lane].columns[k] = columns[k];
    for (unsigned r = 0; r < 2; ++r) lanes[lane].rows[2 * k + r] = 8 * k < kPlaces ? rows[2 * k + r] : 0;
  }
  on_host::sync_warp();
  const auto half = [](std::uint32_t word, unsigned place) {
    return float_of_half(word >> 16 * (place % 2) & 0xffffu);
  };
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned row = g + 8 * (k / 2), column = 2 * q + k % 2;
    sum[k] = from[k];
    for (unsigned place = 0; place < kPlaces; ++place) {
      const std::uint32_t a = lanes[4 * (row % 8) + place % 8 / 2].rows[2 * (place / 8) + row / 8];
      const std::uint32_t b = lanes[4 * column + place % 8 / 2].columns[place / 8];
      sum[k] += half(a, place) * half(b, place);
    }
  }
  on_host::sync_warp();
}
inline void multiply_16(float* sum, const float* from, const std::uint32_t* rows, std::uint32_t columns0,
                        std::uint32_t columns1) {
  multiply_on_host<16>(sum, from, rows, {columns0, columns1});
}
inline void multiply_8(float* sum, const float* from, const std::uint32_t* rows, std::uint32_t columns) {
  multiply_on_host<8>(sum, from, rows, {columns, 0});
}

}  // namespace sinew::gpu
