// SPDX-License-Identifier: Apache-2.0
#include "math/rotation_fit_kernel.h"

#include <algorithm>
#include <cstring>

#include "sinew/math/rotation_fit_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/rotation_fit_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

// Eight lanes at most. Contraction is off, so all targets give the same bits.
constexpr std::size_t kFitBytes = HWY_MAX_BYTES < 32 ? 16 : 32;
using FitV [[gnu::vector_size(kFitBytes)]] = float;

void FitLanes(RotationLanes& lanes) {
  constexpr std::size_t kWidth = kFitBytes / sizeof(float);
  for (std::size_t l = 0; l < RotationLanes::kCount; l += kWidth) {
    FitV entry[9], q[4], good;
    for (int e = 0; e < 9; ++e) std::memcpy(&entry[e], &lanes.m[e][l], sizeof(FitV));
    fit_pack(entry, q, good);
    for (int c = 0; c < 4; ++c) std::memcpy(&lanes.q[c][l], &q[c], sizeof(FitV));
    std::memcpy(&lanes.good[l], &good, sizeof(FitV));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {
HWY_EXPORT(FitLanes);

void fit_lanes(RotationLanes& lanes) noexcept {
  HWY_DYNAMIC_DISPATCH(FitLanes)(lanes);
}

}  // namespace sinew
#endif
