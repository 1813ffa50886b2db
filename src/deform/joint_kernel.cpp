// SPDX-License-Identifier: Apache-2.0
// All lanes of a group have the same joints, so what a joint needs is loaded once, as broadcast operands of
// the arithmetic; only points are picked up and put down vertex by vertex.
#include "deform/joint_kernel.h"

#include "deform/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/joint_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "deform/group-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

struct TurnV {
  V cosine, sine;
};

HWY_INLINE TurnV Turn(const float* HWY_RESTRICT entry, V t) {
  const Lanes d;
  V c, n;
  if (entry[kJointTurn] != 2.0f) {
    V x = hn::MulAdd(t, Constant(entry + kJointHalf), Constant(entry + kJointHalfStart));
    if (entry[kJointTurn] == 3.0f) x = WithinAQuarter(x);
    HalfTurn(x, c, n);
    const V twice = hn::Add(n, n);
    return {hn::NegMulAdd(twice, n, hn::Set(d, 1.0f)), hn::Mul(twice, c)};
  }
  const V one = hn::Set(d, 1.0f), h = hn::Sub(t, hn::Set(d, 0.5f));
  const V bend =
      hn::MulAdd(Constant(entry + kJointChord + 3), hn::Mul(h, h), Constant(entry + kJointChord + 2));
  const V u = hn::MulAdd(hn::Mul(hn::Mul(t, h), hn::Sub(t, one)), bend, t);
  c = hn::MulAdd(u, Constant(entry + kJointChord), one);
  n = hn::Mul(u, Constant(entry + kJointChord + 1));
  const V scale = hn::Div(hn::Set(d, 2.0f), hn::MulAdd(c, c, hn::Mul(n, n)));
  const V scaled = hn::Mul(n, scale);
  return {hn::NegMulAdd(scaled, n, one), hn::Mul(scaled, c)};
}

HWY_INLINE Vec3V Turned(const TurnV& turn, const Vec3V& x) {
  return {hn::NegMulAdd(turn.sine, x.y, hn::Mul(turn.cosine, x.x)),
          hn::MulAdd(turn.sine, x.x, hn::Mul(turn.cosine, x.y)), x.z};
}

// What one entry adds to the derivative of p' by each coordinate of p.
HWY_INLINE void AddColumns(const float* HWY_RESTRICT entry, V share, V move, const TurnV& turn, bool turns,
                           Vec3V (&columns)[3]) {
  for (std::size_t c = 0; c < 3; ++c) {
    const float* local = entry + kJointLocal + c;
    Vec3V x{Constant(local), Constant(local + 4), Constant(local + 8)};
    if (turns) x = Turned(turn, x);
    const float *above = entry + kJointAbove, *by = entry + kJointMove;
    const Vec3V moved{hn::MulAdd(move, LinearRow(by, x), LinearRow(above, x)),
                      hn::MulAdd(move, LinearRow(by + 4, x), LinearRow(above + 4, x)),
                      hn::MulAdd(move, LinearRow(by + 8, x), LinearRow(above + 8, x))};
    columns[c] = MulAdd(moved, share, columns[c]);
  }
}

