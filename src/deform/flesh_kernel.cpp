// SPDX-License-Identifier: Apache-2.0
#include "deform/flesh_table.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/flesh_kernel.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "deform/group-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

// Linear parts without translation: three rows.
struct LinearG {
  Vec3G row[3];
};

HWY_INLINE Vec3G MinusG(const Vec3G& a, const Vec3G& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE Vec3G PlusG(const Vec3G& a, const Vec3G& b) {
  return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}

HWY_INLINE LinearG ConstantLinear(const Rows& m) {
  LinearG out;
  for (std::size_t r = 0; r < 3; ++r)
    out.row[r] = {Constant(m.at[4 * r]), Constant(m.at[4 * r + 1]), Constant(m.at[4 * r + 2])};
  return out;
}

HWY_INLINE LinearG Product(const LinearG& a, const LinearG& b) {
  LinearG out;
  for (std::size_t r = 0; r < 3; ++r) {
    const Vec3G& row = a.row[r];
    out.row[r] = MulAdd(b.row[2], row.z, MulAdd(b.row[1], row.y, Mul(b.row[0], row.x)));
  }
  return out;
}

using Int32Tag = hn::RebindToSigned<GroupTag>;
using Int32 = hn::Vec<Int32Tag>;
using Int16Tag = hn::Repartition<std::int16_t, Int32Tag>;
using Int16 = hn::Vec<Int16Tag>;

// The nearest whole numbers, of numbers that fit.
HWY_INLINE Int32 Whole(G x) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return Int32{_mm512_cvtps_epi32(x.raw)};  // NearestInt also looks for numbers that do not fit
#elif HWY_TARGET == HWY_AVX2
  return Int32{_mm256_cvtps_epi32(x.raw)};
#else
  return hn::NearestInt(x);
#endif
}

// Sums of products of two neighbouring numbers of 16 bits in one of 32.
struct SumG {
  Int32 sum, other;

  HWY_INLINE void Add(Int16 a, Int16 b) { sum = hn::ReorderWidenMulAccumulate(Int32Tag(), a, b, sum, other); }
  HWY_INLINE G All() const { return hn::ConvertTo(GroupTag(), hn::RearrangeToOddPlusEven(sum, other)); }
};

// What amounts are mixes of: harmonics of the direction in which vertices see a joint's swing, or powers of
// the share of the twist less a half; but for the first, which is 1.
using Basis = G[kTurnHarmonics];

HWY_INLINE TurnG WholeTurn(const TurnG& half) {
  const G twice = hn::Add(half.sine, half.sine);
  return {hn::NegMulAdd(twice, half.sine, Constant(1.0f)), hn::Mul(twice, half.cosine)};
}

HWY_INLINE void SetHarmonics(const FleshDrive& drive, G share, Basis& basis) {
  const TurnG turn =
      WholeTurn(SmallTurn(hn::MulAdd(share, Constant(drive.half_twist), Constant(0.5f * drive.half_twist))));
  const G c = turn.cosine, s = turn.sine, cosine = Constant(drive.cosine), sine = Constant(drive.sine);
  const G c1 = hn::MulAdd(s, sine, hn::Mul(c, cosine)), s1 = hn::NegMulAdd(s, cosine, hn::Mul(c, sine));
  const G c2 = hn::NegMulAdd(s1, s1, hn::Mul(c1, c1)), s2 = hn::Mul(hn::Add(c1, c1), s1);
  basis[1] = c1, basis[2] = s1, basis[3] = c2, basis[4] = s2;
  basis[5] = hn::NegMulAdd(s1, s2, hn::Mul(c1, c2));
  basis[6] = hn::MulAdd(s1, c2, hn::Mul(c1, s2));
}

template <std::size_t kTerms>
HWY_INLINE G AmountOf(const std::array<float, kTurnHarmonics>& amount, const Basis& basis) {
  G sum = Constant(amount[0]);
  for (std::size_t h = 1; h < kTerms; ++h) sum = hn::MulAdd(Constant(amount[h]), basis[h], sum);
  return sum;
}

HWY_INLINE G Along(const float* row, const Vec3G& v) {
  return hn::MulAdd(Constant(row[0]), v.x, hn::MulAdd(Constant(row[1]), v.y, hn::Mul(Constant(row[2]), v.z)));
}
HWY_INLINE Vec3G Times(const std::array<float, 9>& m, const Vec3G& v) {
  return {Along(&m[0], v), Along(&m[3], v), Along(&m[6], v)};
}

// Two whole numbers a lane.
HWY_INLINE Int16 LoadTwo(const std::int8_t* from) {
  const hn::Rebind<std::int8_t, Int16Tag> narrow;
  return hn::PromoteTo(Int16Tag(), hn::LoadU(narrow, from));
}

