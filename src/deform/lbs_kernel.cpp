// SPDX-License-Identifier: Apache-2.0
#include "deform/lbs_kernel.h"

#include "deform/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/lbs_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "deform/wide-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

template <int K, bool kNormals>
void LbsTiles(const SkinSlice& skin, const float* HWY_RESTRICT rows, const VertexStreams& io) {
  const std::size_t count = Count<K>(skin.influences);
  for (std::size_t i = 0; i < skin.vertices; i += kLanes) {
    const MatrixV m = BlendRows<K>(skin.weights + i * count, skin.joints + i * count, count, rows);
    StoreTile(TransformPoint(m, LoadTile(io.positions + 3 * i)), io.out_positions + 3 * i);
    if constexpr (kNormals)
      StoreTile(TransformNormal(m.row, LoadTile(io.normals + 3 * i)), io.out_normals + 3 * i);
  }
}

#if HWY_MAX_BYTES >= 64
// Positions alone. With normals LbsTiles is faster.
template <int K>
HWY_INLINE WideV BlendWide(const float* HWY_RESTRICT w, const std::uint16_t* HWY_RESTRICT j,
                           std::size_t influences, const float* HWY_RESTRICT rows) {
  const Wide d;
  WideV sum = hn::Mul(hn::Set(d, w[0]), hn::Load(d, rows + kRowsStride * j[0]));
  for (std::size_t k = 1; k < Count<K>(influences); ++k)
    sum = hn::MulAdd(hn::Set(d, w[k]), hn::Load(d, rows + kRowsStride * j[k]), sum);
  return sum;
}

template <int K>
void LbsWide(const SkinSlice& skin, const float* HWY_RESTRICT rows, const VertexStreams& io) {
  const std::size_t count = Count<K>(skin.influences);
  for (std::size_t i = 0; i < skin.vertices; i += 4) {
    const float* w = skin.weights + i * count;
    const std::uint16_t* j = skin.joints + i * count;
    WideV x = BlendWide<K>(w, j, count, rows), y = BlendWide<K>(w + count, j + count, count, rows);
    WideV z = BlendWide<K>(w + 2 * count, j + 2 * count, count, rows);
    WideV t = BlendWide<K>(w + 3 * count, j + 3 * count, count, rows);
    Transpose(Wide(), x, y, z, t);
    TransformWide(x, y, z, t, io.positions + 3 * i, io.out_positions + 3 * i);
  }
}
#else
template <int K>
void LbsWide(const SkinSlice& skin, const float* HWY_RESTRICT rows, const VertexStreams& io) {
  LbsTiles<K, false>(skin, rows, io);
}
#endif

template <int K>
void LbsRun(const SkinSlice& skin, const float* HWY_RESTRICT rows, const VertexStreams& io) {
  if (io.out_normals)
    LbsTiles<K, true>(skin, rows, io);
  else
    LbsWide<K>(skin, rows, io);
}

void Lbs(const SkinSlice& skin, const float* HWY_RESTRICT rows, const VertexStreams& io) {
  switch (skin.influences) {
    case 1:
      return LbsRun<1>(skin, rows, io);
    case 2:
      return LbsRun<2>(skin, rows, io);
    case 4:
      return LbsRun<4>(skin, rows, io);
    default:
      return LbsRun<0>(skin, rows, io);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {
HWY_EXPORT(Lbs);

void lbs_groups(const SkinTable& table, const Palette& rows, std::size_t begin, std::size_t end,
                const VertexStreams& streams) {
  run_groups(table, begin, end, streams, [&](const SkinSlice& skin, const VertexStreams& io) {
    HWY_DYNAMIC_DISPATCH(Lbs)(skin, rows.data(), io);
  });
}

}  // namespace sinew
#endif
