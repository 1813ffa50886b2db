// SPDX-License-Identifier: Apache-2.0
#include "deform/decomposed_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/decomposed_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "deform/dual_blend-inl.h"
#include "deform/matrix_blend-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

// 1 + x/n1 (-1 + x/n2 (1 - ...)): the alternating series of cos h (from = 1) and sin h / h (from = 2) in x =
// h^2. Angles are at most 85 degrees here, where the eighth term is below 1e-8.
HWY_INLINE V HalfAngleSeries(V x, int from) {
  const Lanes d;
  V sum = hn::Set(d, 1.0f);
  for (int n = 7; n >= 1; --n) {
    const int low = 2 * n - 2 + from;
    sum = hn::NegMulAdd(hn::Mul(x, hn::Set(d, 1.0f / static_cast<float>(low * (low + 1)))), sum,
                        hn::Set(d, 1.0f));
  }
  return sum;
}

HWY_INLINE QuatV Multiply(const QuatV& a, const QuatV& b) {
  return {MulAdd(b.v, a.w, MulAdd(a.v, b.w, Cross(a.v, b.v))),
          hn::NegMulAdd(a.v.x, b.v.x,
                        hn::NegMulAdd(a.v.y, b.v.y, hn::NegMulAdd(a.v.z, b.v.z, hn::Mul(a.w, b.w))))};
}

HWY_INLINE V Select(hn::Mask<Lanes> mask, V yes, V no) {
  return hn::IfThenElse(mask, yes, no);
}
HWY_INLINE Vec3V Select(hn::Mask<Lanes> mask, const Vec3V& yes, const Vec3V& no) {
  return {Select(mask, yes.x, no.x), Select(mask, yes.y, no.y), Select(mask, yes.z, no.z)};
}

// q_0 exp(sum_k w_k log(q_0^-1 q_k)), or `polar` for vertices with a joint beyond the limit.
template <int K>
HWY_INLINE QuatV BlendLogs(const SkinSlice& skin, std::size_t i, const DecomposedFrame& frame,
                           const QuatV& polar) {
  const Lanes d;
  const std::size_t count = Count<K>(skin.influences);
  const std::uint16_t* j = skin.joints + i * count;
  V log[4];
  BlendBlocks<K, 1>(skin.weights + i * count, frame.pairs + skin.first_entry + i * count, count, frame.logs,
                    0, log);
  V q[4];
  HWY_UNROLL(4)
  for (std::size_t v = 0; v < 4; ++v)
    q[v] =
        LoadBlocks(frame.quaternions[j[v * count]].real, frame.quaternions[j[(v + kLanes - 4) * count]].real);
  Transpose(d, q[0], q[1], q[2], q[3]);
  const V half = hn::Set(d, 0.5f);
  const Vec3V h = {hn::Mul(log[0], half), hn::Mul(log[1], half), hn::Mul(log[2], half)};
  const V square = Dot(h, h), scale = HalfAngleSeries(square, 2);
  const QuatV turn = {{hn::Mul(h.x, scale), hn::Mul(h.y, scale), hn::Mul(h.z, scale)},
                      HalfAngleSeries(square, 1)};
  const QuatV blended = Multiply({{q[0], q[1], q[2]}, q[3]}, turn);
  const auto beyond = hn::Ne(log[3], hn::Zero(d));
  return {Select(beyond, polar.v, blended.v), Select(beyond, polar.w, blended.w)};
}

// B = R S of a tile: the rotation as a quaternion with its scale 2 / |q|^2, and the rows of the stretch.
struct LinearV {
  QuatV q;
  V scale;
  bool stretched;
  Vec3V stretch[3];
};

