// SPDX-License-Identifier: Apache-2.0
// Steps that the kernels share, compiled once per target. A tile is kLanes consecutive vertices. Weights and
// palette entries are read vertex by vertex, as whole 4-float blocks; the blended blocks are then transposed,
// so that lane l of every vector belongs to vertex l of the tile and the rest is plain arithmetic. (Gathering
// single numbers across lanes instead, 12 per influence, ran at a fifth of the speed on Zen 4.)
#if defined(SINEW_DEFORM_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_DEFORM_TILE_INL_H_
#undef SINEW_DEFORM_TILE_INL_H_
#else
#define SINEW_DEFORM_TILE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "deform/palette.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Eight lanes at most: with 16 the blocks of four vertices must be put together for every load, which was
// slower.
using Lanes = hn::CappedTag<float, 8>;
using Block = hn::FixedTag<float, 4>;
using V = hn::Vec<Lanes>;
constexpr std::size_t kLanes = HWY_MAX_BYTES >= 32 ? 8 : 4;

struct Vec3V {
  V x, y, z;
};

// The blocks at `lower` and, on targets of two blocks a vector, `upper`.
HWY_INLINE V LoadBlocks(const float* HWY_RESTRICT lower, [[maybe_unused]] const float* HWY_RESTRICT upper) {
#if HWY_MAX_BYTES >= 32
  return hn::Combine(Lanes(), hn::LoadU(Block(), upper), hn::LoadU(Block(), lower));
#else
  return hn::LoadU(Lanes(), lower);
#endif
}

// Within each block: rows to columns.
template <class D, class T = hn::Vec<D>>
HWY_INLINE void Transpose(D d, T& a, T& b, T& c, T& e) {
  const T ac_low = hn::InterleaveLower(d, a, c), ac_high = hn::InterleaveUpper(d, a, c);
  const T be_low = hn::InterleaveLower(d, b, e), be_high = hn::InterleaveUpper(d, b, e);
  a = hn::InterleaveLower(d, ac_low, be_low);
  b = hn::InterleaveUpper(d, ac_low, be_low);
  c = hn::InterleaveLower(d, ac_high, be_high);
  e = hn::InterleaveUpper(d, ac_high, be_high);
}

HWY_INLINE Vec3V Cross(const Vec3V& a, const Vec3V& b) {
  return {hn::NegMulAdd(a.z, b.y, hn::Mul(a.y, b.z)), hn::NegMulAdd(a.x, b.z, hn::Mul(a.z, b.x)),
          hn::NegMulAdd(a.y, b.x, hn::Mul(a.x, b.y))};
}

HWY_INLINE V Dot(const Vec3V& a, const Vec3V& b) {
  return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z)));
}

// a * s + b
HWY_INLINE Vec3V MulAdd(const Vec3V& a, V s, const Vec3V& b) {
  return {hn::MulAdd(a.x, s, b.x), hn::MulAdd(a.y, s, b.y), hn::MulAdd(a.z, s, b.z)};
}

#if HWY_MAX_BYTES >= 32
// Three vectors of eight hold the x of eight points in eight different lanes, and so the y and the z: two
// blends collect them and one permutation puts them in order. LoadInterleaved3 and StoreInterleaved3 need
// thrice the shuffles.
HWY_INLINE V Permute(V v, const std::int32_t (&lanes)[8]) {
  return hn::TableLookupLanes(v, hn::SetTableIndices(Lanes(), lanes));
}

// Lane l from a, b or c where l % 3 is `first`, first + 1 or first + 2 (modulo 3).
template <int kFirst>
HWY_INLINE V Collect(V a, V b, V c) {
  const Lanes d;
  const hn::RebindToUnsigned<Lanes> du;
  alignas(32) static constexpr std::uint32_t kThird[10] = {~0u, 0, 0, ~0u, 0, 0, ~0u, 0, 0, ~0u};
  const auto from_a = hn::MaskFromVec(hn::BitCast(d, hn::LoadU(du, kThird + (3 - kFirst) % 3)));
  const auto from_b = hn::MaskFromVec(hn::BitCast(d, hn::LoadU(du, kThird + (5 - kFirst) % 3)));
  return hn::IfThenElse(from_a, a, hn::IfThenElse(from_b, b, c));
}
#endif