template <bool kNormals>
void JointTiles(const JointTable& table, const float* HWY_RESTRICT palette, std::size_t begin,
                std::size_t end, const VertexStreams& io) {
  const Lanes d;
  const V zero = hn::Zero(d);
  for (std::size_t group = begin; group < end; ++group) {
    for (std::size_t lane = 0; lane < kGroupSize; lane += kLanes) {
      const GroupTile tile = TileOf(table, group, lane);
      const float* weights = tile.weights;
      const Vec3V p = Load3(io.positions, tile.vertex, tile.order);
      Vec3V sum{zero, zero, zero};
      Vec3V columns[3] = {sum, sum, sum};
      for (std::size_t k = 0; k < tile.count; ++k, weights += 3 * kGroupSize) {
        const float* HWY_RESTRICT entry = palette + kJointStride * tile.entries[k];
        const V share = hn::LoadU(d, weights), move = hn::LoadU(d, weights + kGroupSize);
        Vec3V x{Row(entry + kJointLocal, p), Row(entry + kJointLocal + 4, p),
                Row(entry + kJointLocal + 8, p)};
        const bool turns = entry[kJointTurn] != 0;
        TurnV turn{zero, zero};
        if (turns) {
          turn = Turn(entry, hn::LoadU(d, weights + 2 * kGroupSize));
          x = Turned(turn, x);
        }
        const float *above = entry + kJointAbove, *by = entry + kJointMove;
        const Vec3V moved{hn::MulAdd(move, Row(by, x), Row(above, x)),
                          hn::MulAdd(move, Row(by + 4, x), Row(above + 4, x)),
                          hn::MulAdd(move, Row(by + 8, x), Row(above + 8, x))};
        sum = MulAdd(moved, share, sum);
        if constexpr (kNormals) AddColumns(entry, share, move, turn, turns, columns);
      }
      Store3(sum, io.out_positions, tile.vertex, tile.order);
      if constexpr (kNormals) StoreNormals(columns, tile, io);
    }
  }
}

// One half of a shaped joint: the point (or, without the moving parts, a direction) carried by a bone.
template <bool kDirection>
HWY_INLINE Vec3V ShapedHalf(const float* HWY_RESTRICT half, V e, const Vec3V& x) {
  const float* into = half + kShapedInto;
  Vec3V y = kDirection ? Vec3V{LinearRow(into, x), LinearRow(into + 4, x), LinearRow(into + 8, x)}
                       : Vec3V{Row(into, x), Row(into + 4, x), Row(into + 8, x)};
  const float* twist = half + kShapedTwist;
  if (twist[2] != 0) {
    V c, n;
    HalfTurn(WithinAQuarter(hn::MulAdd(e, Constant(twist + 1), Constant(twist))), c, n);
    const V twice = hn::Add(n, n);
    y = Turned({hn::NegMulAdd(twice, n, hn::Set(Lanes(), 1.0f)), hn::Mul(twice, c)}, y);
  }
  const float* out = half + kShapedOut;
  if constexpr (kDirection) return {LinearRow(out, y), LinearRow(out + 4, y), LinearRow(out + 8, y)};
  const float* stretch = half + kShapedStretch;
  return MulAdd({Constant(stretch), Constant(stretch + 1), Constant(stretch + 2)}, e,
                {Row(out, y), Row(out + 4, y), Row(out + 8, y)});
}

// a + s (b - a)
HWY_INLINE Vec3V Between(const Vec3V& a, const Vec3V& b, V s) {
  return MulAdd({hn::Sub(b.x, a.x), hn::Sub(b.y, a.y), hn::Sub(b.z, a.z)}, s, a);
}

