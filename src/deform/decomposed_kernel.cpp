// SPDX-License-Identifier: Apache-2.0
#include "deform/decomposed_kernel.h"

#include "deform/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/decomposed_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "deform/dual_blend-inl.h"

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
                    kLogStride, log);
  V q[4];
  for (std::size_t v = 0; v < 4; ++v)
    q[v] = LoadBlocks(frame.quaternions + kDualStride * j[v * count],
                      frame.quaternions + kDualStride * j[(v + kLanes - 4) * count]);
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

template <int K>
void DecomposedTiles(const SkinSlice& skin, const DecomposedFrame& frame, const VertexStreams& io) {
  const Lanes d;
  const std::size_t count = Count<K>(skin.influences);
  for (std::size_t i = 0; i < skin.vertices; i += kLanes) {
    const float* w = skin.weights + i * count;
    const std::uint16_t* j = skin.joints + i * count;
    const MatrixV m = BlendRows<K>(w, j, count, frame.rows);
    QuatV q, unused;
    BlendDuals<K, false>(w, j, count, frame.quaternions, q, unused);
    if (frame.logs) q = BlendLogs<K>(skin, i, frame, q);
    const V scale = TwoOverSquare(q);
    Vec3V stretch[3];
    if (frame.stretches) {
      V s[8];
      BlendBlocks<K, 2>(w, j, count, frame.stretches, kStretchStride, s);
      stretch[0] = {s[0], s[4], s[5]};
      stretch[1] = {s[4], s[1], s[6]};
      stretch[2] = {s[5], s[6], s[2]};
    }
    const std::size_t vertex = skin.first_vertex + i;
    const auto has =
        hn::RebindMask(d, hn::Ne(hn::LoadU(hn::RebindToUnsigned<Lanes>(), frame.has_centre + vertex),
                                 hn::Zero(hn::RebindToUnsigned<Lanes>())));
    const Vec3V p = LoadTile(io.positions + 3 * i);
    const Vec3V c = Select(has, LoadTile(frame.centres + 3 * vertex), p);
    Vec3V arm = {hn::Sub(p.x, c.x), hn::Sub(p.y, c.y), hn::Sub(p.z, c.z)};
    if (frame.stretches) arm = {Dot(stretch[0], arm), Dot(stretch[1], arm), Dot(stretch[2], arm)};
    StoreTile(MulAdd(Rotate(q, scale, arm), hn::Set(d, 1.0f), TransformPoint(m, c)),
              io.out_positions + 3 * i);
    if (!io.out_normals) continue;
    const Vec3V n = LoadTile(io.normals + 3 * i);
    const Vec3V turned = Rotate(q, scale, frame.stretches ? TransformNormal(stretch, n) : n);
    const bool all = hn::AllTrue(d, has);
    StoreTile(all ? turned : Select(has, turned, TransformNormal(m.row, n)), io.out_normals + 3 * i);
  }
}

void Decomposed(const SkinSlice& skin, const DecomposedFrame& frame, const VertexStreams& io) {
  switch (skin.influences) {
    case 1:
      return DecomposedTiles<1>(skin, frame, io);
    case 2:
      return DecomposedTiles<2>(skin, frame, io);
    case 4:
      return DecomposedTiles<4>(skin, frame, io);
    default:
      return DecomposedTiles<0>(skin, frame, io);
  }
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