HWY_INLINE Vec3V LoadTile(const float* HWY_RESTRICT from) {
#if HWY_MAX_BYTES >= 32
  const Lanes d;
  const V a = hn::LoadU(d, from), b = hn::LoadU(d, from + 8), c = hn::LoadU(d, from + 16);
  return {Permute(Collect<0>(a, b, c), {0, 3, 6, 1, 4, 7, 2, 5}),
          Permute(Collect<1>(a, b, c), {1, 4, 7, 2, 5, 0, 3, 6}),
          Permute(Collect<2>(a, b, c), {2, 5, 0, 3, 6, 1, 4, 7})};
#else
  Vec3V v;
  hn::LoadInterleaved3(Lanes(), from, v.x, v.y, v.z);
  return v;
#endif
}

HWY_INLINE void StoreTile(const Vec3V& v, float* HWY_RESTRICT to) {
#if HWY_MAX_BYTES >= 32
  const Lanes d;
  const V x = Permute(v.x, {0, 3, 6, 1, 4, 7, 2, 5}), y = Permute(v.y, {5, 0, 3, 6, 1, 4, 7, 2});
  const V z = Permute(v.z, {2, 5, 0, 3, 6, 1, 4, 7});
  hn::StoreU(Collect<0>(x, y, z), d, to);
  hn::StoreU(Collect<0>(z, x, y), d, to + 8);
  hn::StoreU(Collect<0>(y, z, x), d, to + 16);
#else
  hn::StoreInterleaved3(v.x, v.y, v.z, Lanes(), to);
#endif
}

// Rows of the blended linear part, and its translation.
struct MatrixV {
  Vec3V row[3];
  Vec3V translation;
};

// In the order of LbsWide, so that both give the same bits.
HWY_INLINE V TransformRow(const Vec3V& row, V translation, const Vec3V& p) {
  return hn::MulAdd(row.x, p.x, hn::MulAdd(row.y, p.y, hn::MulAdd(row.z, p.z, translation)));
}

HWY_INLINE Vec3V TransformPoint(const MatrixV& m, const Vec3V& p) {
  return {TransformRow(m.row[0], m.translation.x, p), TransformRow(m.row[1], m.translation.y, p),
          TransformRow(m.row[2], m.translation.z, p)};
}

// v / |v|, or `other` where |v|^2 vanishes. Exact square root and division: estimates differ between makers
// of processors.
HWY_INLINE Vec3V Normalized(const Vec3V& v, V sign_source, const Vec3V& other) {
  const Lanes d;
  const V square = Dot(v, v);
  const auto usable = hn::Gt(square, hn::Set(d, 1e-36f));
  const V scale = hn::CopySign(hn::Div(hn::Set(d, 1.0f), hn::Sqrt(square)), sign_source);
  return {hn::IfThenElse(usable, hn::Mul(v.x, scale), other.x),
          hn::IfThenElse(usable, hn::Mul(v.y, scale), other.y),
          hn::IfThenElse(usable, hn::Mul(v.z, scale), other.z)};
}

// Unit normal along L^-T n. The cofactors are L^-T times the determinant, whose sign is taken out again.
HWY_INLINE Vec3V TransformNormal(const Vec3V (&row)[3], const Vec3V& n) {
  const Vec3V c0 = Cross(row[1], row[2]), c1 = Cross(row[2], row[0]), c2 = Cross(row[0], row[1]);
  return Normalized({Dot(c0, n), Dot(c1, n), Dot(c2, n)}, Dot(row[0], c0), n);
}

// One vertex's influences. K is their number, 0 where only `influences` knows it.
template <int K>
HWY_INLINE std::size_t Count(std::size_t influences) {
  return K ? static_cast<std::size_t>(K) : influences;
}

