// SPDX-License-Identifier: Apache-2.0
#include "volume/cut_kernel.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "volume/cut_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using CutTag = hn::CappedTag<float, kCutLanes>;
using CutV = hn::Vec<CutTag>;

// Lanes [k, k + vector) of f + the six neighbours. Additions alone, in one order: all targets give the same
// bits.
HWY_INLINE CutV SumAround(const std::array<std::uint32_t, 6>& around, const CutRow& f, const CutRow* x,
                          std::size_t k) {
  const CutTag d;
  const auto at = [&](std::size_t n) HWY_ATTR { return hn::Load(d, x[around[n]].lane + k); };
  return hn::Add(hn::Add(hn::Load(d, f.lane + k), hn::Add(hn::Add(at(0), at(1)), hn::Add(at(2), at(3)))),
                 hn::Add(at(4), at(5)));
}

void Relax(const std::array<std::uint32_t, 6>* neighbours, const float* inverse, const CutRow* f, CutRow* x,
           std::size_t begin, std::size_t end) {
  const CutTag d;
  for (std::size_t i = begin; i < end; ++i)
    for (std::size_t k = 0; k < kCutLanes; k += hn::Lanes(d))
      hn::Store(hn::Mul(SumAround(neighbours[i], f[i], x, k), hn::Set(d, inverse[i])), d, x[i].lane + k);
}

float Residual(const std::array<std::uint32_t, 6>* neighbours, const float* diagonal, const CutRow* f,
               const CutRow* x, CutRow* r, std::size_t begin, std::size_t end) {
  const CutTag d;
  CutRow largest{};
  for (std::size_t i = begin; i < end; ++i) {
    const CutV centre = hn::Set(d, diagonal[i]), scale = hn::Set(d, 1 / diagonal[i]);
    for (std::size_t k = 0; k < kCutLanes; k += hn::Lanes(d)) {
      // Rounded before it is subtracted: fused, it would differ between targets.
      const CutV own = hn::Mul(centre, hn::Load(d, x[i].lane + k));
      const CutV rest = hn::Sub(SumAround(neighbours[i], f[i], x, k), own);
      hn::Store(rest, d, r[i].lane + k);
      const CutV size = hn::Mul(hn::Abs(rest), scale), before = hn::Load(d, largest.lane + k);
      hn::Store(hn::IfThenElse(hn::Gt(size, before), size, before), d, largest.lane + k);
    }
  }
  return *std::max_element(largest.lane, largest.lane + kCutLanes);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {
HWY_EXPORT(Relax);
HWY_EXPORT(Residual);

void relax_rows(const std::array<std::uint32_t, 6>* neighbours, const float* inverse, const CutRow* f,
                CutRow* x, std::size_t begin, std::size_t end) noexcept {
  HWY_DYNAMIC_DISPATCH(Relax)(neighbours, inverse, f, x, begin, end);
}

float residual_rows(const std::array<std::uint32_t, 6>* neighbours, const float* diagonal, const CutRow* f,
                    const CutRow* x, CutRow* r, std::size_t begin, std::size_t end) noexcept {
  return HWY_DYNAMIC_DISPATCH(Residual)(neighbours, diagonal, f, x, r, begin, end);
}

}  // namespace sinew
#endif
