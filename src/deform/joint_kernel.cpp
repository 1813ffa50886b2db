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
    const std::uint32_t set = table.group_set[group];
    const std::uint16_t* entries = table.set_entries.data() + table.set_offsets[set];
    const std::size_t count = table.set_offsets[set + 1] - table.set_offsets[set];
    const GroupOrder order = table.group_order[group];
    for (std::size_t half = 0; half < kGroupSize; half += kLanes) {
      const std::uint32_t* vertex = table.vertex.data() + group * kGroupSize + half;
      const float* weights = table.weights.data() + table.group_data[group] + half;
      const Vec3V p = Load3(io.positions, vertex, order);
      Vec3V sum{zero, zero, zero};
      Vec3V columns[3] = {sum, sum, sum};
      for (std::size_t k = 0; k < count; ++k, weights += 3 * kGroupSize) {
        const float* HWY_RESTRICT entry = palette + kJointStride * entries[k];
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
      Store3(sum, io.out_positions, vertex, order);
      if constexpr (kNormals) {
        const Vec3V rows[3] = {{columns[0].x, columns[1].x, columns[2].x},
                               {columns[0].y, columns[1].y, columns[2].y},
                               {columns[0].z, columns[1].z, columns[2].z}};
        Store3(TransformNormal(rows, Load3(io.normals, vertex, order)), io.out_normals, vertex, order);
      }
    }
  }
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

void joint_groups(const JointTable& table, const Palette& palette, std::size_t begin, std::size_t end,
                  const VertexStreams& streams) {
  HWY_DYNAMIC_DISPATCH(Joints)(table, palette.data(), begin, end, streams);
}

void fill_joints(const JointTable& table, std::span<const Affine3> matrices, const JointBasedOptions& options,
                 Palette& palette) noexcept {
  const auto put = [](const Affine3& m, double factor, float* out) {
    for (Eigen::Index row = 0; row < 3; ++row)
      for (Eigen::Index column = 0; column < 4; ++column)
        *out++ = static_cast<float>(factor * m.matrix()(row, column));
  };
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
}

}  // namespace sinew
#endif
