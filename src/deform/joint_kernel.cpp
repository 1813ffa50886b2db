// SPDX-License-Identifier: Apache-2.0
// Without normals, every joint moves the point and the results are blended. With them, the matrices that do
// so are blended instead, which is cheaper than the point and its derivatives.
#include "deform/joint_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/joint_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "deform/group-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

// a + s b
HWY_INLINE MatrixG MulAdd(const MatrixG& b, G s, const MatrixG& a) {
  return {{MulAdd(b.row[0], s, a.row[0]), MulAdd(b.row[1], s, a.row[1]), MulAdd(b.row[2], s, a.row[2])},
          MulAdd(b.translation, s, a.translation)};
}

HWY_INLINE Vec3G Minus(const Vec3G& a, const Vec3G& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}

// share m behind the turn.
HWY_INLINE MatrixG BehindTurn(const MatrixG& m, G share, const TurnG& turn) {
  const G c = hn::Mul(share, turn.cosine), n = hn::Mul(share, turn.sine);
  MatrixG out;
  for (std::size_t r = 0; r < 3; ++r)
    out.row[r] = {hn::MulAdd(m.row[r].y, n, hn::Mul(m.row[r].x, c)),
                  hn::NegMulAdd(m.row[r].x, n, hn::Mul(m.row[r].y, c)), hn::Mul(m.row[r].z, share)};
  out.translation = Mul(m.translation, share);
  return out;
}
HWY_INLINE MatrixG BehindTurn(const MatrixG& m, G share, const TurnEntry& turn, G t) {
  if (turn.kind != TurnKind::kNone) return BehindTurn(m, share, Turn(turn, t));
  return {{Mul(m.row[0], share), Mul(m.row[1], share), Mul(m.row[2], share)}, Mul(m.translation, share)};
}

// sum += m first
HWY_INLINE void AddProduct(const MatrixG& m, const Rows& first, MatrixG& sum) {
  const MatrixG f = ConstantMatrix(first);
  G* moved[3] = {&sum.translation.x, &sum.translation.y, &sum.translation.z};
  const G own[3] = {m.translation.x, m.translation.y, m.translation.z};
  for (std::size_t r = 0; r < 3; ++r) {
    const Vec3G& row = m.row[r];
    sum.row[r] = MulAdd(f.row[0], row.x, MulAdd(f.row[1], row.y, MulAdd(f.row[2], row.z, sum.row[r])));
    *moved[r] = hn::MulAdd(
        f.translation.x, row.x,
        hn::MulAdd(f.translation.y, row.y, hn::MulAdd(f.translation.z, row.z, hn::Add(*moved[r], own[r]))));
  }
}

struct Joints {
  const JointPaletteEntry* palette;

  HWY_INLINE Vec3G Point(const GroupTile& tile, std::size_t k, const Vec3G& p) const {
    const JointPaletteEntry& entry = palette[tile.entries[k]];
    Vec3G x = Transform(entry.local, p);
    if (entry.turn.kind != TurnKind::kNone) x = Turned(Turn(entry.turn, tile.Turn(k)), x);
    return MulAdd(Transform(entry.move, x), tile.Move(k), Transform(entry.above, x));
  }
  HWY_INLINE void AddMatrix(const GroupTile& tile, std::size_t k, MatrixG& sum) const {
    const JointPaletteEntry& entry = palette[tile.entries[k]];
    const MatrixG m = MulAdd(ConstantMatrix(entry.move), tile.Move(k), ConstantMatrix(entry.above));
    AddProduct(BehindTurn(m, tile.Share(k), entry.turn, tile.Turn(k)), entry.local, sum);
  }
};

// `e` is the endpoint weight for the stretch, `t` that for the twist.
HWY_INLINE Vec3G MovedByBone(const BoneEntry& bone, G e, G t, const Vec3G& p) {
  Vec3G x = Transform(bone.into, p);
  if (bone.twist.kind != TurnKind::kNone) x = Turned(Turn(bone.twist, t), x);
  return MulAdd({Constant(bone.stretch[0]), Constant(bone.stretch[1]), Constant(bone.stretch[2])}, e,
                Transform(bone.out, x));
}
HWY_INLINE void AddBoneMatrix(const BoneEntry& bone, G share, G e, G t, MatrixG& sum) {
  MatrixG m = ConstantMatrix(bone.out);
  m.translation = MulAdd({Constant(bone.stretch[0]), Constant(bone.stretch[1]), Constant(bone.stretch[2])}, e,
                         m.translation);
  AddProduct(BehindTurn(m, share, bone.twist, t), bone.into, sum);
}

struct Bones {
  const BoneEntry* palette;

  HWY_INLINE Vec3G Point(const GroupTile& tile, std::size_t k, const Vec3G& p) const {
    return MovedByBone(palette[tile.entries[k]], tile.Move(k), tile.Turn(k), p);
  }
  HWY_INLINE void AddMatrix(const GroupTile& tile, std::size_t k, MatrixG& sum) const {
    AddBoneMatrix(palette[tile.entries[k]], tile.Share(k), tile.Move(k), tile.Turn(k), sum);
  }
};

