// SPDX-License-Identifier: Apache-2.0
#include "deform/mix_kernel.h"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/mix_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "deform/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

HWY_INLINE V Mix(V a, V b, V m) {
  const V rest = hn::Sub(hn::Set(Lanes(), 1.0f), m);
  return hn::MulAdd(m, b, hn::Mul(rest, a));
}

template <bool kNormals>
HWY_INLINE void MixTile(const float* m, float* a, const float* b) {
  const V weight = hn::LoadU(Lanes(), m);
  const Vec3V from = LoadTile(a), to = LoadTile(b);
  const Vec3V mixed = {Mix(from.x, to.x, weight), Mix(from.y, to.y, weight), Mix(from.z, to.z, weight)};
  StoreTile(kNormals ? Normalized(mixed, hn::Set(Lanes(), 1.0f), from) : mixed, a);
}

template <bool kNormals>
void MixAll(const float* m, std::size_t vertices, float* a, const float* b) {
  std::size_t i = 0;
  for (; i + kLanes <= vertices; i += kLanes) MixTile<kNormals>(m + i, a + 3 * i, b + 3 * i);
  if (i == vertices) return;
  const std::size_t left = vertices - i;
  std::array<float, kLanes> m_tail{};
  std::array<float, 3 * kLanes> a_tail{}, b_tail{};
  std::copy_n(m + i, left, m_tail.begin());
  std::copy_n(a + 3 * i, 3 * left, a_tail.begin());
  std::copy_n(b + 3 * i, 3 * left, b_tail.begin());
  MixTile<kNormals>(m_tail.data(), a_tail.data(), b_tail.data());
  std::copy_n(a_tail.begin(), 3 * left, a + 3 * i);
}

void MixPoints(const float* m, std::size_t vertices, float* a, const float* b) {
  MixAll<false>(m, vertices, a, b);
}
void MixNormals(const float* m, std::size_t vertices, float* a, const float* b) {
  MixAll<true>(m, vertices, a, b);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {
HWY_EXPORT(MixPoints);
HWY_EXPORT(MixNormals);

void mix_points(const float* m, std::size_t vertices, float* a, const float* b) {
  HWY_DYNAMIC_DISPATCH(MixPoints)(m, vertices, a, b);
}

void mix_normals(const float* m, std::size_t vertices, float* a, const float* b) {
  HWY_DYNAMIC_DISPATCH(MixNormals)(m, vertices, a, b);
}

}  // namespace sinew
#endif
