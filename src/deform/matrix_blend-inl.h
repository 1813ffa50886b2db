// SPDX-License-Identifier: Apache-2.0
// Blending of matrices, compiled once per target.
#if defined(SINEW_DEFORM_MATRIX_BLEND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_DEFORM_MATRIX_BLEND_INL_H_
#undef SINEW_DEFORM_MATRIX_BLEND_INL_H_
#else
#define SINEW_DEFORM_MATRIX_BLEND_INL_H_
#endif

#include "deform/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

// Where the influences of a vertex lie. With kStretch, shares are beside the weights.
struct InfluencesAt {
  const float* HWY_RESTRICT w;
  const float* HWY_RESTRICT shares;
  const std::uint16_t* HWY_RESTRICT j;

  HWY_INLINE InfluencesAt operator+(std::size_t n) const {
    return {w + n, shares ? shares + n : nullptr, j + n};
  }
};

#if HWY_MAX_BYTES >= 32
// sum_k w_k M_k of one vertex: rows 0 and 1, and row 2 with, where asked for, sum_k share_k stretch_k behind
// it.
template <int K, bool kStretch>
HWY_INLINE void BlendVertexRows(const InfluencesAt& at, std::size_t influences,
                                const MatrixEntry* HWY_RESTRICT palette, V& rows01, V& row2) {
  const Lanes d;
  const Block b;
  for (std::size_t k = 0; k < Count<K>(influences); ++k) {
    const float* m = palette[at.j[k]].rows;
    const V weight = hn::Set(d, at.w[k]);
    rows01 = k == 0 ? hn::Mul(weight, hn::Load(d, m)) : hn::MulAdd(weight, hn::Load(d, m), rows01);
    if constexpr (kStretch) {
      const V both = hn::ConcatUpperLower(d, hn::Set(d, at.shares[k]), weight);
      row2 = k == 0 ? hn::Mul(both, hn::Load(d, m + 8)) : hn::MulAdd(both, hn::Load(d, m + 8), row2);
    } else {
      const auto half = hn::LowerHalf(b, weight), last = hn::Load(b, m + 8);
      row2 = hn::ZeroExtendVector(
          d, k == 0 ? hn::Mul(half, last) : hn::MulAdd(half, last, hn::LowerHalf(b, row2)));
    }
  }
}

// The blended matrices of a tile, the stretches added to their translations.
template <int K, bool kStretch>
HWY_INLINE MatrixV BlendRows(const InfluencesAt& at, std::size_t influences,
                             const MatrixEntry* HWY_RESTRICT palette) {
  const Lanes d;
  const std::size_t count = Count<K>(influences);
  V row0[4], row1[4], row2[4], moved[4];
  HWY_UNROLL(4)
  for (std::size_t v = 0; v < 4; ++v) {
    BlendVertexRows<K, kStretch>(at + v * count, count, palette, row0[v], row2[v]);
    BlendVertexRows<K, kStretch>(at + (v + 4) * count, count, palette, row1[v], moved[v]);
  }
  TransposePairs(row0, row1);
  Vec3V translation{row0[3], row1[3], row0[3]};
  if constexpr (kStretch) {
    TransposePairs(row2, moved);
    translation = {hn::Add(row0[3], moved[0]), hn::Add(row1[3], moved[1]), hn::Add(row2[3], moved[2])};
  } else {
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < 4; ++v) row2[v] = hn::ConcatLowerLower(d, moved[v], row2[v]);
    Transpose(d, row2[0], row2[1], row2[2], row2[3]);
    translation.z = row2[3];
  }
  return {{{row0[0], row0[1], row0[2]}, {row1[0], row1[1], row1[2]}, {row2[0], row2[1], row2[2]}},
          translation};
}
#else
template <int K, bool kStretch>
HWY_INLINE MatrixV BlendRows(const InfluencesAt& at, std::size_t influences,
                             const MatrixEntry* HWY_RESTRICT palette) {
  V m[12];
  BlendBlocks<K, 3>(at.w, at.j, influences, palette, 0, m);
  Vec3V translation{m[3], m[7], m[11]};
  if constexpr (kStretch) {
    V moved[4];
    BlendBlocks<K, 1>(at.shares, at.j, influences, palette, 12, moved);
    translation = {hn::Add(m[3], moved[0]), hn::Add(m[7], moved[1]), hn::Add(m[11], moved[2])};
  }
  return {{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}, translation};
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#endif  // SINEW_DEFORM_MATRIX_BLEND_INL_H_
