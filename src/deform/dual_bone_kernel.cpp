// SPDX-License-Identifier: Apache-2.0
#include "deform/stretch_kernel.h"
#include "deform/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/dual_bone_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "deform/dual_blend-inl.h"
#include "deform/group-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

HWY_INLINE QuatV Constant4(const float* HWY_RESTRICT p) {
  return {{Constant(p), Constant(p + 1), Constant(p + 2)}, Constant(p + 3)};
}

// a * s + b
HWY_INLINE QuatV MulAdd4(const QuatV& a, V s, const QuatV& b) {
  return {MulAdd(a.v, s, b.v), hn::MulAdd(a.w, s, b.w)};
}

HWY_INLINE V Dot4(const QuatV& a, const QuatV& b) {
  return hn::MulAdd(a.w, b.w, Dot(a.v, b.v));
}

struct DualBone {
  QuatV real;
  V cosine, sine;
};

// The rotation of one bone for vertices with endpoint weights e (of twist).
HWY_INLINE DualBone BoneRotation(const float* HWY_RESTRICT entry, V e) {
  const Lanes d;
  const QuatV q = Constant4(entry);
  if (entry[kDualBoneTwist + 2] == 0) return {q, hn::Set(d, 1.0f), hn::Zero(d)};
  DualBone bone{q, hn::Zero(d), hn::Zero(d)};
  HalfTurn(
      WithinAQuarter(hn::MulAdd(e, Constant(entry + kDualBoneTwist + 1), Constant(entry + kDualBoneTwist))),
      bone.cosine, bone.sine);
  bone.real = {{hn::Mul(q.v.x, bone.cosine), hn::Mul(q.v.y, bone.cosine), hn::Mul(q.v.z, bone.cosine)},
               hn::Mul(q.w, bone.cosine)};
  bone.real = MulAdd4(Constant4(entry + 4), bone.sine, bone.real);
  return bone;
}

template <bool kNormals, bool kScaled>
void DualBoneTiles(const JointTable& table, const float* HWY_RESTRICT palette, std::size_t begin,
                   std::size_t end, const VertexStreams& io) {
  const Lanes d;
  const V zero = hn::Zero(d);
  const QuatV none{{zero, zero, zero}, zero};
  for (std::size_t group = begin; group < end; ++group) {
    for (std::size_t lane = 0; lane < kGroupSize; lane += kLanes) {
      const auto [entries, count, order, vertex, first] = TileOf(table, group, lane);
      // The largest weight of each lane decides the signs.
      QuatV pivot = none;
      if (count > 1) {
        V largest = zero;
        for (std::size_t k = 0; k < count; ++k) {
          const float* weights = first + 3 * kGroupSize * k;
          const V share = hn::LoadU(d, weights);
          const QuatV q =
              BoneRotation(palette + kDualBoneStride * entries[k], hn::LoadU(d, weights + 2 * kGroupSize))
                  .real;
          const auto more = hn::Gt(share, largest);
          largest = hn::Max(share, largest);
          pivot = {{hn::IfThenElse(more, q.v.x, pivot.v.x), hn::IfThenElse(more, q.v.y, pivot.v.y),
                    hn::IfThenElse(more, q.v.z, pivot.v.z)},
                   hn::IfThenElse(more, q.w, pivot.w)};
        }
      }
      Vec3V p = Load3(io.positions, vertex, order);
      Vec3V n{zero, zero, zero};
      if constexpr (kNormals) n = Load3(io.normals, vertex, order);
      QuatV real = none, dual = none;
      Vec3V rows[3] = {{zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}};
      Vec3V shift{zero, zero, zero};
      for (std::size_t k = 0; k < count; ++k) {
        const float* weights = first + 3 * kGroupSize * k;
        const float* HWY_RESTRICT entry = palette + kDualBoneStride * entries[k];
        const V share = hn::LoadU(d, weights), e = hn::LoadU(d, weights + kGroupSize);
        const DualBone bone = BoneRotation(entry, hn::LoadU(d, weights + 2 * kGroupSize));
        V w = share;
        if (count > 1) w = hn::Xor(share, hn::And(Dot4(pivot, bone.real), hn::SignBit(d)));
        real = MulAdd4(bone.real, w, real);
        const float* parts = entry + kDualBoneParts;
        const V wc = hn::Mul(w, bone.cosine), we = hn::Mul(wc, e);
        dual = MulAdd4(Constant4(parts + 8), we, MulAdd4(Constant4(parts), wc, dual));
        if (entry[kDualBoneTwist + 2] != 0) {
          const V ws = hn::Mul(w, bone.sine);
          dual = MulAdd4(Constant4(parts + 12), hn::Mul(ws, e), MulAdd4(Constant4(parts + 4), ws, dual));
        }
        if constexpr (kScaled) {
          const float* scale = entry + kDualBoneScale;
          for (std::size_t r = 0; r < 3; ++r)
            rows[r] =
                MulAdd({Constant(scale + 4 * r), Constant(scale + 4 * r + 1), Constant(scale + 4 * r + 2)},
                       share, rows[r]);
          shift = MulAdd({Constant(scale + 3), Constant(scale + 7), Constant(scale + 11)}, share, shift);
        }
      }
      if constexpr (kScaled) {
        p = {TransformRow(rows[0], shift.x, p), TransformRow(rows[1], shift.y, p),
             TransformRow(rows[2], shift.z, p)};
        if constexpr (kNormals) n = TransformNormal(rows, n);
      }
      // v + 2 (r x (r x v + w v) + w e - u r + r x e) / |q|^2 with q = (r, w) and its dual (e, u).
      const V scale = TwoOverSquare(real);
      Vec3V moved = Rotate(real, scale, p);
      const Vec3V cross = Cross(real.v, dual.v);
      const Vec3V t{hn::NegMulAdd(dual.w, real.v.x, hn::MulAdd(real.w, dual.v.x, cross.x)),
                    hn::NegMulAdd(dual.w, real.v.y, hn::MulAdd(real.w, dual.v.y, cross.y)),
                    hn::NegMulAdd(dual.w, real.v.z, hn::MulAdd(real.w, dual.v.z, cross.z))};
      moved = MulAdd(t, scale, moved);
      Store3(moved, io.out_positions, vertex, order);
      if constexpr (kNormals) Store3(Rotate(real, scale, n), io.out_normals, vertex, order);
    }
  }
}

void DualBones(const JointTable& table, const float* HWY_RESTRICT palette, bool scaled, std::size_t begin,
               std::size_t end, const VertexStreams& io) {
  if (io.out_normals)
    return scaled ? DualBoneTiles<true, true>(table, palette, begin, end, io)
                  : DualBoneTiles<true, false>(table, palette, begin, end, io);
  return scaled ? DualBoneTiles<false, true>(table, palette, begin, end, io)
                : DualBoneTiles<false, false>(table, palette, begin, end, io);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {
HWY_EXPORT(DualBones);

void dual_bone_groups(const JointTable& table, const Palette& palette, bool scaled, std::size_t begin,
                      std::size_t end, const VertexStreams& streams) {
  HWY_DYNAMIC_DISPATCH(DualBones)(table, palette.data(), scaled, begin, end, streams);
}

}  // namespace sinew
#endif
