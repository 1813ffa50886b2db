// SPDX-License-Identifier: Apache-2.0
#include "deform/lbs_kernel.h"

#include "deform/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/lbs_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "deform/tile-inl.h"

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
// Positions alone, with vectors that hold a whole matrix: a quarter of the multiplications and loads of
// palette entries, four vertices at a time. Block r of x, y, z and t is row r of the four blended matrices,
// column by column. With normals LbsTiles is faster, since cross products across blocks cost more than they
// save.
using Wide = hn::FixedTag<float, 16>;
using WideV = hn::Vec<Wide>;

HWY_INLINE auto WideIndices(const std::int32_t (&lanes)[16]) {
  return hn::SetTableIndices(Wide(), lanes);
}

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
  const Wide d;
  const hn::Half<Wide> half;
  const hn::Half<hn::Half<Wide>> quarter;
  const std::size_t count = Count<K>(skin.influences);
  const auto twelve = hn::FirstN(d, 12);
  const auto to_x = WideIndices({0, 3, 6, 9, 0, 3, 6, 9, 0, 3, 6, 9, 0, 3, 6, 9});
  const auto to_y = WideIndices({1, 4, 7, 10, 1, 4, 7, 10, 1, 4, 7, 10, 1, 4, 7, 10});
  const auto to_z = WideIndices({2, 5, 8, 11, 2, 5, 8, 11, 2, 5, 8, 11, 2, 5, 8, 11});
  const auto to_points = WideIndices({0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, 0, 0, 0, 0});
  for (std::size_t i = 0; i < skin.vertices; i += 4) {
    const float* w = skin.weights + i * count;
    const std::uint16_t* j = skin.joints + i * count;
    WideV x = BlendWide<K>(w, j, count, rows), y = BlendWide<K>(w + count, j + count, count, rows);
    WideV z = BlendWide<K>(w + 2 * count, j + 2 * count, count, rows);
    WideV t = BlendWide<K>(w + 3 * count, j + 3 * count, count, rows);
    Transpose(d, x, y, z, t);
    const WideV p = hn::MaskedLoad(twelve, d, io.positions + 3 * i);
    const WideV moved = hn::MulAdd(
        x, hn::TableLookupLanes(p, to_x),
        hn::MulAdd(y, hn::TableLookupLanes(p, to_y), hn::MulAdd(z, hn::TableLookupLanes(p, to_z), t)));
    // Two plain stores: a masked one of 12 lanes was slower.
    const WideV points = hn::TableLookupLanes(moved, to_points);
    hn::StoreU(hn::LowerHalf(half, points), half, io.out_positions + 3 * i);
    hn::StoreU(hn::LowerHalf(quarter, hn::UpperHalf(half, points)), quarter, io.out_positions + 3 * i + 8);
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
