// SPDX-License-Identifier: Apache-2.0
// Blending of quaternions and dual quaternions, compiled once per target. A rotation is two opposite
// quaternions; those of a vertex must agree with its first one before they are added.
#if defined(SINEW_DEFORM_DUAL_BLEND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_DEFORM_DUAL_BLEND_INL_H_
#undef SINEW_DEFORM_DUAL_BLEND_INL_H_
#else
#define SINEW_DEFORM_DUAL_BLEND_INL_H_
#endif

#include "deform/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

// The sums of the components of a, b, c and e, in this order, within each block.
HWY_INLINE V BlockSums(V a, V b, V c, V e) {
  const Lanes d;
  const V ac = hn::Add(hn::InterleaveLower(d, a, c), hn::InterleaveUpper(d, a, c));
  const V be = hn::Add(hn::InterleaveLower(d, b, e), hn::InterleaveUpper(d, b, e));
  return hn::Add(hn::InterleaveLower(d, ac, be), hn::InterleaveUpper(d, ac, be));
}

// One vertex a block: `weights` of up to four influences with the signs that make each quaternion agree with
// `pivot`.
template <int kCount>
HWY_INLINE V SignedWeights(V weights, V pivot, const V (&q)[4]) {
  const Lanes d;
  const V first = hn::Mul(pivot, q[0]), second = hn::Mul(pivot, q[1]);
  const V dots = kCount == 2 ? BlockSums(first, second, first, second)
                             : BlockSums(first, second, hn::Mul(pivot, q[2]), hn::Mul(pivot, q[3]));
  return hn::Xor(weights, hn::And(dots, hn::SignBit(d)));
}

// Adds kCount influences (1, 2 or 4) of the vertices at `lower` and `upper` to the sums of their blocks.
template <int kCount, bool kDual>
HWY_INLINE void AddInfluences(const float* HWY_RESTRICT w, const std::uint16_t* HWY_RESTRICT j,
                              std::size_t lower, std::size_t upper, const DualEntry* HWY_RESTRICT palette,
                              bool first, V& pivot, V& real, V& dual) {
  const DualEntry *a[4], *b[4];
  V q[4];
  for (std::size_t k = 0; k < kCount; ++k) {
    a[k] = palette + j[lower + k];
    b[k] = palette + j[upper + k];
    q[k] = LoadBlocks(a[k]->real, b[k]->real);
  }
  if (first) pivot = q[0];
  V weights = LoadBlocks(w + lower, w + upper);
  if constexpr (kCount > 1) weights = SignedWeights<kCount>(weights, pivot, q);
  const V weight[4] = {hn::Broadcast<0>(weights), hn::Broadcast<1>(weights), hn::Broadcast<2>(weights),
                       hn::Broadcast<3>(weights)};
  for (std::size_t k = 0; k < kCount; ++k) {
    real = first && k == 0 ? hn::Mul(weight[0], q[0]) : hn::MulAdd(weight[k], q[k], real);
    if constexpr (kDual) {
      const V e = LoadBlocks(a[k]->dual, b[k]->dual);
      dual = first && k == 0 ? hn::Mul(weight[0], e) : hn::MulAdd(weight[k], e, dual);
    }
  }
}

// sum_k +-w_k q_k over the dual quaternions of a tile (only the rotations where kDual is false).
template <int K, bool kDual>
HWY_INLINE void BlendDuals(const float* HWY_RESTRICT w, const std::uint16_t* HWY_RESTRICT j,
                           std::size_t influences, const DualEntry* HWY_RESTRICT palette, QuatV& real,
                           QuatV& dual) {
  const Lanes d;
  const std::size_t count = Count<K>(influences);
  V r[4], e[4];
  HWY_UNROLL(4)
  for (std::size_t v = 0; v < 4; ++v) {
    V pivot = hn::Zero(d);
    r[v] = e[v] = pivot;
    for (std::size_t k = 0; k < count; k += kStep<K>)
      AddInfluences<static_cast<int>(kStep<K>), kDual>(w, j, v * count + k, (v + kLanes - 4) * count + k,
                                                       palette, k == 0, pivot, r[v], e[v]);
  }
  Transpose(d, r[0], r[1], r[2], r[3]);
  real = {{r[0], r[1], r[2]}, r[3]};
  if constexpr (kDual) {
    Transpose(d, e[0], e[1], e[2], e[3]);
    dual = {{e[0], e[1], e[2]}, e[3]};
  }
}

// sum_k w_k q_k of quaternions that agree already: a vertex is two blocks in a row, and needs no dot
// products. Where `shares` are given, entries have a second pair of blocks, which is added times the share.
template <int K, class Entry>
HWY_INLINE void BlendAligned(const float* HWY_RESTRICT w, const float* HWY_RESTRICT shares,
                             const std::uint16_t* HWY_RESTRICT j, std::size_t influences,
                             const Entry* HWY_RESTRICT palette, QuatV& real, QuatV& dual) {
  constexpr bool kStretch = sizeof(Entry) > sizeof(DualEntry);
  const std::size_t count = Count<K>(influences);
#if HWY_MAX_BYTES >= 32
  const Lanes d;
  V r[4], e[4];
  HWY_UNROLL(4)
  for (std::size_t v = 0; v < 4; ++v) {
    const std::size_t lower = v * count, upper = (v + 4) * count;
    r[v] = BlendEntries<K>(d, w + lower, j + lower, count, palette);
    e[v] = BlendEntries<K>(d, w + upper, j + upper, count, palette);
    if constexpr (kStretch) {
      r[v] = hn::Add(r[v], BlendEntries<K>(d, shares + lower, j + lower, count, palette, 8));
      e[v] = hn::Add(e[v], BlendEntries<K>(d, shares + upper, j + upper, count, palette, 8));
    }
  }
  TransposePairs(r, e);
#else
  V blended[8];
  BlendBlocks<K, 2>(w, j, count, palette, 0, blended);
  V *r = blended, *e = blended + 4;
  if constexpr (kStretch) {
    V more[4];
    BlendBlocks<K, 1>(shares, j, count, palette, 12, more);
    for (std::size_t c = 0; c < 4; ++c) e[c] = hn::Add(e[c], more[c]);
  }
#endif
  real = {{r[0], r[1], r[2]}, r[3]};
  dual = {{e[0], e[1], e[2]}, e[3]};
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#endif  // SINEW_DEFORM_DUAL_BLEND_INL_H_
