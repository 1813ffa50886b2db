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

// Harmonics of the direction in which vertices see a joint's swing, but for the first, which is 1.
struct HarmonicsG {
  G of[kTurnHarmonics];
};
HWY_INLINE HarmonicsG Harmonics(const FleshDrive& drive, G t) {
  G c1 = Constant(drive.cosine), s1 = Constant(drive.sine);
  if (drive.turn.kind != TurnKind::kNone) {
    const TurnG turn = Turn(drive.turn, t);
    c1 = hn::MulAdd(turn.sine, Constant(drive.sine), hn::Mul(turn.cosine, Constant(drive.cosine)));
    s1 = hn::NegMulAdd(turn.sine, Constant(drive.cosine), hn::Mul(turn.cosine, Constant(drive.sine)));
  }
  const G c2 = hn::NegMulAdd(s1, s1, hn::Mul(c1, c1)), s2 = hn::Mul(hn::Add(c1, c1), s1);
  const G c3 = hn::NegMulAdd(s1, s2, hn::Mul(c1, c2)), s3 = hn::MulAdd(s1, c2, hn::Mul(c1, s2));
  return {{Constant(1.0f), c1, s1, c2, s2, c3, s3}};
}

HWY_INLINE G AmountOf(const FleshAmount& amount, const HarmonicsG& harmonics) {
  G sum = Constant(amount.of_harmonic[0]);
  for (std::size_t h = 1; h < kTurnHarmonics; ++h)
    sum = hn::MulAdd(Constant(amount.of_harmonic[h]), harmonics.of[h], sum);
  return sum;
}

constexpr std::size_t kModeBytes = 6 * kJointGroupSize;  // of a mode in a group

HWY_INLINE G LoadWhole(const std::int8_t* from) {
  const hn::Rebind<std::int32_t, GroupTag> wide;
  const hn::Rebind<std::int8_t, GroupTag> narrow;
  return hn::ConvertTo(GroupTag(), hn::PromoteTo(wide, hn::LoadU(narrow, from)));
}

template <bool kNormals>
struct FleshKernel {
  const FleshTable& table;
  const FleshPalette& palette;
  const VertexStreams& io;

  HWY_INLINE void AddFields(std::size_t group, std::size_t lane, Vec3G& x, Vec3G& n) const {
    for (std::size_t b = table.block_offsets[group]; b < table.block_offsets[group + 1]; ++b) {
      const FleshBlock& block = table.blocks[b];
      const FleshDrive& drive = palette.drives[block.field];
      if (drive.still) continue;
      const HarmonicsG harmonics =
          Harmonics(drive, hn::LoadU(GroupTag(), table.twist.data() + block.twist + lane));
      const std::int8_t* data = table.data.data() + block.data + lane;
      constexpr std::size_t kAhead = 64 * kModeBytes;  // numbers are read once a frame, from slow memory
      const std::size_t first = table.first_mode[block.field], modes = table.fields[block.field].modes();
      for (std::size_t m = 0; m < modes; ++m, data += kModeBytes) {
        hwy::Prefetch(data + kAhead);
        hwy::Prefetch(data + kAhead + 64);
        const FleshAmount& mode = palette.amounts[first + m];
        const G amount = AmountOf(mode, harmonics);
        const auto add = [&](const std::int8_t* from, G by, Vec3G& to) HWY_ATTR {
          to.x = hn::MulAdd(LoadWhole(from), by, to.x);
          to.y = hn::MulAdd(LoadWhole(from + kJointGroupSize), by, to.y);
          to.z = hn::MulAdd(LoadWhole(from + 2 * kJointGroupSize), by, to.z);
        };
        add(data, amount, x);
        if (kNormals) add(data + 3 * kJointGroupSize, hn::Mul(amount, Constant(mode.tilt)), n);
      }
    }
  }

  HWY_INLINE void Tile(std::size_t group, std::size_t lane) const {
    const GroupTile tile = TileOf(table.joints, group, lane);
    Vec3G x = Load3(io.positions, tile), n = x;
    if constexpr (kNormals) n = Load3(io.normals, tile);
    AddFields(group, lane, x, n);
    const std::size_t begin = table.joints.set_offsets[table.joints.group_set[group]];
    const G zero = hn::Zero(GroupTag()), one = Constant(1.0f);
    const Vec3G none{zero, zero, zero};
    // What has come into each step from below, beside x; the last is what comes out of all.
    Vec3G shift[kMostComposedSteps + 1];
    LinearG turned[kMostComposedSteps + 1];
    for (std::size_t k = 0; k <= tile.count; ++k) {
      if (k < tile.count && table.set_leaf[begin + k]) continue;
      shift[k] = none;
      if constexpr (kNormals) turned[k] = {{none, none, none}};
    }
    const LinearG identity{{{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}};
    const auto plus_identity = [&](LinearG m) HWY_ATTR {
      m.row[0].x = hn::Add(m.row[0].x, one);
      m.row[1].y = hn::Add(m.row[1].y, one);
      m.row[2].z = hn::Add(m.row[2].z, one);
      return m;
    };
    const auto less_identity = [&](LinearG m) HWY_ATTR {
      m.row[0].x = hn::Sub(m.row[0].x, one);
      m.row[1].y = hn::Sub(m.row[1].y, one);
      m.row[2].z = hn::Sub(m.row[2].z, one);
      return m;
    };
    for (std::size_t k = 0; k < tile.count; ++k) {
      const std::size_t at = table.set_order[begin + k], parent = table.set_parent[begin + k];
      const bool leaf = table.set_leaf[begin + k] != 0;
      const FleshEntry& entry = palette.steps[tile.entries[at]];
      if (entry.still) {
        if (leaf) continue;
        shift[parent] = PlusG(shift[parent], shift[k]);
        if constexpr (kNormals)
          for (std::size_t r = 0; r < 3; ++r)
            turned[parent].row[r] = PlusG(turned[parent].row[r], turned[k].row[r]);
        continue;
      }
      const Vec3G in = leaf ? x : PlusG(x, shift[k]);
      Vec3G y;
      LinearG linear;
      if (entry.run) {
        y = Transform(entry.local, in);
        if constexpr (kNormals) linear = ConstantLinear(entry.local);
      } else {
        const G s = tile.Move(at);
        Vec3G r = Transform(entry.local, in);
        TurnG turn{one, zero};
        if (entry.turn.kind != TurnKind::kNone) {
          turn = Turn(entry.turn, tile.Turn(at));
          r = Turned(turn, r);
        }
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
      shift[parent] = PlusG(shift[parent], MinusG(y, x));
      if constexpr (kNormals) {
        if (!leaf) linear = Product(linear, plus_identity(turned[k]));
        const LinearG less = less_identity(linear);
        for (std::size_t q = 0; q < 3; ++q) turned[parent].row[q] = PlusG(turned[parent].row[q], less.row[q]);
      }
    }
    Store3(PlusG(x, shift[tile.count]), io.out_positions, tile);
    if constexpr (kNormals) {
      const LinearG all = tile.count > 0 ? plus_identity(turned[tile.count]) : identity;
      Store3(TransformNormal(all.row, n), io.out_normals, tile);
    }
  }

  void Run(std::size_t begin, std::size_t end) const {
    for (std::size_t group = begin; group < end; ++group)
      for (std::size_t lane = 0; lane < table.joints.group_used[group]; lane += kGroupLanes)
        Tile(group, lane);
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