HWY_INLINE G LoadLanes(const std::int8_t* from) {
  const hn::Repartition<std::int8_t, GroupTag> bytes;
  return hn::BitCast(GroupTag(), hn::LoadU(bytes, from));
}

constexpr std::size_t kCoordinateBytes = kPairBytes / 3;
constexpr std::size_t kBlocksAhead = 12;  // what is read once a frame comes from slow memory

// What is brought into the cache.
struct Fetching {
  const std::int8_t *at, *end;

  HWY_INLINE void Some(std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; k += 64) hwy::Prefetch(at + k);
    at += bytes;
  }
  HWY_INLINE void Rest() {
    for (; at < end; at += 64) hwy::Prefetch(at);
  }
};

template <bool kNormals>
struct FleshKernel {
  const FleshTable& table;
  const FleshPalette& palette;
  const VertexStreams& io;

  // Of a pair of modes.
  static constexpr std::size_t kFetched = kNormals ? 2 * kPairBytes : kPairBytes;

  // Adds a block's modes, of the lanes from `data` on, while it fetches what lies at `ahead`.
  template <std::size_t kTerms>
  HWY_INLINE void AddModes(const FleshBlock& block, const FleshDrive& drive, const Basis& basis,
                           const std::int8_t* data, Fetching ahead, Vec3G& x, Vec3G& n) const {
    const FleshPair* HWY_RESTRICT pair = palette.pairs.data() + table.first_pair[block.field];
    const std::int8_t* tilts = data + block.pairs * kPairBytes;
    const Int32 zero = hn::Zero(Int32Tag());
    SumG sums[6] = {{zero, zero}, {zero, zero}, {zero, zero}, {zero, zero}, {zero, zero}, {zero, zero}};
    for (std::size_t p = 0; p < block.pairs; ++p, ++pair, data += kPairBytes, tilts += kPairBytes) {
      ahead.Some(kFetched);
      const Int16 first = hn::BitCast(Int16Tag(), Whole(AmountOf<kTerms>(pair->first, basis))),
                  second = hn::BitCast(Int16Tag(), Whole(AmountOf<kTerms>(pair->second, basis)));
      const Int16 amounts = hn::OddEven(second, first);
      HWY_UNROLL(3)
      for (std::size_t c = 0; c < 3; ++c) sums[c].Add(amounts, LoadTwo(data + c * kCoordinateBytes));
      if constexpr (kNormals) {
        std::int32_t both;
        std::memcpy(&both, pair->tilts.data(), sizeof(both));
        const Int16 tilted = hn::MulFixedPoint15(amounts, hn::BitCast(Int16Tag(), hn::Set(Int32Tag(), both)));
        HWY_UNROLL(3)
        for (std::size_t c = 0; c < 3; ++c) sums[3 + c].Add(tilted, LoadTwo(tilts + c * kCoordinateBytes));
      }
    }
    ahead.Rest();
    const G unit = Constant(drive.unit);
    x = MulAdd(Vec3G{sums[0].All(), sums[1].All(), sums[2].All()}, unit, x);
    if constexpr (kNormals)
      n = MulAdd(Vec3G{sums[3].All(), sums[4].All(), sums[5].All()}, Constant(drive.tilt_unit), n);
  }

  HWY_INLINE void AddFields(std::size_t group, std::size_t lane, Vec3G& x, Vec3G& n) const {
    for (std::size_t b = table.block_offsets[group]; b < table.block_offsets[group + 1]; ++b) {
      const FleshBlock &block = table.blocks[b],
                       &later = table.blocks[std::min(b + kBlocksAhead, table.blocks.size() - 1)];
      const FleshDrive& drive = palette.drives[block.field];
      const std::int8_t* data = table.stream.data() + block.data;
      const bool is_later_used = palette.drives[later.field].form != AmountForm::kStill;
      const std::int8_t* from = is_later_used ? table.stream.data() + later.data : data;
      Fetching ahead{from, from + (is_later_used ? kLaneBytes + later.pairs * kFetched : 0)};
      if (drive.form == AmountForm::kStill) {
        ahead.Rest();
        continue;
      }
      const G share = LoadLanes(data + 4 * lane);
      data += kLaneBytes + 2 * lane;
      Basis basis;
      if (drive.form == AmountForm::kHarmonics) {
        SetHarmonics(drive, share, basis);
        AddModes<kTurnHarmonics>(block, drive, basis, data, ahead, x, n);
        continue;
      }
      basis[1] = share;
      basis[2] = hn::Mul(share, share);
      basis[3] = hn::Mul(basis[2], share);
      basis[4] = hn::Mul(basis[2], basis[2]);
      switch (drive.form) {
        case AmountForm::kConstant:
          AddModes<1>(block, drive, basis, data, ahead, x, n);
          break;
        case AmountForm::kLinear:
          AddModes<2>(block, drive, basis, data, ahead, x, n);
          break;
        case AmountForm::kQuadratic:
          AddModes<3>(block, drive, basis, data, ahead, x, n);
          break;
        case AmountForm::kCubic:
          AddModes<4>(block, drive, basis, data, ahead, x, n);
          break;
        default:
          AddModes<5>(block, drive, basis, data, ahead, x, n);
      }
    }
  }

