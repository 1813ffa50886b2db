// SPDX-License-Identifier: Apache-2.0
#include "deform/dual_bone_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/dual_bone_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "deform/group-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

HWY_INLINE QuatG NoQuat() {
  const G zero = hn::Zero(GroupTag());
  return {{zero, zero, zero}, zero};
}

// The rotation of one bone for the lanes of a tile, and half of its twist.
struct BoneTurn {
  QuatG real;
  TurnG turn;
};

HWY_INLINE BoneTurn TwistedBone(const DualBoneEntry& entry, G t) {
  const TurnG half = SmallTurn(
      WithinAQuarter(hn::MulAdd(t, Constant(entry.twist.half_growth), Constant(entry.twist.half_start))));
  const QuatG q = Constant4(entry.real);
  return {MulAdd(Constant4(entry.turned), half.sine, {Mul(q.v, half.cosine), hn::Mul(q.w, half.cosine)}),
          half};
}

template <bool kTwisted, bool kNormals>
struct DualBones {
  const DualBoneEntry* palette;
  const VertexStreams& io;
  bool scaled;

  HWY_INLINE void Tile(const GroupTile& tile) const {
    RigidOf<G> sum{NoQuat(), NoQuat(), hn::Zero(GroupTag())};
    if constexpr (kTwisted)
      BlendTwisted(tile, sum);
    else
      BlendPlain(tile, sum);
    sum.scale = TwoOverSquare(sum.real);
    MatrixG scale;
    if (scaled) scale = BlendScales(tile);
    const Vec3G p = Load3(io.positions, tile);
    Store3(MovePoint(sum, scaled ? MovePoint(scale, p) : p), io.out_positions, tile);
    if constexpr (kNormals) {
      const Vec3G n = Load3(io.normals, tile);
      Store3(MoveNormal(sum, scaled ? MoveNormal(scale, n) : n), io.out_normals, tile);
    }
  }

 private:
  // The quaternion of the largest weight of each lane.
  struct Pivot {
    G largest;
    QuatG q;

    HWY_INLINE void See(G share, const QuatG& other) {
      const auto more = hn::Gt(share, largest);
      largest = hn::Max(share, largest);
      q = {{hn::IfThenElse(more, other.v.x, q.v.x), hn::IfThenElse(more, other.v.y, q.v.y),
            hn::IfThenElse(more, other.v.z, q.v.z)},
           hn::IfThenElse(more, other.w, q.w)};
    }
    HWY_INLINE G SignedShare(G share, const QuatG& other) const {
      return hn::Xor(share, hn::And(Dot(q, other), hn::SignBit(GroupTag())));
    }
  };

  HWY_INLINE void BlendPlain(const GroupTile& tile, RigidOf<G>& sum) const {
    Pivot pivot{hn::Zero(GroupTag()), NoQuat()};
    for (std::size_t k = 0; k < tile.count; ++k)
      pivot.See(tile.Share(k), Constant4(palette[tile.entries[k]].real));
    for (std::size_t k = 0; k < tile.count; ++k) {
      const DualBoneEntry& entry = palette[tile.entries[k]];
      const QuatG q = Constant4(entry.real);
      const G w = pivot.SignedShare(tile.Share(k), q);
      sum.real = MulAdd(q, w, sum.real);
      sum.dual = MulAdd(Constant4(entry.dual[2]), hn::Mul(w, tile.Move(k)),
                        MulAdd(Constant4(entry.dual[0]), w, sum.dual));
    }
  }

  HWY_INLINE void BlendTwisted(const GroupTile& tile, RigidOf<G>& sum) const {
    // What the search for the largest weight computes is kept for the sum, but not where registers are few:
    // AVX2 takes a tenth longer then.
    constexpr std::size_t kKept = HWY_MAX_BYTES >= 64 ? 8 : 0;
    BoneTurn kept[kKept + 1];
    Pivot pivot{hn::Zero(GroupTag()), NoQuat()};
    const std::size_t count = HWY_MIN(tile.count, kKept);
    for (std::size_t k = 0; k < count; ++k) {
      kept[k] = TwistedBone(palette[tile.entries[k]], tile.Turn(k));
      pivot.See(tile.Share(k), kept[k].real);
    }
    for (std::size_t k = count; k < tile.count; ++k)
      pivot.See(tile.Share(k), TwistedBone(palette[tile.entries[k]], tile.Turn(k)).real);
    for (std::size_t k = 0; k < count; ++k) AddTwisted(tile, k, kept[k], pivot, sum);
    for (std::size_t k = count; k < tile.count; ++k)
      AddTwisted(tile, k, TwistedBone(palette[tile.entries[k]], tile.Turn(k)), pivot, sum);
  }

  HWY_INLINE void AddTwisted(const GroupTile& tile, std::size_t k, const BoneTurn& bone, const Pivot& pivot,
                             RigidOf<G>& sum) const {
    const DualBoneEntry& entry = palette[tile.entries[k]];
    const G w = pivot.SignedShare(tile.Share(k), bone.real), e = tile.Move(k);
    const G c = hn::Mul(w, bone.turn.cosine), s = hn::Mul(w, bone.turn.sine);
    sum.real = MulAdd(bone.real, w, sum.real);
    sum.dual = MulAdd(Constant4(entry.dual[1]), s, MulAdd(Constant4(entry.dual[0]), c, sum.dual));
    sum.dual = MulAdd(Constant4(entry.dual[3]), hn::Mul(s, e),
                      MulAdd(Constant4(entry.dual[2]), hn::Mul(c, e), sum.dual));
  }

  HWY_INLINE MatrixG BlendScales(const GroupTile& tile) const {
    const Vec3G none = NoQuat().v;
    MatrixG sum{{none, none, none}, none};
    for (std::size_t k = 0; k < tile.count; ++k) {
      const MatrixG m = ConstantMatrix(palette[tile.entries[k]].scale);
      const G share = tile.Share(k);
      for (std::size_t r = 0; r < 3; ++r) sum.row[r] = MulAdd(m.row[r], share, sum.row[r]);
      sum.translation = MulAdd(m.translation, share, sum.translation);
    }
    return sum;
  }
};

template <bool kTwisted>
void MoveDualGroups(const JointTable& table, const DualBoneEntry* HWY_RESTRICT palette, bool scaled,
                    std::size_t begin, std::size_t end, const VertexStreams& io) {
  if (io.out_normals)
    ForEachTile(table, begin, end, DualBones<kTwisted, true>{palette, io, scaled});
  else
    ForEachTile(table, begin, end, DualBones<kTwisted, false>{palette, io, scaled});
}

void MoveDualBones(const JointTable& table, const DualBoneEntry* HWY_RESTRICT palette,
                   const DualBoneFrame& frame, std::size_t begin, std::size_t end, const VertexStreams& io) {
  if (frame.twisted)
    MoveDualGroups<true>(table, palette, frame.scaled, begin, end, io);
  else
    MoveDualGroups<false>(table, palette, frame.scaled, begin, end, io);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {
HWY_EXPORT(MoveDualBones);

void dual_bone_groups(const JointTable& table, const Palette<DualBoneEntry>& palette,
                      const DualBoneFrame& frame, std::size_t begin, std::size_t end,
                      const VertexStreams& streams) {
  HWY_DYNAMIC_DISPATCH(MoveDualBones)(table, palette.data(), frame, begin, end, streams);
}

}  // namespace sinew
#endif