#if HWY_MAX_BYTES >= 32
// sum_k w_k M_k of one vertex: rows 0 and 1 in one vector, row 2 in half a one.
template <int K>
HWY_INLINE void BlendVertexRows(const float* HWY_RESTRICT w, const std::uint16_t* HWY_RESTRICT j,
                                std::size_t influences, const float* HWY_RESTRICT rows, V& rows01,
                                hn::Vec<Block>& row2) {
  const Lanes d;
  const Block b;
  const float* m = rows + kRowsStride * j[0];
  V weight = hn::Set(d, w[0]);
  rows01 = hn::Mul(weight, hn::Load(d, m));
  row2 = hn::Mul(hn::LowerHalf(b, weight), hn::Load(b, m + 8));
  for (std::size_t k = 1; k < Count<K>(influences); ++k) {
    m = rows + kRowsStride * j[k];
    weight = hn::Set(d, w[k]);
    rows01 = hn::MulAdd(weight, hn::Load(d, m), rows01);
    row2 = hn::MulAdd(hn::LowerHalf(b, weight), hn::Load(b, m + 8), row2);
  }
}

template <int K>
HWY_INLINE MatrixV BlendRows(const float* HWY_RESTRICT w, const std::uint16_t* HWY_RESTRICT j,
                             std::size_t influences, const float* HWY_RESTRICT rows) {
  const Lanes d;
  const std::size_t count = Count<K>(influences);
  V low[4], high[4], row2[4];
  HWY_UNROLL(4)
  for (std::size_t v = 0; v < 4; ++v) {
    hn::Vec<Block> row2_low, row2_high;
    BlendVertexRows<K>(w + v * count, j + v * count, count, rows, low[v], row2_low);
    BlendVertexRows<K>(w + (v + 4) * count, j + (v + 4) * count, count, rows, high[v], row2_high);
    row2[v] = hn::Combine(d, row2_high, row2_low);
  }
  Transpose(d, low[0], low[1], low[2], low[3]);
  Transpose(d, high[0], high[1], high[2], high[3]);
  Transpose(d, row2[0], row2[1], row2[2], row2[3]);
  V row0[4], row1[4];
  HWY_UNROLL(4)
  for (std::size_t c = 0; c < 4; ++c) {
    row0[c] = hn::ConcatLowerLower(d, high[c], low[c]);
    row1[c] = hn::ConcatUpperUpper(d, high[c], low[c]);
  }
  return {{{row0[0], row0[1], row0[2]}, {row1[0], row1[1], row1[2]}, {row2[0], row2[1], row2[2]}},
          {row0[3], row1[3], row2[3]}};
}
#endif

// sum_k w_k * entry_k over palette entries of kBlocks blocks; out[4 * block + component].
template <int K, int kBlocks, class Index>
HWY_INLINE void BlendBlocks(const float* HWY_RESTRICT w, const Index* HWY_RESTRICT j, std::size_t influences,
                            const float* HWY_RESTRICT palette, std::size_t stride, V* HWY_RESTRICT out) {
  const std::size_t count = Count<K>(influences);
  HWY_UNROLL(4)
  for (std::size_t v = 0; v < 4; ++v) {
    const std::size_t lower = v * count, upper = (v + kLanes - 4) * count;
    HWY_UNROLL(4)
    for (std::size_t k = 0; k < count; ++k) {
      const float *a = palette + stride * j[lower + k], *b = palette + stride * j[upper + k];
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

#if HWY_MAX_BYTES < 32
template <int K>
HWY_INLINE MatrixV BlendRows(const float* HWY_RESTRICT w, const std::uint16_t* HWY_RESTRICT j,
                             std::size_t influences, const float* HWY_RESTRICT rows) {
  V m[12];
  BlendBlocks<K, 3>(w, j, influences, rows, kRowsStride, m);
  return {{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}, {m[3], m[7], m[11]}};
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#endif  // SINEW_DEFORM_TILE_INL_H_
