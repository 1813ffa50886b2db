// SPDX-License-Identifier: Apache-2.0
// Steps of kernels over groups of vertices that have the same joints: constants of a joint are loaded once
// for all lanes.
#if defined(SINEW_DEFORM_GROUP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_DEFORM_GROUP_INL_H_
#undef SINEW_DEFORM_GROUP_INL_H_
#else
#define SINEW_DEFORM_GROUP_INL_H_
#endif

#include "deform/joint_table.h"
#include "deform/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

HWY_INLINE V Constant(const float* HWY_RESTRICT p) {
  return hn::Set(Lanes(), *p);
}

HWY_INLINE V Row(const float* HWY_RESTRICT row, const Vec3V& p) {
  return hn::MulAdd(
      Constant(row), p.x,
      hn::MulAdd(Constant(row + 1), p.y, hn::MulAdd(Constant(row + 2), p.z, Constant(row + 3))));
}

HWY_INLINE V LinearRow(const float* HWY_RESTRICT row, const Vec3V& p) {
  return hn::MulAdd(Constant(row), p.x, hn::MulAdd(Constant(row + 1), p.y, hn::Mul(Constant(row + 2), p.z)));
}

// Some lanes of a group: its vertices, and the joints that they have in common.
struct GroupTile {
  const std::uint16_t* entries;  // of the palette
  std::size_t count;
  GroupOrder order;
  const std::uint32_t* vertex;
  const float* weights;  // three numbers an entry, kGroupSize apart
};

HWY_INLINE GroupTile TileOf(const JointTable& table, std::size_t group, std::size_t lane) {
  const std::uint32_t set = table.group_set[group];
  const std::uint32_t begin = table.set_offsets[set];
  return {table.set_entries.data() + begin, table.set_offsets[set + 1] - begin, table.group_order[group],
          table.vertex.data() + group * kGroupSize + lane,
          table.weights.data() + table.group_data[group] + lane};
}

// Points as whole blocks of four numbers, which read one past the last of a point, and are then transposed.
HWY_INLINE Vec3V Load3(const float* HWY_RESTRICT from, const std::uint32_t* HWY_RESTRICT vertex,
                       GroupOrder order) {
  if (order == GroupOrder::kConsecutive) return LoadTile(from + 3 * vertex[0]);
  if (order == GroupOrder::kLast) {
    alignas(32) float numbers[3 * kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      for (std::size_t c = 0; c < 3; ++c) numbers[3 * lane + c] = from[3 * std::size_t{vertex[lane]} + c];
    return LoadTile(numbers);
  }
  V rows[4];
  for (std::size_t k = 0; k < 4; ++k)
    rows[k] = LoadBlocks(from + 3 * std::size_t{vertex[k]}, from + 3 * std::size_t{vertex[k + kLanes - 4]});
  Transpose(Lanes(), rows[0], rows[1], rows[2], rows[3]);
  return {rows[0], rows[1], rows[2]};
}

HWY_INLINE void StorePoint(hn::Vec<Block> block, float* HWY_RESTRICT to) {
  const hn::FixedTag<float, 2> two;
  const hn::FixedTag<float, 1> one;
  hn::StoreU(hn::LowerHalf(two, block), two, to);
  hn::StoreU(hn::LowerHalf(one, hn::UpperHalf(two, block)), one, to + 2);
}

HWY_INLINE void Store3(const Vec3V& v, float* HWY_RESTRICT to, const std::uint32_t* HWY_RESTRICT vertex,
                       GroupOrder order) {
  if (order == GroupOrder::kConsecutive) return StoreTile(v, to + 3 * vertex[0]);
  V rows[4] = {v.x, v.y, v.z, v.z};
  Transpose(Lanes(), rows[0], rows[1], rows[2], rows[3]);
  for (std::size_t k = 0; k < 4; ++k) {
#if HWY_MAX_BYTES >= 32
    StorePoint(hn::LowerHalf(Block(), rows[k]), to + 3 * std::size_t{vertex[k]});
    StorePoint(hn::UpperHalf(Block(), rows[k]), to + 3 * std::size_t{vertex[k + 4]});
#else
    StorePoint(rows[k], to + 3 * std::size_t{vertex[k]});
#endif
  }
}

// Normals turned by the map with these columns.
HWY_INLINE void StoreNormals(const Vec3V (&columns)[3], const GroupTile& tile, const VertexStreams& io) {
  const Vec3V rows[3] = {{columns[0].x, columns[1].x, columns[2].x},
                         {columns[0].y, columns[1].y, columns[2].y},
                         {columns[0].z, columns[1].z, columns[2].z}};
  Store3(TransformNormal(rows, Load3(io.normals, tile.vertex, tile.order)), io.out_normals, tile.vertex,
         tile.order);
}

// Cosine and sine of half the angle times t, by their series: within 6e-8 up to a quarter turn.
HWY_INLINE void HalfTurn(V x, V& cosine, V& sine) {
  const Lanes d;
  const V q = hn::Mul(x, x);
  V c = hn::Set(d, -2.7557319e-7f), s = hn::Set(d, -2.5052108e-8f);
  c = hn::MulAdd(c, q, hn::Set(d, 2.4801587e-5f));
  s = hn::MulAdd(s, q, hn::Set(d, 2.7557319e-6f));
  c = hn::MulAdd(c, q, hn::Set(d, -1.3888889e-3f));
  s = hn::MulAdd(s, q, hn::Set(d, -1.9841270e-4f));
  c = hn::MulAdd(c, q, hn::Set(d, 4.1666667e-2f));
  s = hn::MulAdd(s, q, hn::Set(d, 8.3333333e-3f));
  c = hn::MulAdd(c, q, hn::Set(d, -0.5f));
  s = hn::MulAdd(s, q, hn::Set(d, -1.6666667e-1f));
  cosine = hn::MulAdd(c, q, hn::Set(d, 1.0f));
  sine = hn::Mul(x, hn::MulAdd(s, q, hn::Set(d, 1.0f)));
}

// Half angles differ by half a turn without harm: both sine and cosine change sign.
HWY_INLINE V WithinAQuarter(V x) {
  const Lanes d;
  const V turns = hn::Round(hn::Mul(x, hn::Set(d, 0.318309886f)));
  // Pi in two parts, so that many turns do not eat up the digits.
  x = hn::NegMulAdd(turns, hn::Set(d, 3.140625f), x);
  return hn::NegMulAdd(turns, hn::Set(d, 9.67653589793e-4f), x);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#endif  // SINEW_DEFORM_GROUP_INL_H_
