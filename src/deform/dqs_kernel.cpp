// SPDX-License-Identifier: Apache-2.0
#include "deform/dqs_kernel.h"

#include "deform/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/dqs_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "deform/dual_blend-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

// With r = (r, r0) and e = (e, e0) not normalised and s = 2 / |r|^2:
// p' = p + s (r x (r x p + r0 p) + r0 e - e0 r + r x e), the rotation and the translation of the normalised
// pair.
HWY_INLINE Vec3V TransformPoint(const QuatV& real, const QuatV& dual, V scale, const Vec3V& p) {
  const Vec3V c = Cross(real.v, p);
  const Vec3V inner = {hn::Add(hn::MulAdd(real.w, p.x, c.x), dual.v.x),
                       hn::Add(hn::MulAdd(real.w, p.y, c.y), dual.v.y),
                       hn::Add(hn::MulAdd(real.w, p.z, c.z), dual.v.z)};
  const Vec3V sum = MulAdd(dual.v, real.w, MulAdd(real.v, hn::Neg(dual.w), Cross(real.v, inner)));
  return MulAdd(sum, scale, p);
}

template <int K, bool kNormals>
void DqsTiles(const SkinSlice& skin, const float* HWY_RESTRICT duals, const VertexStreams& io) {
  const std::size_t count = Count<K>(skin.influences);
  for (std::size_t i = 0; i < skin.vertices; i += kLanes) {
    QuatV real, dual;
    BlendDuals<K, true>(skin.weights + i * count, skin.joints + i * count, count, duals, real, dual);
    const V scale = TwoOverSquare(real);
    StoreTile(TransformPoint(real, dual, scale, LoadTile(io.positions + 3 * i)), io.out_positions + 3 * i);
    if constexpr (kNormals)
      StoreTile(Rotate(real, scale, LoadTile(io.normals + 3 * i)), io.out_normals + 3 * i);
  }
}

template <int K>
void DqsRun(const SkinSlice& skin, const float* HWY_RESTRICT duals, const VertexStreams& io) {
  if (io.out_normals)
    DqsTiles<K, true>(skin, duals, io);
  else
    DqsTiles<K, false>(skin, duals, io);
}

void Dqs(const SkinSlice& skin, const float* HWY_RESTRICT duals, const VertexStreams& io) {
  switch (skin.influences) {
    case 1:
      return DqsRun<1>(skin, duals, io);
    case 2:
      return DqsRun<2>(skin, duals, io);
    case 4:
      return DqsRun<4>(skin, duals, io);
    default:
      return DqsRun<0>(skin, duals, io);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {
HWY_EXPORT(Dqs);

void dqs_groups(const SkinTable& table, const Palette& duals, std::size_t begin, std::size_t end,
                const VertexStreams& streams) {
  run_groups(table, begin, end, streams, [&](const SkinSlice& skin, const VertexStreams& io) {
    HWY_DYNAMIC_DISPATCH(Dqs)(skin, duals.data(), io);
  });
}

}  // namespace sinew
#endif
