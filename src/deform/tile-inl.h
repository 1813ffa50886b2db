// SPDX-License-Identifier: Apache-2.0
// Steps of the kernels over a SkinTable, compiled once per target. A tile is kLanes consecutive vertices.
// Weights and palette entries are read vertex by vertex, as whole 4-float blocks; the blended blocks are then
// transposed, so that lane l of every vector belongs to vertex l of the tile and the rest is plain
// arithmetic. (Gathering single numbers across lanes instead, 12 per influence, ran at a fifth of the speed
// on Zen 4.)
#if defined(SINEW_DEFORM_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_DEFORM_TILE_INL_H_
#undef SINEW_DEFORM_TILE_INL_H_
#else
#define SINEW_DEFORM_TILE_INL_H_
#endif

#include <cstdint>
#include <utility>

#include "deform/palette.h"
#include "deform/streams.h"
#include "deform/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

// Eight lanes at most: with 16 the blocks of four vertices must be put together for every load, which was
// slower.
using Lanes = hn::CappedTag<float, 8>;
using Block = hn::FixedTag<float, 4>;
using V = hn::Vec<Lanes>;
using Vec3V = Vec3Of<V>;
using QuatV = QuatOf<V>;
using MatrixV = MatrixOf<V>;
constexpr std::size_t kLanes = HWY_MAX_BYTES >= 32 ? 8 : 4;

// The blocks at `lower` and, on targets of two blocks a vector, `upper`.
HWY_INLINE V LoadBlocks(const float* HWY_RESTRICT lower, [[maybe_unused]] const float* HWY_RESTRICT upper) {
#if HWY_MAX_BYTES >= 32
  return hn::Combine(Lanes(), hn::LoadU(Block(), upper), hn::LoadU(Block(), lower));
#else
  return hn::LoadU(Lanes(), lower);
#endif
}

#if HWY_MAX_BYTES >= 32
// Three vectors of n lanes (8 or 16) hold the x of n points in n different lanes, and so the y and the z: two
// blends collect them and one permutation puts them in order. LoadInterleaved3 and StoreInterleaved3 need
// thrice the shuffles.
template <std::size_t kN>
struct Interleaving {
  // Number c of point i comes into lane (3 i + c) % n; lane l is given to point (l - c) / 3 modulo n.
  alignas(64) std::int32_t from[3][kN], to[3][kN];
  // Lane l has all bits where l % 3 is 0; read from 1 or 2 on for the other thirds.
  alignas(64) std::uint32_t third[kN + 2];

  constexpr Interleaving() : from(), to(), third() {
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < kN; ++i) {
        from[c][i] = static_cast<std::int32_t>((3 * i + c) % kN);
        to[c][(3 * i + c) % kN] = static_cast<std::int32_t>(i);
      }
    for (std::size_t l = 0; l < kN + 2; ++l) third[l] = l % 3 == 0 ? ~std::uint32_t{0} : 0;
  }
};
template <std::size_t kN>
inline constexpr Interleaving<kN> kInterleaving{};

// Lane l from a, b or c where l % 3 is kFirst, kFirst + 1 or kFirst + 2 (modulo 3).
template <int kFirst, class D, class T = hn::Vec<D>>
HWY_INLINE T Collect(D d, T a, T b, T c) {
  const hn::RebindToUnsigned<D> du;
  const auto& third = kInterleaving<hn::MaxLanes(D())>.third;
  const auto from_a = hn::MaskFromVec(hn::BitCast(d, hn::LoadU(du, third + (3 - kFirst) % 3)));
  const auto from_b = hn::MaskFromVec(hn::BitCast(d, hn::LoadU(du, third + (5 - kFirst) % 3)));
  return hn::IfThenElse(from_a, a, hn::IfThenElse(from_b, b, c));
}
#endif

