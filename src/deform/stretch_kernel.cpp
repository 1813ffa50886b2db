// SPDX-License-Identifier: Apache-2.0
#include "deform/stretch_kernel.h"

#include "deform/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/stretch_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "deform/wide-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

#if HWY_MAX_BYTES >= 32
// sum_k of w_k times rows 0, 1 and 2 of entry k and share_k times its stretch, of one vertex.
template <int K>
HWY_INLINE void BlendStretch(const float* HWY_RESTRICT w, const float* HWY_RESTRICT shares,
                             const std::uint16_t* HWY_RESTRICT j, std::size_t influences,
                             const float* HWY_RESTRICT rows, V& rows01, V& row2_stretch) {
  const Lanes d;
  for (std::size_t k = 0; k < Count<K>(influences); ++k) {
    const float* m = rows + kRowsStride * j[k];
    const V weight = hn::Set(d, w[k]), both = hn::ConcatUpperLower(d, hn::Set(d, shares[k]), weight);
    rows01 = k == 0 ? hn::Mul(weight, hn::Load(d, m)) : hn::MulAdd(weight, hn::Load(d, m), rows01);
    row2_stretch =
        k == 0 ? hn::Mul(both, hn::Load(d, m + 8)) : hn::MulAdd(both, hn::Load(d, m + 8), row2_stretch);
  }
}

// The blended matrices, the stretches added to their translations.
template <int K>
HWY_INLINE MatrixV StretchRows(const float* HWY_RESTRICT w, const float* HWY_RESTRICT shares,
                               const std::uint16_t* HWY_RESTRICT j, std::size_t influences,
                               const float* HWY_RESTRICT rows) {
  const Lanes d;
  const std::size_t count = Count<K>(influences);
  V low[4], high[4], low2[4], high2[4];
  HWY_UNROLL(4)
  for (std::size_t v = 0; v < 4; ++v) {
    const std::size_t a = v * count, b = (v + 4) * count;
    BlendStretch<K>(w + a, shares + a, j + a, count, rows, low[v], low2[v]);
    BlendStretch<K>(w + b, shares + b, j + b, count, rows, high[v], high2[v]);
  }
  Transpose(d, low[0], low[1], low[2], low[3]);
  Transpose(d, high[0], high[1], high[2], high[3]);
  Transpose(d, low2[0], low2[1], low2[2], low2[3]);
  Transpose(d, high2[0], high2[1], high2[2], high2[3]);
  V row0[4], row1[4], row2[4], moved[4];
  HWY_UNROLL(4)
  for (std::size_t c = 0; c < 4; ++c) {
    row0[c] = hn::ConcatLowerLower(d, high[c], low[c]);
    row1[c] = hn::ConcatUpperUpper(d, high[c], low[c]);
    row2[c] = hn::ConcatLowerLower(d, high2[c], low2[c]);
    moved[c] = hn::ConcatUpperUpper(d, high2[c], low2[c]);
  }
  return {{{row0[0], row0[1], row0[2]}, {row1[0], row1[1], row1[2]}, {row2[0], row2[1], row2[2]}},
          {hn::Add(row0[3], moved[0]), hn::Add(row1[3], moved[1]), hn::Add(row2[3], moved[2])}};
}
#else
template <int K>
HWY_INLINE MatrixV StretchRows(const float* HWY_RESTRICT w, const float* HWY_RESTRICT shares,
                               const std::uint16_t* HWY_RESTRICT j, std::size_t influences,
                               const float* HWY_RESTRICT rows) {
  MatrixV m = BlendRows<K>(w, j, influences, rows);
  V moved[4];
  BlendBlocks<K, 1>(shares, j, influences, rows + kStretchAt, kRowsStride, moved);
  m.translation = {hn::Add(m.translation.x, moved[0]), hn::Add(m.translation.y, moved[1]),
                   hn::Add(m.translation.z, moved[2])};
  return m;
}
#endif

template <int K, bool kNormals>
void StretchTiles(const SkinSlice& skin, const float* HWY_RESTRICT shares, const float* HWY_RESTRICT rows,
                  const VertexStreams& io) {
  const std::size_t count = Count<K>(skin.influences);
  for (std::size_t i = 0; i < skin.vertices; i += kLanes) {
    const MatrixV m =
        StretchRows<K>(skin.weights + i * count, shares + i * count, skin.joints + i * count, count, rows);
    StoreTile(TransformPoint(m, LoadTile(io.positions + 3 * i)), io.out_positions + 3 * i);
    if constexpr (kNormals)
      StoreTile(TransformNormal(m.row, LoadTile(io.normals + 3 * i)), io.out_normals + 3 * i);
  }
}

