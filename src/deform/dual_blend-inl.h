// SPDX-License-Identifier: Apache-2.0
// Blending of quaternions and dual quaternions with antipodality, compiled once per target.
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

// A blended quaternion, not normalised: vector part and scalar part.
struct QuatV {
  Vec3V v;
  V w;
};

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
                              std::size_t lower, std::size_t upper, const float* HWY_RESTRICT duals,
                              bool first, V& pivot, V& real, V& dual) {
  const float *a[4], *b[4];
  V q[4];
  for (std::size_t k = 0; k < kCount; ++k) {
    a[k] = duals + kDualStride * j[lower + k];
    b[k] = duals + kDualStride * j[upper + k];
    q[k] = LoadBlocks(a[k], b[k]);
  }
  if (first) pivot = q[0];
  V weights = LoadBlocks(w + lower, w + upper);
  if constexpr (kCount > 1) weights = SignedWeights<kCount>(weights, pivot, q);
  const V weight[4] = {hn::Broadcast<0>(weights), hn::Broadcast<1>(weights), hn::Broadcast<2>(weights),
                       hn::Broadcast<3>(weights)};
  for (std::size_t k = 0; k < kCount; ++k) {
    real = first && k == 0 ? hn::Mul(weight[0], q[0]) : hn::MulAdd(weight[k], q[k], real);
    if constexpr (kDual) {
      const V e = LoadBlocks(a[k] + 4, b[k] + 4);
      dual = first && k == 0 ? hn::Mul(weight[0], e) : hn::MulAdd(weight[k], e, dual);
    }
  }
}

// sum_k +-w_k q_k over the dual quaternions of a tile (only the rotations where kDual is false).
template <int K, bool kDual>
HWY_INLINE void BlendDuals(const float* HWY_RESTRICT w, const std::uint16_t* HWY_RESTRICT j,
                           std::size_t influences, const float* HWY_RESTRICT duals, QuatV& real,
                           QuatV& dual) {
  const Lanes d;
  const std::size_t count = Count<K>(influences);
  V r[4], e[4];
  HWY_UNROLL(4)
  for (std::size_t v = 0; v < 4; ++v) {
    V pivot = hn::Zero(d);
    r[v] = e[v] = pivot;
    constexpr int kStep = K == 0 ? 4 : K;
    for (std::size_t k = 0; k < count; k += kStep)
      AddInfluences<kStep, kDual>(w, j, v * count + k, (v + kLanes - 4) * count + k, duals, k == 0, pivot,
                                  r[v], e[v]);
  }
  Transpose(d, r[0], r[1], r[2], r[3]);
  real = {{r[0], r[1], r[2]}, r[3]};
  if constexpr (kDual) {
    Transpose(d, e[0], e[1], e[2], e[3]);
    dual = {{e[0], e[1], e[2]}, e[3]};
  }
}

// 2 / |q|^2. Signs make blended quaternions at least as long as the largest weight, so the guard only serves
// rows with negative weights that cancel.
HWY_INLINE V TwoOverSquare(const QuatV& q) {
  const Lanes d;
  const V square = hn::MulAdd(q.w, q.w, Dot(q.v, q.v));
  return hn::Div(hn::Set(d, 2.0f), hn::Max(square, hn::Set(d, 1e-30f)));
}

// v rotated by q / |q|, given scale = 2 / |q|^2.
HWY_INLINE Vec3V Rotate(const QuatV& q, V scale, const Vec3V& v) {
  const Vec3V c = Cross(q.v, v);
  return MulAdd(Cross(q.v, MulAdd(v, q.w, c)), scale, v);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#endif  // SINEW_DEFORM_DUAL_BLEND_INL_H_