// As many points as d has lanes, 4, 8 or 16.
template <class D>
HWY_INLINE Vec3Of<hn::Vec<D>> LoadPoints(D d, const float* HWY_RESTRICT from) {
  Vec3Of<hn::Vec<D>> v;
#if HWY_MAX_BYTES >= 32
  constexpr std::size_t kN = hn::MaxLanes(D());
  const auto& lanes = kInterleaving<kN>.from;
  const auto a = hn::LoadU(d, from);
  auto b = hn::LoadU(d, from + kN), c = hn::LoadU(d, from + 2 * kN);
  if constexpr (kN == 16) std::swap(b, c);  // 16 % 3 is 1, 8 % 3 is 2
  v.x = hn::TableLookupLanes(Collect<0>(d, a, b, c), hn::SetTableIndices(d, lanes[0]));
  v.y = hn::TableLookupLanes(Collect<1>(d, a, b, c), hn::SetTableIndices(d, lanes[1]));
  v.z = hn::TableLookupLanes(Collect<2>(d, a, b, c), hn::SetTableIndices(d, lanes[2]));
#else
  hn::LoadInterleaved3(d, from, v.x, v.y, v.z);
#endif
  return v;
}

template <class D>
HWY_INLINE void StorePoints(D d, const Vec3Of<hn::Vec<D>>& v, float* HWY_RESTRICT to) {
#if HWY_MAX_BYTES >= 32
  constexpr std::size_t kN = hn::MaxLanes(D());
  const auto& lanes = kInterleaving<kN>.to;
  const auto x = hn::TableLookupLanes(v.x, hn::SetTableIndices(d, lanes[0]));
  auto y = hn::TableLookupLanes(v.y, hn::SetTableIndices(d, lanes[1]));
  auto z = hn::TableLookupLanes(v.z, hn::SetTableIndices(d, lanes[2]));
  hn::StoreU(Collect<0>(d, x, y, z), d, to);
  hn::StoreU(kN == 16 ? Collect<0>(d, y, z, x) : Collect<0>(d, z, x, y), d, to + kN);
  hn::StoreU(kN == 16 ? Collect<0>(d, z, x, y) : Collect<0>(d, y, z, x), d, to + 2 * kN);
#else
  hn::StoreInterleaved3(v.x, v.y, v.z, d, to);
#endif
}

HWY_INLINE Vec3V LoadTile(const float* HWY_RESTRICT from) {
  return LoadPoints(Lanes(), from);
}
HWY_INLINE void StoreTile(const Vec3V& v, float* HWY_RESTRICT to) {
  StorePoints(Lanes(), v, to);
}

// One vertex's influences. K is their number, 0 where only `influences` knows it: then a multiple of 4.
template <int K>
HWY_INLINE std::size_t Count(std::size_t influences) {
  return K ? static_cast<std::size_t>(K) : influences;
}
template <int K>
inline constexpr std::size_t kStep = K ? static_cast<std::size_t>(K) : 4;

template <class Entry>
HWY_INLINE const float* Numbers(const Entry* HWY_RESTRICT entry) {
  return reinterpret_cast<const float*>(entry);
}

// sum_k w_k times the numbers of entry k from `at` on, as many as d has lanes, of one vertex.
template <int K, class D, class Entry>
HWY_INLINE hn::Vec<D> BlendEntries(D d, const float* HWY_RESTRICT w, const std::uint16_t* HWY_RESTRICT j,
                                   std::size_t influences, const Entry* HWY_RESTRICT palette,
                                   std::size_t at = 0) {
  hn::Vec<D> sum = hn::Mul(hn::Set(d, w[0]), hn::Load(d, Numbers(palette + j[0]) + at));
  for (std::size_t k = 1; k < Count<K>(influences); ++k)
    sum = hn::MulAdd(hn::Set(d, w[k]), hn::Load(d, Numbers(palette + j[k]) + at), sum);
  return sum;
}