#if HWY_MAX_BYTES >= 64
// As LbsWide: the stretch is the fourth row of an entry, and costs no multiplication more.
template <int K>
HWY_INLINE WideV BlendStretchWide(const float* HWY_RESTRICT w, const float* HWY_RESTRICT shares,
                                  const std::uint16_t* HWY_RESTRICT j, std::size_t influences,
                                  const float* HWY_RESTRICT rows) {
  const Wide d;
  const auto matrix = hn::FirstN(d, kStretchAt);
  WideV sum = hn::Zero(d);
  for (std::size_t k = 0; k < Count<K>(influences); ++k) {
    const WideV weight = hn::IfThenElse(matrix, hn::Set(d, w[k]), hn::Set(d, shares[k]));
    const WideV entry = hn::Load(d, rows + kRowsStride * j[k]);
    sum = k == 0 ? hn::Mul(weight, entry) : hn::MulAdd(weight, entry, sum);
  }
  return sum;
}

template <int K>
void StretchWide(const SkinSlice& skin, const float* HWY_RESTRICT shares, const float* HWY_RESTRICT rows,
                 const VertexStreams& io) {
  const Wide d;
  const std::size_t count = Count<K>(skin.influences);
  // Block 3 of x, y and z is what the rows of the points move by.
  const auto upper = hn::Not(hn::FirstN(d, 8));
  const auto to_odd = WideIndices({4, 5, 6, 7, 12, 13, 14, 15, 4, 5, 6, 7, 12, 13, 14, 15});
  const auto to_last = WideIndices({12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15});
  for (std::size_t i = 0; i < skin.vertices; i += 4) {
    const float* w = skin.weights + i * count;
    const float* s = shares + i * count;
    const std::uint16_t* j = skin.joints + i * count;
    WideV x = BlendStretchWide<K>(w, s, j, count, rows);
    WideV y = BlendStretchWide<K>(w + count, s + count, j + count, count, rows);
    WideV z = BlendStretchWide<K>(w + 2 * count, s + 2 * count, j + 2 * count, count, rows);
    WideV t = BlendStretchWide<K>(w + 3 * count, s + 3 * count, j + 3 * count, count, rows);
    Transpose(d, x, y, z, t);
    const WideV stretch = hn::IfThenElse(upper, hn::TableLookupLanes(z, to_last),
                                         hn::TableLookupLanes(hn::ConcatUpperUpper(d, y, x), to_odd));
    TransformWide(x, y, z, hn::Add(t, stretch), io.positions + 3 * i, io.out_positions + 3 * i);
  }
}
#else
template <int K>
void StretchWide(const SkinSlice& skin, const float* HWY_RESTRICT shares, const float* HWY_RESTRICT rows,
                 const VertexStreams& io) {
  StretchTiles<K, false>(skin, shares, rows, io);
}
#endif

template <int K>
void StretchRun(const SkinSlice& skin, const float* HWY_RESTRICT shares, const float* HWY_RESTRICT rows,
                const VertexStreams& io) {
  if (io.out_normals)
    StretchTiles<K, true>(skin, shares, rows, io);
  else
    StretchWide<K>(skin, shares, rows, io);
}

void Stretch(const SkinSlice& skin, const float* HWY_RESTRICT shares, const float* HWY_RESTRICT rows,
             const VertexStreams& io) {
  switch (skin.influences) {
    case 1:
      return StretchRun<1>(skin, shares, rows, io);
    case 2:
      return StretchRun<2>(skin, shares, rows, io);
    case 4:
      return StretchRun<4>(skin, shares, rows, io);
    default:
      return StretchRun<0>(skin, shares, rows, io);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {
HWY_EXPORT(Stretch);

void stretch_groups(const SkinTable& table, const float* shares, const Palette& rows, std::size_t begin,
                    std::size_t end, const VertexStreams& streams) {
  run_groups(table, begin, end, streams, [&](const SkinSlice& skin, const VertexStreams& io) {
    HWY_DYNAMIC_DISPATCH(Stretch)(skin, shares + skin.first_entry, rows.data(), io);
  });
}

}  // namespace sinew
#endif
