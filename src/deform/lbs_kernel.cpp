// SPDX-License-Identifier: Apache-2.0
#include "deform/lbs_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/lbs_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "deform/matrix_blend-inl.h"
#include "deform/wide-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

// With or without stretches.
template <bool kStretch>
struct LinearMotion {
  const MatrixEntry* palette;
  const float* shares;  // at the slice's first entry

  HWY_INLINE InfluencesAt Influences(const SkinSlice& skin, std::size_t entry) const {
    return {skin.weights + entry, kStretch ? shares + entry : nullptr, skin.joints + entry};
  }

  template <int K>
  HWY_INLINE MatrixV At(const SkinSlice& skin, std::size_t i) const {
    const std::size_t count = Count<K>(skin.influences);
    return BlendRows<K, kStretch>(Influences(skin, i * count), count, palette);
  }

#if HWY_MAX_BYTES >= 64
  template <int K>
  HWY_INLINE void MovePositions(const SkinSlice& skin, const VertexStreams& io) const {
    WideV x, y, z;
    for (std::size_t i = 0; i < skin.vertices; i += 4) MoveFour<K>(skin, io, i, x, y, z);
  }

  // Not with stretches: Zen 4 takes 5 % longer than tile by tile.
  template <int K>
  HWY_INLINE void MoveBoth(const SkinSlice& skin, const VertexStreams& io) const requires(!kStretch) {
    std::size_t i = 0;
    for (; i + 16 <= skin.vertices; i += 16) {
      WideV x[4], y[4], z[4];
      HWY_UNROLL(4)
      for (std::size_t q = 0; q < 4; ++q) MoveFour<K>(skin, io, i + 4 * q, x[q], y[q], z[q]);
      TurnNormals(x, y, z, io.normals + 3 * i, io.out_normals + 3 * i);
    }
    if (i < skin.vertices) MoveTile<K, true>(*this, skin, io, i);
  }

  template <int K>
  HWY_INLINE void MoveFour(const SkinSlice& skin, const VertexStreams& io, std::size_t i, WideV& x, WideV& y,
                           WideV& z) const {
    const std::size_t count = Count<K>(skin.influences);
    MoveWide<K, kStretch>(Influences(skin, i * count), count, palette, io.positions + 3 * i,
                          io.out_positions + 3 * i, x, y, z);
  }
#endif
};

void Lbs(const SkinSlice& skin, const MatrixEntry* HWY_RESTRICT palette, const VertexStreams& io) {
  MoveSlice(LinearMotion<false>{palette, nullptr}, skin, io);
}

void Stretch(const SkinSlice& skin, const float* HWY_RESTRICT shares, const MatrixEntry* HWY_RESTRICT palette,
             const VertexStreams& io) {
  MoveSlice(LinearMotion<true>{palette, shares}, skin, io);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {
HWY_EXPORT(Lbs);
HWY_EXPORT(Stretch);

void lbs_groups(const SkinTable& table, const Palette<MatrixEntry>& rows, std::size_t begin, std::size_t end,
                const VertexStreams& streams) {
  run_groups(table, begin, end, streams, [&](const SkinSlice& skin, const VertexStreams& io) {
    HWY_DYNAMIC_DISPATCH(Lbs)(skin, rows.data(), io);
  });
}

void stretch_groups(const SkinTable& table, const float* shares, const Palette<MatrixEntry>& rows,
                    std::size_t begin, std::size_t end, const VertexStreams& streams) {
  run_groups(table, begin, end, streams, [&](const SkinSlice& skin, const VertexStreams& io) {
    HWY_DYNAMIC_DISPATCH(Stretch)(skin, shares + skin.first_entry, rows.data(), io);
  });
}

}  // namespace sinew
#endif