// sum_k w_k * entry_k over palette entries of kBlocks blocks; out[4 * block + component].
template <int K, int kBlocks, class Index, class Entry>
HWY_INLINE void BlendBlocks(const float* HWY_RESTRICT w, const Index* HWY_RESTRICT j, std::size_t influences,
                            const Entry* HWY_RESTRICT palette, std::size_t at, V* HWY_RESTRICT out) {
  const std::size_t count = Count<K>(influences);
  HWY_UNROLL(4)
  for (std::size_t v = 0; v < 4; ++v) {
    const std::size_t lower = v * count, upper = (v + kLanes - 4) * count;
    HWY_UNROLL(4)
    for (std::size_t k = 0; k < count; ++k) {
      const float *a = Numbers(palette + j[lower + k]) + at, *b = Numbers(palette + j[upper + k]) + at;
      const Lanes d;
      const V weight = hn::ConcatLowerLower(d, hn::Set(d, w[upper + k]), hn::Set(d, w[lower + k]));
      for (std::size_t block = 0; block < kBlocks; ++block) {
        V& sum = out[4 * block + v];
        const V entry = LoadBlocks(a + 4 * block, b + 4 * block);
        sum = k == 0 ? hn::Mul(weight, entry) : hn::MulAdd(weight, entry, sum);
      }
    }
  }
  for (std::size_t block = 0; block < kBlocks; ++block) {
    V* sums = out + 4 * block;
    Transpose(Lanes(), sums[0], sums[1], sums[2], sums[3]);
  }
}

#if HWY_MAX_BYTES >= 32
// Two blocks of eight vertices, one vertex a vector, to columns: of the first blocks in `low`, of the second
// in `high`.
HWY_INLINE void TransposePairs(V (&low)[4], V (&high)[4]) {
  const Lanes d;
  Transpose(d, low[0], low[1], low[2], low[3]);
  Transpose(d, high[0], high[1], high[2], high[3]);
  HWY_UNROLL(4)
  for (std::size_t c = 0; c < 4; ++c) {
    const V first = hn::ConcatLowerLower(d, high[c], low[c]);
    high[c] = hn::ConcatUpperUpper(d, high[c], low[c]);
    low[c] = first;
  }
}
#endif

// Moves the tile at vertex i by what Motion::At<K>(skin, i) blends for it.
template <int K, bool kNormals, class Motion>
HWY_INLINE void MoveTile(const Motion& motion, const SkinSlice& skin, const VertexStreams& io,
                         std::size_t i) {
  const auto moves = motion.template At<K>(skin, i);
  StoreTile(MovePoint(moves, LoadTile(io.positions + 3 * i)), io.out_positions + 3 * i);
  if constexpr (kNormals) StoreTile(MoveNormal(moves, LoadTile(io.normals + 3 * i)), io.out_normals + 3 * i);
}

// Moves a slice tile by tile, or as a Motion does that has its own MoveBoth<K>(skin, io) or
// MovePositions<K>(skin, io). By value: what is stored might else overwrite the pointers, which would be
// loaded again for every tile.
template <int K, class Motion>
void MoveRun(Motion motion, SkinSlice skin, VertexStreams io) {
  if (io.out_normals) {
    if constexpr (requires { motion.template MoveBoth<K>(skin, io); })
      motion.template MoveBoth<K>(skin, io);
    else
      for (std::size_t i = 0; i < skin.vertices; i += kLanes) MoveTile<K, true>(motion, skin, io, i);
  } else {
    if constexpr (requires { motion.template MovePositions<K>(skin, io); })
      motion.template MovePositions<K>(skin, io);
    else
      for (std::size_t i = 0; i < skin.vertices; i += kLanes) MoveTile<K, false>(motion, skin, io, i);
  }
}

// Moves a slice: one loop for each usual number of influences.
template <class Motion>
HWY_INLINE void MoveSlice(const Motion& motion, const SkinSlice& skin, const VertexStreams& io) {
  switch (skin.influences) {
    case 1:
      return MoveRun<1>(motion, skin, io);
    case 2:
      return MoveRun<2>(motion, skin, io);
    case 4:
      return MoveRun<4>(motion, skin, io);
    default:
      return MoveRun<0>(motion, skin, io);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#endif  // SINEW_DEFORM_TILE_INL_H_