template <int K>
HWY_INLINE LinearV BlendLinear(const SkinSlice& skin, std::size_t i, const DecomposedFrame& frame) {
  const std::size_t count = Count<K>(skin.influences);
  const float* w = skin.weights + i * count;
  const std::uint16_t* j = skin.joints + i * count;
  LinearV linear;
  if (frame.aligned) {
    V q[4];
    BlendBlocks<K, 1>(w, j, count, frame.quaternions, 0, q);
    linear.q = {{q[0], q[1], q[2]}, q[3]};
  } else {
    QuatV unused;
    BlendDuals<K, false>(w, j, count, frame.quaternions, linear.q, unused);
  }
  if (frame.logs) linear.q = BlendLogs<K>(skin, i, frame, linear.q);
  linear.scale = TwoOverSquare(linear.q);
  linear.stretched = frame.stretches != nullptr;
  if (linear.stretched) {
    V s[8];
    BlendBlocks<K, 2>(w, j, count, frame.stretches, 0, s);
    linear.stretch[0] = {s[0], s[4], s[5]};
    linear.stretch[1] = {s[4], s[1], s[6]};
    linear.stretch[2] = {s[5], s[6], s[2]};
  }
  return linear;
}

HWY_INLINE Vec3V TransformArm(const LinearV& b, const Vec3V& arm) {
  if (!b.stretched) return Rotate(b.q, b.scale, arm);
  return Rotate(b.q, b.scale, {Dot(b.stretch[0], arm), Dot(b.stretch[1], arm), Dot(b.stretch[2], arm)});
}

// How a tile moves: its arms from the centres by the linear part, the centres by the matrices.
struct DecomposedV {
  MatrixV m;
  LinearV linear;
  hn::Mask<Lanes> has_centre;
  Vec3V centre;
};

HWY_INLINE Vec3V MovePoint(const DecomposedV& b, const Vec3V& p) {
  const Vec3V c = Select(b.has_centre, b.centre, p);
  const Vec3V arm = TransformArm(b.linear, {hn::Sub(p.x, c.x), hn::Sub(p.y, c.y), hn::Sub(p.z, c.z)});
  const Vec3V moved = MovePoint(b.m, c);
  return {hn::Add(arm.x, moved.x), hn::Add(arm.y, moved.y), hn::Add(arm.z, moved.z)};
}

HWY_INLINE Vec3V MoveNormal(const DecomposedV& b, const Vec3V& n) {
  const LinearV& linear = b.linear;
  const Vec3V turned =
      Rotate(linear.q, linear.scale, linear.stretched ? TransformNormal(linear.stretch, n) : n);
  // Without a centre the surface moves as in LBS, and so does its normal.
  if (hn::AllTrue(Lanes(), b.has_centre)) return turned;
  return Select(b.has_centre, turned, MoveNormal(b.m, n));
}

struct DecomposedMotion {
  const DecomposedFrame& frame;

  template <int K>
  HWY_INLINE DecomposedV At(const SkinSlice& skin, std::size_t i) const {
    const Lanes d;
    const hn::RebindToUnsigned<Lanes> du;
    const std::size_t count = Count<K>(skin.influences), vertex = skin.first_vertex + i;
    return {
        BlendRows<K, false>({skin.weights + i * count, nullptr, skin.joints + i * count}, count, frame.rows),
        BlendLinear<K>(skin, i, frame),
        hn::MaskFromVec(hn::BitCast(d, hn::LoadU(du, frame.has_centre + vertex))),
        LoadTile(frame.centres + 3 * vertex)};
  }
};

void Decomposed(const SkinSlice& skin, const DecomposedFrame& frame, const VertexStreams& io) {
  MoveSlice(DecomposedMotion{frame}, skin, io);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {
HWY_EXPORT(Decomposed);

void decomposed_groups(const SkinTable& table, const DecomposedFrame& frame, std::size_t begin,
                       std::size_t end, const VertexStreams& streams) {
  run_groups(table, begin, end, streams, [&](const SkinSlice& skin, const VertexStreams& io) {
    HWY_DYNAMIC_DISPATCH(Decomposed)(skin, frame, io);
  });
}

}  // namespace sinew
#endif