template <bool kNormals>
void ShapedTiles(const JointTable& table, const float* HWY_RESTRICT palette, std::size_t begin,
                 std::size_t end, const VertexStreams& io) {
  const Lanes d;
  const V zero = hn::Zero(d);
  for (std::size_t group = begin; group < end; ++group) {
    for (std::size_t lane = 0; lane < kGroupSize; lane += kLanes) {
      const GroupTile tile = TileOf(table, group, lane);
      const float* weights = tile.weights;
      const float* ends = table.ends.data() + table.group_data[group] / 3 * 2 + lane;
      const Vec3V p = Load3(io.positions, tile.vertex, tile.order);
      Vec3V sum{zero, zero, zero};
      Vec3V columns[3] = {sum, sum, sum};
      for (std::size_t k = 0; k < tile.count; ++k, weights += 3 * kGroupSize, ends += 2 * kGroupSize) {
        const float* HWY_RESTRICT entry = palette + kShapedStride * tile.entries[k];
        const float *above = entry + kShapedHalf, *own = above + kShapedHalfStride;
        const V share = hn::LoadU(d, weights), move = hn::LoadU(d, weights + kGroupSize);
        const V above_end = hn::LoadU(d, ends), own_end = hn::LoadU(d, ends + kGroupSize);
        const float* local = entry + kJointLocal;
        Vec3V x{Row(local, p), Row(local + 4, p), Row(local + 8, p)};
        const bool turns = entry[kJointTurn] != 0;
        TurnV turn{zero, zero};
        if (turns) {
          turn = Turn(entry, hn::LoadU(d, weights + 2 * kGroupSize));
          x = Turned(turn, x);
        }
        sum =
            MulAdd(Between(ShapedHalf<false>(above, above_end, x), ShapedHalf<false>(own, own_end, x), move),
                   share, sum);
        if constexpr (kNormals) {
          for (std::size_t c = 0; c < 3; ++c) {
            Vec3V axis{Constant(local + c), Constant(local + 4 + c), Constant(local + 8 + c)};
            if (turns) axis = Turned(turn, axis);
            columns[c] = MulAdd(
                Between(ShapedHalf<true>(above, above_end, axis), ShapedHalf<true>(own, own_end, axis), move),
                share, columns[c]);
          }
        }
      }
      Store3(sum, io.out_positions, tile.vertex, tile.order);
      if constexpr (kNormals) StoreNormals(columns, tile, io);
    }
  }
}

void ShapedJoints(const JointTable& table, const float* HWY_RESTRICT palette, std::size_t begin,
                  std::size_t end, const VertexStreams& io) {
  if (io.out_normals)
    ShapedTiles<true>(table, palette, begin, end, io);
  else
    ShapedTiles<false>(table, palette, begin, end, io);
}

