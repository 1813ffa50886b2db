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

#include "deform/matrix_blend-inl.h"

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

// The blended entry of one vertex: the stretch is a fourth row, and costs no multiplication more.
template <int K, bool kStretch>
HWY_INLINE WideV BlendWide(const InfluencesAt& at, std::size_t influences,
                           const MatrixEntry* HWY_RESTRICT palette) {
  const Wide d;
  if constexpr (!kStretch) return BlendEntries<K>(d, at.w, at.j, influences, palette);
  const auto matrix = hn::FirstN(d, 12);
  WideV sum = hn::Zero(d);
  for (std::size_t k = 0; k < Count<K>(influences); ++k) {
    const WideV weight = hn::IfThenElse(matrix, hn::Set(d, at.w[k]), hn::Set(d, at.shares[k]));
    const WideV entry = hn::Load(d, palette[at.j[k]].rows);
    sum = k == 0 ? hn::Mul(weight, entry) : hn::MulAdd(weight, entry, sum);
  }
  return sum;
}

// Moves four points, and leaves the linear parts of their matrices.
template <int K, bool kStretch>
HWY_INLINE void MoveWide(const InfluencesAt& at, std::size_t count, const MatrixEntry* HWY_RESTRICT palette,
                         const float* HWY_RESTRICT from, float* HWY_RESTRICT to, WideV& x, WideV& y,
                         WideV& z) {
  const Wide d;
  x = BlendWide<K, kStretch>(at, count, palette);
  y = BlendWide<K, kStretch>(at + count, count, palette);
  z = BlendWide<K, kStretch>(at + 2 * count, count, palette);
  WideV t = BlendWide<K, kStretch>(at + 3 * count, count, palette);
  Transpose(d, x, y, z, t);
  if constexpr (kStretch) {
    // Block 3 of x, y and z is what the rows of the points move by.
    const auto to_odd = WideIndices({4, 5, 6, 7, 12, 13, 14, 15, 4, 5, 6, 7, 12, 13, 14, 15});
    const auto to_last = WideIndices({12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15});
    t = hn::Add(t,
                hn::IfThenElse(hn::FirstN(d, 8), hn::TableLookupLanes(hn::ConcatUpperUpper(d, y, x), to_odd),
                               hn::TableLookupLanes(z, to_last)));
  }
  TransformWide(x, y, z, t, from, to);
}

// Blocks of a and b: the kA-th and kB-th of a, then those of b.
template <int kA, int kB>
HWY_INLINE WideV PickBlocks(WideV a, WideV b) {
  constexpr int kBlocks = kA | (kB << 2) | (kA << 4) | (kB << 6);
  return WideV{_mm512_shuffle_f32x4(a.raw, b.raw, kBlocks)};
}

// Block r of the four vectors in their order, into m[r], for r below 3.
HWY_INLINE void TransposeBlocks(WideV (&m)[4]) {
  const WideV low01 = PickBlocks<0, 1>(m[0], m[1]), low23 = PickBlocks<0, 1>(m[2], m[3]);
  const WideV high01 = PickBlocks<2, 3>(m[0], m[1]), high23 = PickBlocks<2, 3>(m[2], m[3]);
  m[0] = PickBlocks<0, 2>(low01, low23);
  m[1] = PickBlocks<1, 3>(low01, low23);
  m[2] = PickBlocks<0, 2>(high01, high23);
}

// Turns sixteen normals by the linear parts that MoveWide left, four vertices a vector.
HWY_INLINE void TurnNormals(WideV (&x)[4], WideV (&y)[4], WideV (&z)[4], const float* HWY_RESTRICT from,
                            float* HWY_RESTRICT to) {
  const Wide d;
  TransposeBlocks(x);
  TransposeBlocks(y);
  TransposeBlocks(z);
  const Vec3Of<WideV> rows[3] = {{x[0], y[0], z[0]}, {x[1], y[1], z[1]}, {x[2], y[2], z[2]}};
  StorePoints(d, TransformNormal(rows, LoadPoints(d, from)), to);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();
#endif

#endif  // SINEW_DEFORM_WIDE_INL_H_
