// SPDX-License-Identifier: Apache-2.0
// Flesh: joints that act one after the other on what corrective fields left. A lane has kVertices vertices of a
// group, those from `first` on, in kPoses poses that follow one another.
#pragma once

#include "gpu/skin_formulas.h"

namespace sinew::gpu {

// An angle's cosine and sine, within 1e-6.
SINEW_HD Turn turn_of_angle(float angle) {
#ifdef __CUDA_ARCH__
  Turn turn;
  __sincosf(angle, &turn.sine, &turn.cosine);
  return turn;
#else
  return {std::cos(angle), std::sin(angle)};
#endif
}

// Numbers of poses that follow one another, read together.
template <int kPoses>
struct alignas(4 * kPoses) OfPoses {
  float at[kPoses];
};

// What depends on the pose is read once: past the first-level cache, which is for what all poses read.
template <int kPoses>
SINEW_HD OfPoses<kPoses> read_once(const float* from) {
#ifdef __CUDA_ARCH__
  if constexpr (kPoses == 2) {
    const float2 two = __ldcg(reinterpret_cast<const float2*>(from));
    return {{two.x, two.y}};
  }
#endif
  return *reinterpret_cast<const OfPoses<kPoses>*>(from);
}

template <int kPoses, int kVertices>
struct FleshPoints {
  Point at[kPoses][kVertices];

  template <class Visit>
  static SINEW_HD void each(Visit&& visit) {
    SINEW_UNROLL
    for (int r = 0; r < kPoses; ++r) {
      SINEW_UNROLL
      for (int i = 0; i < kVertices; ++i) visit(r, i);
    }
  }
};

// What a joint does to a point that it carries by s as it swings and by t as it twists; and to a normal.
template <int kPoses>
struct JointStep {
  OfPoses<kPoses> move[12], twist;
  AxisLine axis;