  // The turn of a step by the vertices' shares, which lie behind those of its swing.
  HWY_INLINE TurnG TurnOf(const FleshEntry& entry, const std::int8_t* shares) const {
    return WholeTurn(SmallTurn(hn::Mul(LoadLanes(shares + kLaneBytes), Constant(entry.half_twist))));
  }

  // Steps that each take what the one before left. Leaves out the lengths of normals, and the sign that their
  // matrices have.
  HWY_INLINE void Chain(const std::uint16_t* steps, std::size_t count, const std::int8_t* shares, Vec3G& x,
                        Vec3G& n, G& sign) const {
    for (std::size_t k = 0; k < count; ++k) {
      const FleshEntry& entry = palette.steps[steps[k]];
      const auto& cofactors = entry.cofactors;
      if (entry.run) {
        x = Transform(entry.local, x);
        if constexpr (kNormals) {
          n = Times(cofactors[0], n);
          sign = hn::Xor(sign, Constant(entry.determinant[0]));
        }
        continue;
      }
      const std::int8_t* own = shares;
      shares += 2 * kLaneBytes;
      if (entry.still) continue;
      const G s = LoadLanes(own);
      const TurnG turn = TurnOf(entry, own);
      const Vec3G r = Turned(turn, Transform(entry.local, x));
      x = MulAdd(Transform(entry.move, r), s, Transform(entry.above, r));
      if constexpr (kNormals) {
        const float* local = entry.local.at;
        const Vec3G q = Turned(turn, {Along(local, n), Along(local + 4, n), Along(local + 8, n)});
        n = MulAdd(MulAdd(Times(cofactors[2], q), s, Times(cofactors[1], q)), s, Times(cofactors[0], q));
        const auto& d = entry.determinant;
        G determinant = hn::MulAdd(Constant(d[3]), s, Constant(d[2]));
        determinant = hn::MulAdd(determinant, s, Constant(d[1]));
        sign = hn::Xor(sign, hn::MulAdd(determinant, s, Constant(d[0])));
      }
    }
  }

  // Steps of which several may go into one. Returns behind their shares.
  HWY_INLINE const std::int8_t* Branches(const std::uint16_t* steps, const std::uint16_t* parents,
                                         std::size_t count, const std::int8_t* shares, Vec3G& x, Vec3G& n,
                                         G& sign) const {
    const G one = Constant(1.0f);
    // What has come into each step from below, beside x; the last is what comes out of all.
    Vec3G shift[kMostComposedSteps + 1];
    LinearG turned[kMostComposedSteps + 1];
    bool filled[kMostComposedSteps + 1] = {};
    const auto plus_identity = [&](LinearG m) HWY_ATTR {
      m.row[0].x = hn::Add(m.row[0].x, one);
      m.row[1].y = hn::Add(m.row[1].y, one);
      m.row[2].z = hn::Add(m.row[2].z, one);
      return m;
    };
    const auto add = [&](std::size_t to, const Vec3G& by, const LinearG& and_turned) HWY_ATTR {
      shift[to] = filled[to] ? PlusG(shift[to], by) : by;
      if constexpr (kNormals)
        for (std::size_t r = 0; r < 3; ++r)
          turned[to].row[r] = filled[to] ? PlusG(turned[to].row[r], and_turned.row[r]) : and_turned.row[r];
      filled[to] = true;
    };
    for (std::size_t k = 0; k < count; ++k) {
      const FleshEntry& entry = palette.steps[steps[k]];
      const std::int8_t* own = shares;
      if (!entry.run) shares += 2 * kLaneBytes;
      if (entry.still) {
        if (filled[k]) add(parents[k], shift[k], turned[k]);
        continue;
      }
      const Vec3G in = filled[k] ? PlusG(x, shift[k]) : x;
      Vec3G y;
      LinearG linear;
      if (entry.run) {
        y = Transform(entry.local, in);
        if constexpr (kNormals) linear = ConstantLinear(entry.local);
      } else {
        const G s = LoadLanes(own);
        const TurnG turn = TurnOf(entry, own);
        const Vec3G r = Turned(turn, Transform(entry.local, in));
        y = MulAdd(Transform(entry.move, r), s, Transform(entry.above, r));
        if constexpr (kNormals) {
          // (above + s move), behind the turn, behind local
          const LinearG above = ConstantLinear(entry.above), move = ConstantLinear(entry.move);
          LinearG m;
          for (std::size_t q = 0; q < 3; ++q) {
            const Vec3G row = MulAdd(move.row[q], s, above.row[q]);
            m.row[q] = {hn::MulAdd(row.y, turn.sine, hn::Mul(row.x, turn.cosine)),
                        hn::NegMulAdd(row.x, turn.sine, hn::Mul(row.y, turn.cosine)), row.z};
          }
          linear = Product(m, ConstantLinear(entry.local));
        }
      }
      if constexpr (kNormals) {
        if (filled[k]) linear = Product(linear, plus_identity(turned[k]));
        linear.row[0].x = hn::Sub(linear.row[0].x, one);
        linear.row[1].y = hn::Sub(linear.row[1].y, one);
        linear.row[2].z = hn::Sub(linear.row[2].z, one);
      }
      add(parents[k], MinusG(y, x), linear);
    }
    if (!filled[count]) return shares;
    x = PlusG(x, shift[count]);
    if constexpr (kNormals) {
      const LinearG all = plus_identity(turned[count]);
      const Vec3G c0 = Cross(all.row[1], all.row[2]), c1 = Cross(all.row[2], all.row[0]),
                  c2 = Cross(all.row[0], all.row[1]);
      n = {Dot(c0, n), Dot(c1, n), Dot(c2, n)};
      sign = hn::Xor(sign, Dot(all.row[0], c0));
    }
    return shares;
  }

