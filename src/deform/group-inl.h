// SPDX-License-Identifier: Apache-2.0
// Steps of kernels over groups of vertices that have the same joints, compiled once per target: constants of
// a joint are loaded once for all lanes, as broadcast operands of the arithmetic; only points are picked up
// and put down vertex by vertex.
#if defined(SINEW_DEFORM_GROUP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_DEFORM_GROUP_INL_H_
#undef SINEW_DEFORM_GROUP_INL_H_
#else
#define SINEW_DEFORM_GROUP_INL_H_
#endif

#include <cstring>

#include "deform/joint_kernel.h"
#include "deform/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

// All lanes of the target: G is a number a vertex, Vec3G a point.
using GroupTag = hn::CappedTag<float, kJointGroupSize>;
using G = hn::Vec<GroupTag>;
using Vec3G = Vec3Of<G>;
using QuatG = QuatOf<G>;
using MatrixG = MatrixOf<G>;
constexpr std::size_t kGroupLanes = HWY_MAX_BYTES >= 64 ? 16 : kLanes;

HWY_INLINE G Constant(float number) {
  return hn::Set(GroupTag(), number);
}

HWY_INLINE QuatG Constant4(const float (&q)[4]) {
  return {{Constant(q[0]), Constant(q[1]), Constant(q[2])}, Constant(q[3])};
}

HWY_INLINE MatrixG ConstantMatrix(const Rows& m) {
  MatrixG out;
  for (std::size_t r = 0; r < 3; ++r)
    out.row[r] = {Constant(m.at[4 * r]), Constant(m.at[4 * r + 1]), Constant(m.at[4 * r + 2])};
  out.translation = {Constant(m.at[3]), Constant(m.at[7]), Constant(m.at[11])};
  return out;
}

HWY_INLINE Vec3G Transform(const Rows& m, const Vec3G& p) {
  return MovePoint(ConstantMatrix(m), p);
}

// Some lanes of a group: its vertices, and the joints that they have in common.
struct GroupTile {
  const std::uint16_t* entries;  // of the palette
  std::size_t count;
  GroupOrder order;
  const std::uint32_t* vertex;
  const float* weights;  // three numbers an entry, kJointGroupSize apart
  const float* ends;     // two numbers an entry, likewise

  HWY_INLINE G Share(std::size_t k) const { return Weight(k, 0); }
  HWY_INLINE G Move(std::size_t k) const { return Weight(k, 1); }
  HWY_INLINE G Turn(std::size_t k) const { return Weight(k, 2); }
  HWY_INLINE G AboveEnd(std::size_t k) const { return End(k, 0); }
  HWY_INLINE G OwnEnd(std::size_t k) const { return End(k, 1); }

 private:
  HWY_INLINE G Weight(std::size_t k, std::size_t number) const {
    return hn::LoadU(GroupTag(), weights + kJointGroupSize * (3 * k + number));
  }
  HWY_INLINE G End(std::size_t k, std::size_t number) const {
    return hn::LoadU(GroupTag(), ends + kJointGroupSize * (2 * k + number));
  }
};

HWY_INLINE GroupTile TileOf(const JointTable& table, std::size_t group, std::size_t lane) {
  const std::uint32_t set = table.group_set[group];
  const std::uint32_t begin = table.set_offsets[set];
  const std::size_t data = table.group_data[group];
  return {table.set_entries.data() + begin,   table.set_offsets[set + 1] - begin,
          table.group_order[group],           table.vertex.data() + group * kJointGroupSize + lane,
          table.weights.data() + data + lane, table.ends.data() + data / 3 * 2 + lane};
}

// The vertices alone.
HWY_INLINE GroupTile PlaceOf(const JointTable& table, std::size_t group, std::size_t lane) {
  return {nullptr, 0,      table.group_order[group], table.vertex.data() + group * kJointGroupSize + lane,
          nullptr, nullptr};
}

// The blocks at the vertices k, k + 4 and so on.
HWY_INLINE G LoadBlocksOf(const float* HWY_RESTRICT from, const std::uint32_t* HWY_RESTRICT vertex) {
  const auto at = [&](std::size_t lane) HWY_ATTR { return from + 3 * std::size_t{vertex[lane]}; };
#if HWY_MAX_BYTES >= 64
  return hn::Combine(GroupTag(), LoadBlocks(at(8), at(12)), LoadBlocks(at(0), at(4)));
#else
  return LoadBlocks(at(0), at(kLanes - 4));
#endif
}

// Points as whole blocks of four numbers, which read one past the last of a point, and are then transposed.
HWY_INLINE Vec3G Load3(const float* HWY_RESTRICT from, const GroupTile& tile) {
  const std::uint32_t* HWY_RESTRICT vertex = tile.vertex;
  if (tile.order == GroupOrder::kConsecutive)
    return LoadPoints(GroupTag(), from + 3 * std::size_t{vertex[0]});
  if (tile.order == GroupOrder::kLast) {
    alignas(64) float numbers[3 * kGroupLanes];
    for (std::size_t lane = 0; lane < kGroupLanes; ++lane)
      for (std::size_t c = 0; c < 3; ++c) numbers[3 * lane + c] = from[3 * std::size_t{vertex[lane]} + c];
    return LoadPoints(GroupTag(), numbers);
  }
  G rows[4];
  for (std::size_t k = 0; k < 4; ++k) rows[k] = LoadBlocksOf(from, vertex + k);
  Transpose(GroupTag(), rows[0], rows[1], rows[2], rows[3]);
  return {rows[0], rows[1], rows[2]};
}

