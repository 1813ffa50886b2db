// SPDX-License-Identifier: Apache-2.0
// Vectors that hold a whole matrix: four vertices at a time, a quarter of the multiplications and loads of
// palette entries. Block r of x, y, z and t is row r of the four blended matrices, column by column. Only
// for positions: cross products across blocks cost more than they save.
#if defined(SINEW_DEFORM_WIDE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_DEFORM_WIDE_INL_H_
#undef SINEW_DEFORM_WIDE_INL_H_
#else
#define SINEW_DEFORM_WIDE_INL_H_
#endif

#include "deform/tile-inl.h"

#if HWY_MAX_BYTES >= 64
HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

using Wide = hn::FixedTag<float, 16>;
using WideV = hn::Vec<Wide>;

HWY_INLINE auto WideIndices(const std::int32_t (&lanes)[16]) {
  return hn::SetTableIndices(Wide(), lanes);
}

// Moves four points by the matrices and stores them.
HWY_INLINE void TransformWide(WideV x, WideV y, WideV z, WideV t, const float* HWY_RESTRICT from,
                              float* HWY_RESTRICT to) {
  const Wide d;
  const hn::Half<Wide> half;
  const hn::Half<hn::Half<Wide>> quarter;
  const auto to_x = WideIndices({0, 3, 6, 9, 0, 3, 6, 9, 0, 3, 6, 9, 0, 3, 6, 9});
  const auto to_y = WideIndices({1, 4, 7, 10, 1, 4, 7, 10, 1, 4, 7, 10, 1, 4, 7, 10});
  const auto to_z = WideIndices({2, 5, 8, 11, 2, 5, 8, 11, 2, 5, 8, 11, 2, 5, 8, 11});
  const auto to_points = WideIndices({0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, 0, 0, 0, 0});
  const WideV p = hn::MaskedLoad(hn::FirstN(d, 12), d, from);
  const WideV moved = hn::MulAdd(
      x, hn::TableLookupLanes(p, to_x),
      hn::MulAdd(y, hn::TableLookupLanes(p, to_y), hn::MulAdd(z, hn::TableLookupLanes(p, to_z), t)));
  // Two plain stores: a masked one of 12 lanes was slower.
  const WideV points = hn::TableLookupLanes(moved, to_points);
  hn::StoreU(hn::LowerHalf(half, points), half, to);
  hn::StoreU(hn::LowerHalf(quarter, hn::UpperHalf(half, points)), quarter, to + 8);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();
#endif

#endif  // SINEW_DEFORM_WIDE_INL_H_