HWY_INLINE MatrixG NoMatrix() {
  const G zero = hn::Zero(GroupTag());
  const Vec3G none{zero, zero, zero};
  return {{none, none, none}, none};
}

struct ShapedJoints {
  const ShapedJointEntry* palette;

  HWY_INLINE Vec3G Point(const GroupTile& tile, std::size_t k, const Vec3G& p) const {
    const ShapedJointEntry& entry = palette[tile.entries[k]];
    Vec3G x = Transform(entry.local, p);
    if (entry.turn.kind != TurnKind::kNone) x = Turned(Turn(entry.turn, tile.Turn(k)), x);
    const G above_end = tile.AboveEnd(k), own_end = tile.OwnEnd(k);
    const Vec3G above = MovedByBone(entry.above, above_end, above_end, x);
    return MulAdd(Minus(MovedByBone(entry.own, own_end, own_end, x), above), tile.Move(k), above);
  }
  HWY_INLINE void AddMatrix(const GroupTile& tile, std::size_t k, MatrixG& sum) const {
    const ShapedJointEntry& entry = palette[tile.entries[k]];
    const G move = tile.Move(k), above_end = tile.AboveEnd(k), own_end = tile.OwnEnd(k);
    MatrixG m = NoMatrix();
    AddBoneMatrix(entry.above, hn::Sub(Constant(1.0f), move), above_end, above_end, m);
    AddBoneMatrix(entry.own, move, own_end, own_end, m);
    AddProduct(BehindTurn(m, tile.Share(k), entry.turn, tile.Turn(k)), entry.local, sum);
  }
};

// Moves tiles by any of the above.
template <class Parts, bool kNormals>
struct Blend {
  const Parts& parts;
  const VertexStreams& io;

  HWY_INLINE void Tile(const GroupTile& tile) const {
    const Vec3G p = Load3(io.positions, tile);
    if constexpr (kNormals) {
      MatrixG m = NoMatrix();
      for (std::size_t k = 0; k < tile.count; ++k) parts.AddMatrix(tile, k, m);
      Store3(MovePoint(m, p), io.out_positions, tile);
      Store3(MoveNormal(m, Load3(io.normals, tile)), io.out_normals, tile);
    } else {
      const G zero = hn::Zero(GroupTag());
      Vec3G sum{zero, zero, zero};
      for (std::size_t k = 0; k < tile.count; ++k) sum = MulAdd(parts.Point(tile, k, p), tile.Share(k), sum);
      Store3(sum, io.out_positions, tile);
    }
  }
};

template <class Parts>
void MoveGroups(const Parts& parts, const JointTable& table, std::size_t begin, std::size_t end,
                const VertexStreams& io) {
  if (io.out_normals)
    ForEachTile(table, begin, end, Blend<Parts, true>{parts, io});
  else
    ForEachTile(table, begin, end, Blend<Parts, false>{parts, io});
}

void MoveJoints(const JointTable& table, const JointPaletteEntry* HWY_RESTRICT palette, std::size_t begin,
                std::size_t end, const VertexStreams& io) {
  MoveGroups(Joints{palette}, table, begin, end, io);
}
void MoveBones(const JointTable& table, const BoneEntry* HWY_RESTRICT palette, std::size_t begin,
               std::size_t end, const VertexStreams& io) {
  MoveGroups(Bones{palette}, table, begin, end, io);
}
void MoveShapedJoints(const JointTable& table, const ShapedJointEntry* HWY_RESTRICT palette,
                      std::size_t begin, std::size_t end, const VertexStreams& io) {
  MoveGroups(ShapedJoints{palette}, table, begin, end, io);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {
HWY_EXPORT(MoveJoints);
HWY_EXPORT(MoveBones);
HWY_EXPORT(MoveShapedJoints);

void joint_groups(const JointTable& table, const Palette<JointPaletteEntry>& palette, std::size_t begin,
                  std::size_t end, const VertexStreams& streams) {
  HWY_DYNAMIC_DISPATCH(MoveJoints)(table, palette.data(), begin, end, streams);
}

void bone_groups(const JointTable& table, const Palette<BoneEntry>& palette, std::size_t begin,
                 std::size_t end, const VertexStreams& streams) {
  HWY_DYNAMIC_DISPATCH(MoveBones)(table, palette.data(), begin, end, streams);
}

void shaped_joint_groups(const JointTable& table, const Palette<ShapedJointEntry>& palette, std::size_t begin,
                         std::size_t end, const VertexStreams& streams) {
  HWY_DYNAMIC_DISPATCH(MoveShapedJoints)(table, palette.data(), begin, end, streams);
}

}  // namespace sinew
#endif
