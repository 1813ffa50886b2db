// SPDX-License-Identifier: Apache-2.0
#include "volume/cut_kernels.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

[[gnu::always_inline]] inline void sum_around(const std::array<std::uint32_t, 6>& around, const CutRow& f,
                                              const CutRow* x, CutRow& sum) {
  const CutRow &a = x[around[0]], &b = x[around[1]], &c = x[around[2]];
  const CutRow &d = x[around[3]], &e = x[around[4]], &g = x[around[5]];
  for (std::size_t k = 0; k < kCutLanes; ++k)
    sum.lane[k] = f.lane[k] + ((a.lane[k] + b.lane[k]) + (c.lane[k] + d.lane[k])) + (e.lane[k] + g.lane[k]);
}

[[gnu::always_inline]] inline void relax(const std::array<std::uint32_t, 6>* neighbours, const float* inverse,
                                         const CutRow* f, CutRow* x, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    CutRow sum;
    sum_around(neighbours[i], f[i], x, sum);
    for (std::size_t k = 0; k < kCutLanes; ++k) x[i].lane[k] = sum.lane[k] * inverse[i];
  }
}

[[gnu::always_inline]] inline float leave(const std::array<std::uint32_t, 6>* neighbours,
                                          const float* diagonal, const CutRow* f, const CutRow* x, CutRow* r,
                                          std::size_t begin, std::size_t end) {
  CutRow largest{};
  for (std::size_t i = begin; i < end; ++i) {
    CutRow sum;
    sum_around(neighbours[i], f[i], x, sum);
    const float scale = 1 / diagonal[i];
    for (std::size_t k = 0; k < kCutLanes; ++k) {
      r[i].lane[k] = sum.lane[k] - diagonal[i] * x[i].lane[k];
      const float size = std::fabs(r[i].lane[k]) * scale;
      largest.lane[k] = size > largest.lane[k] ? size : largest.lane[k];
    }
  }
  return *std::max_element(largest.lane, largest.lane + kCutLanes);
}

#if defined(__x86_64__)
// Wider registers where the machine has them. Contraction is off, so both give the same bits.
[[gnu::target("avx2")]] void relax_avx2(const std::array<std::uint32_t, 6>* neighbours, const float* inverse,
                                        const CutRow* f, CutRow* x, std::size_t begin, std::size_t end) {
  relax(neighbours, inverse, f, x, begin, end);
}
[[gnu::target("avx2")]] float leave_avx2(const std::array<std::uint32_t, 6>* neighbours,
                                         const float* diagonal, const CutRow* f, const CutRow* x, CutRow* r,
                                         std::size_t begin, std::size_t end) {
  return leave(neighbours, diagonal, f, x, r, begin, end);
}
#endif

}  // namespace

void relax_rows(const std::array<std::uint32_t, 6>* neighbours, const float* inverse, const CutRow* f,
                CutRow* x, std::size_t begin, std::size_t end) noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return relax_avx2(neighbours, inverse, f, x, begin, end);
#endif
  relax(neighbours, inverse, f, x, begin, end);
}

float residual_rows(const std::array<std::uint32_t, 6>* neighbours, const float* diagonal, const CutRow* f,
                    const CutRow* x, CutRow* r, std::size_t begin, std::size_t end) noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return leave_avx2(neighbours, diagonal, f, x, r, begin, end);
#endif
  return leave(neighbours, diagonal, f, x, r, begin, end);
}

}  // namespace sinew