// Points go through memory, where the integer units pick them up: taking vectors apart is dearer.
HWY_INLINE void Store3(const Vec3G& v, float* HWY_RESTRICT to, const GroupTile& tile) {
  const std::uint32_t* HWY_RESTRICT vertex = tile.vertex;
  const GroupTag d;
  if (tile.order == GroupOrder::kConsecutive) return StorePoints(d, v, to + 3 * std::size_t{vertex[0]});
  G rows[4] = {v.x, v.y, v.z, v.z};
  Transpose(d, rows[0], rows[1], rows[2], rows[3]);
  // Block b of vector k is the vertex k + 4 b.
  alignas(64) float points[4 * kGroupLanes];
  for (std::size_t k = 0; k < 4; ++k) hn::Store(rows[k], d, points + k * kGroupLanes);
  HWY_UNROLL(16)
  for (std::size_t lane = 0; lane < kGroupLanes; ++lane)
    std::memcpy(to + 3 * std::size_t{vertex[lane]}, points + lane % 4 * kGroupLanes + lane / 4 * 4,
                3 * sizeof(float));
}

// Calls kernel.Tile(tile) for all lanes of the groups [begin, end).
template <class Kernel>
HWY_INLINE void ForEachTile(const JointTable& table, std::size_t begin, std::size_t end,
                            const Kernel& kernel) {
  for (std::size_t group = begin; group < end; ++group)
    for (std::size_t lane = 0; lane < table.group_used[group]; lane += kGroupLanes)
      kernel.Tile(TileOf(table, group, lane));
}

struct TurnG {
  G cosine, sine;
};

// Cosine and sine of x by their series: within 6e-8 up to a quarter turn.
HWY_INLINE TurnG SmallTurn(G x) {
  const G q = hn::Mul(x, x);
  G c = Constant(-2.7557319e-7f), s = Constant(-2.5052108e-8f);
  c = hn::MulAdd(c, q, Constant(2.4801587e-5f));
  s = hn::MulAdd(s, q, Constant(2.7557319e-6f));
  c = hn::MulAdd(c, q, Constant(-1.3888889e-3f));
  s = hn::MulAdd(s, q, Constant(-1.9841270e-4f));
  c = hn::MulAdd(c, q, Constant(4.1666667e-2f));
  s = hn::MulAdd(s, q, Constant(8.3333333e-3f));
  c = hn::MulAdd(c, q, Constant(-0.5f));
  s = hn::MulAdd(s, q, Constant(-1.6666667e-1f));
  return {hn::MulAdd(c, q, Constant(1.0f)), hn::Mul(x, hn::MulAdd(s, q, Constant(1.0f)))};
}

// Half angles differ by half a turn without harm: both sine and cosine change sign.
HWY_INLINE G WithinAQuarter(G x) {
  const G turns = hn::Round(hn::Mul(x, Constant(0.318309886f)));
  // Pi in two parts, so that many turns do not eat up the digits.
  x = hn::NegMulAdd(turns, Constant(3.140625f), x);
  return hn::NegMulAdd(turns, Constant(9.67653589793e-4f), x);
}

// Of half the angle at weight t.
HWY_INLINE TurnG HalfTurn(const TurnEntry& turn, G t) {
  G x = hn::MulAdd(t, Constant(turn.half_growth), Constant(turn.half_start));
  if (turn.kind == TurnKind::kAnyAngle) x = WithinAQuarter(x);
  return SmallTurn(x);
}

// Of the angle at weight t.
HWY_INLINE TurnG Turn(const TurnEntry& turn, G t) {
  const G one = Constant(1.0f);
  if (turn.kind != TurnKind::kChord) {
    const TurnG half = HalfTurn(turn, t);
    const G twice = hn::Add(half.sine, half.sine);
    return {hn::NegMulAdd(twice, half.sine, one), hn::Mul(twice, half.cosine)};
  }
  const G h = hn::Sub(t, Constant(0.5f));
  const G bend = hn::MulAdd(Constant(turn.bend2), hn::Mul(h, h), Constant(turn.bend0));
  const G u = hn::MulAdd(hn::Mul(hn::Mul(t, h), hn::Sub(t, one)), bend, t);
  const G c = hn::MulAdd(u, Constant(turn.chord_cosine), one), n = hn::Mul(u, Constant(turn.chord_sine));
  const G scaled = hn::Mul(n, hn::Div(Constant(2.0f), hn::MulAdd(c, c, hn::Mul(n, n))));
  return {hn::NegMulAdd(scaled, n, one), hn::Mul(scaled, c)};
}

// x turned about z.
HWY_INLINE Vec3G Turned(const TurnG& turn, const Vec3G& x) {
  return {hn::NegMulAdd(turn.sine, x.y, hn::Mul(turn.cosine, x.x)),
          hn::MulAdd(turn.sine, x.x, hn::Mul(turn.cosine, x.y)), x.z};
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#endif  // SINEW_DEFORM_GROUP_INL_H_
