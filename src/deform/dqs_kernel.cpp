// SPDX-License-Identifier: Apache-2.0
#include "deform/dqs_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/dqs_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "deform/dual_blend-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

struct SignedMotion {
  const DualEntry* palette;

  template <int K>
  HWY_INLINE RigidOf<V> At(const SkinSlice& skin, std::size_t i) const {
    const std::size_t count = Count<K>(skin.influences);
    QuatV real, dual;
    BlendDuals<K, true>(skin.weights + i * count, skin.joints + i * count, count, palette, real, dual);
    return {real, dual, TwoOverSquare(real)};
  }
};

template <class Entry>
struct AlignedMotion {
  const Entry* palette;
  const float* shares;  // at the slice's first entry; null where no bone stretches

  template <int K>
  HWY_INLINE RigidOf<V> At(const SkinSlice& skin, std::size_t i) const {
    const std::size_t count = Count<K>(skin.influences), first = i * count;
    QuatV real, dual;
    BlendAligned<K>(skin.weights + first, shares ? shares + first : nullptr, skin.joints + first, count,
                    palette, real, dual);
    return {real, dual, TwoOverSquare(real)};
  }
};

void Dqs(const SkinSlice& skin, const DualEntry* HWY_RESTRICT palette, const VertexStreams& io) {
  MoveSlice(SignedMotion{palette}, skin, io);
}

void AlignedDqs(const SkinSlice& skin, const DualEntry* HWY_RESTRICT palette, const VertexStreams& io) {
  MoveSlice(AlignedMotion<DualEntry>{palette, nullptr}, skin, io);
}

void StretchedDqs(const SkinSlice& skin, const float* HWY_RESTRICT shares,
                  const StretchedDualEntry* HWY_RESTRICT palette, const VertexStreams& io) {
  MoveSlice(AlignedMotion<StretchedDualEntry>{palette, shares}, skin, io);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {
HWY_EXPORT(Dqs);
HWY_EXPORT(AlignedDqs);
HWY_EXPORT(StretchedDqs);

void dqs_groups(const SkinTable& table, const Palette<DualEntry>& duals, std::size_t begin, std::size_t end,
                const VertexStreams& streams) {
  run_groups(table, begin, end, streams, [&](const SkinSlice& skin, const VertexStreams& io) {
    HWY_DYNAMIC_DISPATCH(Dqs)(skin, duals.data(), io);
  });
}

void aligned_dqs_groups(const SkinTable& table, const Palette<DualEntry>& duals, std::size_t begin,
                        std::size_t end, const VertexStreams& streams) {
  run_groups(table, begin, end, streams, [&](const SkinSlice& skin, const VertexStreams& io) {
    HWY_DYNAMIC_DISPATCH(AlignedDqs)(skin, duals.data(), io);
  });
}

void aligned_dqs_groups(const SkinTable& table, const float* shares, const Palette<StretchedDualEntry>& duals,
                        std::size_t begin, std::size_t end, const VertexStreams& streams) {
  run_groups(table, begin, end, streams, [&](const SkinSlice& skin, const VertexStreams& io) {
    HWY_DYNAMIC_DISPATCH(StretchedDqs)(skin, shares + skin.first_entry, duals.data(), io);
  });
}

}  // namespace sinew
#endif