void Joints(const JointTable& table, const float* HWY_RESTRICT palette, std::size_t begin, std::size_t end,
            const VertexStreams& io) {
  if (io.out_normals)
    JointTiles<true>(table, palette, begin, end, io);
  else
    JointTiles<false>(table, palette, begin, end, io);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {
HWY_EXPORT(Joints);
HWY_EXPORT(ShapedJoints);
namespace {

void put(const Affine3& m, double factor, float* out) {
  for (Eigen::Index row = 0; row < 3; ++row)
    for (Eigen::Index column = 0; column < 4; ++column)
      *out++ = static_cast<float>(factor * m.matrix()(row, column));
}

// How a point turns before it is moved.
void put_turn(const JointEntry& entry, const JointMotion& motion, const JointBasedOptions& options,
              float* out) {
  const bool chord = entry.part == JointPart::kSpherical || options.twist == TwistPower::kFast;
  const double cosine = std::cos(motion.angle / 2);
  out[kJointTurn] = motion.angle == 0 ? 0.0f : chord ? 2.0f : 1.0f;
  out[kJointHalf] = static_cast<float>(motion.angle / 2);
  out[kJointHalfStart] = 0;
  out[kJointChord] = static_cast<float>(cosine - 1);
  out[kJointChord + 1] = static_cast<float>(std::sin(motion.angle / 2));
  // The correction of math's twist_power_fast; quaternions blended with (1 - s, s) have none.
  const bool corrected = entry.part == JointPart::kSwingTwist;
  out[kJointChord + 2] =
      corrected ? static_cast<float>(0.85030 + cosine * (-1.09424 + cosine * 0.25989)) : 0.0f;
  out[kJointChord + 3] =
      corrected ? static_cast<float>(1.03854 + cosine * (-2.53102 + cosine * 1.56698)) : 0.0f;
}

// `turned` is the frame that the turned point comes in; `motion` the bone's, behind its twist.
void put_half(const Affine3& turned, const JointFrame& frame, const Affine3& motion, const PosedBone& bone,
              double factor, float* out) {
  const Affine3 place = Eigen::Translation3d(frame.origin) * Affine3(frame.axes);
  put(place.inverse(Eigen::Isometry) * turned, 1, out + kShapedInto);
  put(motion * place, factor, out + kShapedOut);
  for (Eigen::Index k = 0; k < 3; ++k)
    out[kShapedStretch + static_cast<std::size_t>(k)] = static_cast<float>(factor * bone.stretch[k]);
  out[kShapedTwist] = static_cast<float>(bone.twist_head / 2);
  out[kShapedTwist + 1] = static_cast<float>((bone.twist_tail - bone.twist_head) / 2);
  out[kShapedTwist + 2] = bone.twist_head != 0 || bone.twist_tail != 0 ? 1.0f : 0.0f;
}

}  // namespace

void fill_shaped_joints(const JointTable& table, const RestBones& rest, const FrameInput& input,
                        const JointBasedOptions& options, Palette& palette) noexcept {
  for (std::size_t e = 0; e < table.entries.size(); ++e) {
    const JointEntry& entry = table.entries[e];
    const auto posed = [&](int joint) {
      return joint < 0 ? PosedBone{} : posed_bone(rest, static_cast<std::size_t>(joint), input);
    };
    const auto frame_of = [&](int joint) {
      return joint >= 0 && static_cast<std::size_t>(joint) < rest.frames.size()
                 ? rest.frames[static_cast<std::size_t>(joint)]
                 : JointFrame{};
    };
    const PosedBone own = posed(entry.joint);
    const PosedBone above = entry.part == JointPart::kPlain ? own : posed(entry.parent);
    const JointMotion motion = joint_motion(entry, above.rigid, own.rigid, options.mix);
    const Affine3 frame = Eigen::Translation3d(entry.frame.origin) * Affine3(motion.axes);
    float* out = palette.entry(e);
    put(frame.inverse(Eigen::Isometry), 1, out + kJointLocal);
    put_turn(entry, motion, options, out);
    // The joint's turn is taken back in `below`; a twist about the bone comes behind that, so it must be seen
    // through it.
    const Affine3 back = own.rigid.inverse() * motion.below;
    put_half(frame, frame_of(entry.part == JointPart::kPlain ? entry.joint : entry.parent), motion.above,
             above, motion.factor, out + kShapedHalf);
    put_half(back * frame, frame_of(entry.joint), own.rigid, own, motion.factor,
             out + kShapedHalf + kShapedHalfStride);
  }
}

void shaped_joint_groups(const JointTable& table, const Palette& palette, std::size_t begin, std::size_t end,
                         const VertexStreams& streams) {
  HWY_DYNAMIC_DISPATCH(ShapedJoints)(table, palette.data(), begin, end, streams);
}

void joint_groups(const JointTable& table, const Palette& palette, std::size_t begin, std::size_t end,
                  const VertexStreams& streams) {
  HWY_DYNAMIC_DISPATCH(Joints)(table, palette.data(), begin, end, streams);
}

void fill_joints(const JointTable& table, std::span<const Affine3> matrices, const JointBasedOptions& options,
                 Palette& palette) noexcept {
  for (std::size_t e = 0; e < table.entries.size(); ++e) {
    const JointEntry& entry = table.entries[e];
    const JointMotion motion = joint_motion(entry, matrices, options.mix);
    const Affine3 frame = Eigen::Translation3d(entry.frame.origin) * Affine3(motion.axes);
    Affine3 move;
    move.matrix() = motion.below.matrix() - motion.above.matrix();
    float* out = palette.entry(e);
    put(frame.inverse(Eigen::Isometry), 1, out + kJointLocal);
    put(motion.above * frame, motion.factor, out + kJointAbove);
    Affine3 by;
    by.linear() = move.linear() * frame.linear();
    by.translation() = move.linear() * frame.translation() + move.translation();
    put(by, motion.factor, out + kJointMove);
    put_turn(entry, motion, options, out);
  }
}

}  // namespace sinew
#endif