  SINEW_HD Point turned(const Turn& turn, const Point& p, bool is_point) const {
    const Point along{axis.x, axis.y, axis.z},
        u = is_point ? plus_cross({axis.at_x, axis.at_y, axis.at_z}, along, p) : cross(along, p);
    return p + turn.sine * u + (1.0f - turn.cosine) * cross(along, u);
  }
  SINEW_HD Point carried(int r, const Point& p) const {  // by all of the joint: runs
    const float m[12] = {move[0].at[r], move[1].at[r], move[2].at[r],  move[3].at[r],
                         move[4].at[r], move[5].at[r], move[6].at[r],  move[7].at[r],
                         move[8].at[r], move[9].at[r], move[10].at[r], move[11].at[r]};
    return transform(m, p);
  }
  SINEW_HD Point direction(int r, const Point& n) const {
    return carried(r, n) - Point{move[3].at[r], move[7].at[r], move[11].at[r]};
  }
  SINEW_HD Point at(int r, float s, float t, const Point& p, Point* n) const {
    const Turn turn = turn_of_angle(t * twist.at[r]);
    if (n) {
      const Point in = turned(turn, *n, false);
      const auto row = [&](int k) {
        return Point{(k == 0 ? 1.0f : 0.0f) + s * move[4 * k].at[r],
                     (k == 1 ? 1.0f : 0.0f) + s * move[4 * k + 1].at[r],
                     (k == 2 ? 1.0f : 0.0f) + s * move[4 * k + 2].at[r]};
      };
      const Point r0 = row(0), r1 = row(1), r2 = row(2);
      const Point c0 = cross(r1, r2), c1 = cross(r2, r0), c2 = cross(r0, r1);
      const float sign = dot(r0, c0) < 0 ? -1.0f : 1.0f;
      *n = {sign * dot(c0, in), sign * dot(c1, in), sign * dot(c2, in)};
    }
    const Point in = turned(turn, p, true);
    return in + s * carried(r, in);
  }
};
template <int kPoses>
SINEW_HD JointStep<kPoses> load_step(const RigView& rig, const FleshStep& step, const float* palette) {
  JointStep<kPoses> out;
  const float* entry = palette + std::int64_t{step.entry} * (kFleshFloats * kLanes);
  SINEW_UNROLL
  for (int q = 0; q < 12; ++q) out.move[q] = read_once<kPoses>(entry + q * kLanes);
  if (!step.run) {
    out.twist = read_once<kPoses>(entry + 12 * kLanes);
    out.axis = rig.step_axis[step.entry];
  }
  return out;
}

// The shares of swing and twist that a lane's vertices have of one step.
template <int kVertices>
struct alignas(kVertices % 2 == 0 ? 16 : 8) StepShares {
  float at[2 * kVertices];
};
template <int kVertices>
SINEW_HD StepShares<kVertices> shares_of(const RigView& rig, const FleshGroup& group, const FleshStep& step,
                                         int first) {
  return *reinterpret_cast<const StepShares<kVertices>*>(
      rig.step_weights + group.first_weight +
      2 * (kGroupVertices * step.weights + static_cast<std::uint32_t>(first)));
}

// Vertices whose joints follow one another: each moves what the one before left.
template <bool kNormals, int kPoses, int kVertices>
SINEW_HD void chain_joints(const RigView& rig, const FleshGroup& group, int first, const float* palette,
                           FleshPoints<kPoses, kVertices>& x, FleshPoints<kPoses, kVertices>& n) {
  using Points = FleshPoints<kPoses, kVertices>;
  for (std::uint32_t k = 0; k < group.steps; ++k) {
    const FleshStep step = rig.steps[group.first_step + k];
    const JointStep<kPoses> joint = load_step<kPoses>(rig, step, palette);
    if (step.run) {
      Points::each([&](int r, int i) {
        x.at[r][i] = joint.carried(r, x.at[r][i]);
        if constexpr (kNormals) n.at[r][i] = joint.direction(r, n.at[r][i]);
      });
      continue;
    }
    const StepShares<kVertices> shares = shares_of<kVertices>(rig, group, step, first);
    Points::each([&](int r, int i) {
      x.at[r][i] =
          joint.at(r, shares.at[2 * i], shares.at[2 * i + 1], x.at[r][i], kNormals ? &n.at[r][i] : nullptr);
    });
  }
  if constexpr (kNormals) Points::each([&](int r, int i) { n.at[r][i] = unit_or(n.at[r][i], n.at[r][i]); });
}

// Vertices whose joints branch, positions alone.
template <int kPoses, int kVertices>
SINEW_HD void branch_joints(const RigView& rig, const FleshGroup& group, int first, const float* palette,
                            FleshPoints<kPoses, kVertices>& x) {
  using Points = FleshPoints<kPoses, kVertices>;
  Points at = x, sums[kMostSums];
  for (std::uint32_t k = 0; k < group.steps; ++k) {
    const FleshStep step = rig.steps[group.first_step + k];
    const JointStep<kPoses> joint = load_step<kPoses>(rig, step, palette);
    if (step.leaf) at = x;
    if (step.run) {
      Points::each([&](int r, int i) { at.at[r][i] = joint.carried(r, at.at[r][i]); });
    } else {
      const StepShares<kVertices> shares = shares_of<kVertices>(rig, group, step, first);
      Points::each([&](int r, int i) {
        at.at[r][i] = joint.at(r, shares.at[2 * i], shares.at[2 * i + 1], at.at[r][i], nullptr);
      });
    }
    if (step.sum == 0) continue;
    Points& sum = sums[step.sum - 1];
    if (!step.first)
      Points::each([&](int r, int i) { at.at[r][i] = at.at[r][i] + (sum.at[r][i] - x.at[r][i]); });
    if (!step.last) sum = at;
  }
  x = at;
}

// The same for one vertex in one pose, with its normal: what comes out of each joint goes into the one that its
// step names. vertex: of the group.
SINEW_HD void compose_joints(const RigView& rig, const FleshGroup& group, int vertex, const float* palette,
                             Point& x, Point& n) {
  Point shift[kMostSteps + 1];
  float turned[9 * (kMostSteps + 1)];
  for (std::uint32_t k = 0; k <= group.steps; ++k) {
    shift[k] = {0, 0, 0};
    for (std::uint32_t q = 0; q < 9; ++q) turned[9 * k + q] = 0;
  }
  for (std::uint32_t k = 0; k < group.steps; ++k) {
    const FleshStep step = rig.steps[group.first_step + k];
    const JointStep<1> joint = load_step<1>(rig, step, palette);
    const Point in = x + shift[k];
    Point y, column[3];  // of the joint's linear part
    const Point unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (step.run) {
      y = joint.carried(0, in);
      for (int q = 0; q < 3; ++q) column[q] = joint.direction(0, unit[q]);
    } else {
      const StepShares<1> share = shares_of<1>(rig, group, step, vertex);
      const Turn turn = turn_of_angle(share.at[1] * joint.twist.at[0]);
      y = joint.at(0, share.at[0], share.at[1], in, nullptr);
      for (int q = 0; q < 3; ++q) {
        const Point a = joint.turned(turn, unit[q], false);
        column[q] = a + share.at[0] * joint.direction(0, a);
      }
    }
    shift[step.to] = shift[step.to] + (y - x);
    const float linear[9] = {column[0].x, column[1].x, column[2].x, column[0].y, column[1].y,
                             column[2].y, column[0].z, column[1].z, column[2].z};
    const float* before = turned + 9 * k;
    float* after = turned + 9 * step.to;
    for (int q = 0; q < 3; ++q)
      for (int w = 0; w < 3; ++w)
        after[3 * q + w] += linear[3 * q + w] - (q == w ? 1.0f : 0.0f) + linear[3 * q] * before[w] +
                            linear[3 * q + 1] * before[3 + w] + linear[3 * q + 2] * before[6 + w];
  }
  x = x + shift[group.steps];
  const float* t = turned + 9 * group.steps;
  n = carry_normal({1 + t[0], t[1], t[2]}, {t[3], 1 + t[4], t[5]}, {t[6], t[7], 1 + t[8]}, n);
}

// All joints of a lane's vertices.
template <bool kNormals, int kPoses, int kVertices>
SINEW_HD void pass_joints(const RigView& rig, const FleshGroup& group, int first, const float* palette,
                          FleshPoints<kPoses, kVertices>& x, FleshPoints<kPoses, kVertices>& n) {
  if (group.chain) {
    chain_joints<kNormals>(rig, group, first, palette, x, n);
  } else if constexpr (!kNormals) {
    branch_joints(rig, group, first, palette, x);
  } else {
    FleshPoints<kPoses, kVertices>::each(
        [&](int r, int i) { compose_joints(rig, group, first + i, palette + r, x.at[r][i], n.at[r][i]); });
  }
}

// Vertices of a group at rest, with what keys add.
template <bool kNormals, int kPoses, int kVertices>
SINEW_HD void rest_of_group(const RigView& rig, const FleshGroup& group, std::int64_t index, int first,
                            const float* keys, FleshPoints<kPoses, kVertices>& x,
                            FleshPoints<kPoses, kVertices>& n) {
  struct alignas(kVertices % 4 == 0 ? 16 : kVertices % 2 == 0 ? 8 : 4) Rows {
    float at[3 * kVertices];
  };
  const std::int64_t from = 3 * (index * kGroupVertices + first);
  const Rows rows = *reinterpret_cast<const Rows*>(rig.group_positions + from);
  Rows normals{};
  if constexpr (kNormals) normals = *reinterpret_cast<const Rows*>(rig.group_normals + from);
  FleshPoints<kPoses, kVertices>::each([&](int r, int i) {
    x.at[r][i] = {rows.at[3 * i], rows.at[3 * i + 1], rows.at[3 * i + 2]};
    if constexpr (kNormals) n.at[r][i] = {normals.at[3 * i], normals.at[3 * i + 1], normals.at[3 * i + 2]};
    if (rig.key_row)
      add_keys(rig, keys + r, group.vertex[first + i], x.at[r][i], kNormals ? &n.at[r][i] : nullptr);
  });
}

// In which harmonics a vertex sees the swing: c, s, and c times the cubic factor.
struct FieldView {
  float c, s, cubic;
};
SINEW_HD FieldView field_view(float direction, float twist, float cubic, float share) {
  const Turn turn = turn_of_angle(direction - share * twist);
  return {turn.cosine, turn.sine, turn.cosine * cubic};
}
// The sums of a field times harmonics, but for the one that is multiplied by 1.
SINEW_HD float by_harmonics(const FieldView& view, float c, float s, float cc, float cs, float ccc, float ccs,
                            float sum) {
  const float of_c = c + view.c * (cc + view.cubic * ccc), of_s = s + view.c * (cs + view.cubic * ccs);
  return sum + view.c * of_c + view.s * of_s;
}

}  // namespace sinew::gpu