  HWY_INLINE void MoveJoints(std::size_t group, std::size_t lane, Vec3G& x, Vec3G& n) const {
    const std::uint32_t set = table.joints.group_set[group];
    const std::size_t begin = table.joints.set_offsets[set],
                      count = table.joints.set_offsets[set + 1] - begin, branches = table.set_branches[set];
    const std::uint16_t *steps = table.set_steps.data() + begin, *parents = table.set_parent.data() + begin;
    const std::int8_t* shares = table.stream.data() + table.group_stream[group] + 4 * lane;
    const Vec3G rest = n;
    G sign = Constant(1.0f);
    if (branches > 0) shares = Branches(steps, parents, branches, shares, x, n, sign);
    Chain(steps + branches, count - branches, shares, x, n, sign);
    if constexpr (kNormals) n = Normalized(n, sign, rest);
  }

  // What is read of a group before its fields.
  HWY_INLINE void Fetch(std::size_t group) const {
    if (group >= table.joints.group_count()) return;
    const std::uint32_t* vertex = table.joints.vertex.data() + group * kJointGroupSize;
    for (std::size_t lane = 0; lane < kJointGroupSize; lane += 2) {  // neighbours share lines
      hwy::Prefetch(io.positions + 3 * std::size_t{vertex[lane]});
      if constexpr (kNormals) hwy::Prefetch(io.normals + 3 * std::size_t{vertex[lane]});
    }
    const std::int8_t* shares = table.stream.data() + table.group_stream[group];
    for (std::size_t step = 0; step < 3; ++step) {  // of most groups
      hwy::Prefetch(shares + 2 * step * kLaneBytes);
      hwy::Prefetch(shares + (2 * step + 1) * kLaneBytes);
    }
    // These are short, and read on ahead.
    hwy::Prefetch(vertex + 8 * kJointGroupSize);
    hwy::Prefetch(table.blocks.data() +
                  std::min<std::size_t>(table.block_offsets[group] + 32, table.blocks.size()));
  }

  HWY_INLINE void Tile(std::size_t group, std::size_t lane) const {
    const GroupTile tile = PlaceOf(table.joints, group, lane);
    Vec3G x = Load3(io.positions, tile), n = x;
    if constexpr (kNormals) n = Load3(io.normals, tile);
    AddFields(group, lane, x, n);
    MoveJoints(group, lane, x, n);
    Store3(x, io.out_positions, tile);
    if constexpr (kNormals) Store3(n, io.out_normals, tile);
  }

  void Run(std::size_t begin, std::size_t end) const {
    for (std::size_t group = begin; group < end; ++group) {
      Fetch(group + 2);
      for (std::size_t lane = 0; lane < table.joints.group_used[group]; lane += kGroupLanes)
        Tile(group, lane);
    }
  }
};

void MoveFlesh(const FleshTable& table, const FleshPalette& palette, std::size_t begin, std::size_t end,
               const VertexStreams& io) {
  if (io.out_normals)
    FleshKernel<true>{table, palette, io}.Run(begin, end);
  else
    FleshKernel<false>{table, palette, io}.Run(begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {
HWY_EXPORT(MoveFlesh);

void flesh_groups(const FleshTable& table, const FleshPalette& palette, std::size_t begin, std::size_t end,
                  const VertexStreams& streams) {
  HWY_DYNAMIC_DISPATCH(MoveFlesh)(table, palette, begin, end, streams);
}

}  // namespace sinew
#endif
