// SPDX-License-Identifier: Apache-2.0
// Joints that act one by one: joint deformers, and flesh with its corrective fields.
#pragma once

#include "gpu/skin_formulas.h"

namespace sinew::gpu {

// Joint deformers: every joint turns and moves the point by weights of its own.
template <bool kNormals, class Sink>
SINEW_HD void deform_joint_tile(const RigView& rig, int tile, const float* palette, const float* keys,
                                Sink& sink) {
  const std::int64_t first = std::int64_t{tile} * kTileVertices;
  const int count = static_cast<int>(rig.vertices - first < kTileVertices ? rig.vertices - first
                                                                          : std::int64_t{kTileVertices});
  for (int i = 0; i < count; ++i) {
    const std::int64_t v = first + i;
    Point x{rig.positions[3 * v], rig.positions[3 * v + 1], rig.positions[3 * v + 2]}, n{0, 0, 0};
    if constexpr (kNormals) n = {rig.normals[3 * v], rig.normals[3 * v + 1], rig.normals[3 * v + 2]};
    add_keys(rig, keys, static_cast<std::uint32_t>(v), x, kNormals ? &n : nullptr);
    Point sum{0, 0, 0};
    float linear[9] = {};
    const std::uint32_t end = rig.row[v + 1];
    for (std::uint32_t k = rig.row[v]; k < end; ++k) {
      const JointWeights w = rig.weights[k];
      const float* entry = palette + std::int64_t{w.entry} * (kJointFloats * kLanes);
      const Twelve frame = rig.entry_local[w.entry];
      const float* local = frame.at;
      float m[12];
      SINEW_UNROLL
      for (int q = 0; q < 12; ++q) m[q] = entry[q * kLanes] + w.move * entry[(12 + q) * kLanes];
      const Turn turn = doubled_small(w.turn * entry[24 * kLanes]);
      const Point in = transform(local, x);
      const Point r{turn.cosine * in.x - turn.sine * in.y, turn.sine * in.x + turn.cosine * in.y, in.z};
      sum = sum + w.weight * transform(m, r);
      if constexpr (kNormals)
        for (int q = 0; q < 3; ++q) {
          const float a = m[4 * q], b = m[4 * q + 1];
          const float p0 = w.weight * (a * turn.cosine + b * turn.sine),
                      p1 = w.weight * (b * turn.cosine - a * turn.sine), p2 = w.weight * m[4 * q + 2];
          for (int c = 0; c < 3; ++c)
            linear[3 * q + c] += p0 * local[c] + p1 * local[4 + c] + p2 * local[8 + c];
        }
    }
    sink.put(i, sum);
    if constexpr (kNormals)
      sink.put_normal(i, carry_normal({linear[0], linear[1], linear[2]}, {linear[3], linear[4], linear[5]},
                                      {linear[6], linear[7], linear[8]}, n));
  }
}

// What one field adds to one vertex: factors of the pose times harmonics of the direction in which the vertex
// sees the swing.
SINEW_HD void add_field(const Four* values, const float* factor, const float* harmonic, Point& x) {
  constexpr std::uint8_t kHarmonicOf[kFunctions] = {1, 2, 1, 2, 0, 0, 3, 4, 3, 4, 5, 6, 0, 0, 0,
                                                    0, 1, 2, 1, 2, 0, 0, 1, 2, 1, 2, 3, 4, 3, 4};
  float sum[3] = {0, 0, 0};
  float amount = 0;
  SINEW_UNROLL
  for (int k = 0; k < kFieldValues / 4; ++k) {
    const Four four = values[k];
    SINEW_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int number = 4 * k + i, q = number / 3, c = number % 3;
      if (q >= kFunctions) break;
      if (c == 0) amount = kHarmonicOf[q] == 0 ? factor[q] : factor[q] * harmonic[kHarmonicOf[q]];
      sum[c] += amount * four.at[i];
    }
  }
  x = x + Point{sum[0], sum[1], sum[2]};
}

// Corrective fields of a group, added to its vertices at rest.
// fetch(values) gives the numbers of a block: where they lie, or a copy.
template <bool kNormals, class Fetch>
SINEW_HD void add_fields(const RigView& rig, const FleshGroup& group, const float* drives, Fetch&& fetch,
                         Point* x, Point* n) {
  for (std::uint32_t b = group.first_block; b < group.first_block + group.blocks; ++b) {
    const FleshBlock block = rig.blocks[b];
    const float* drive = drives + std::int64_t{block.field} * (kDriveFloats * kLanes);
    const float cosine = drive[0], sine = drive[kLanes], half = drive[2 * kLanes];
    float factor[kFunctions];
    SINEW_UNROLL
    for (int q = 0; q < kFunctions; ++q) factor[q] = drive[(3 + q) * kLanes];
    const Four* values = fetch(rig.field_values + block.values);
    SINEW_UNROLL
    for (int i = 0; i < kGroupVertices; ++i) {
      const Turn turn = doubled_small(half * rig.field_twist[block.twist + static_cast<std::uint32_t>(i)]);
      const float c1 = cosine * turn.cosine + sine * turn.sine, s1 = sine * turn.cosine - cosine * turn.sine;
      const float c2 = c1 * c1 - s1 * s1, s2 = 2 * c1 * s1;
      const float harmonic[7] = {1, c1, s1, c2, s2, c1 * c2 - s1 * s2, s1 * c2 + c1 * s2};
      add_field(values + i * (kFieldValues / 4), factor, harmonic, x[i]);
      if constexpr (kNormals)
        add_field(values + (kGroupVertices + i) * (kFieldValues / 4), factor, harmonic, n[i]);
    }
  }
}

// What one joint does to a point that it carries by s as it swings and by t as it twists; and to a normal.
struct JointStep {
  float move[12], half;
  Twelve local, place;

  SINEW_HD Point at(float s, float t, const Point& p, Point* n) const {
    const Turn turn = doubled_small(t * half);
    const auto turned = [&](const Point& v) {
      return Point{turn.cosine * v.x - turn.sine * v.y, turn.sine * v.x + turn.cosine * v.y, v.z};
    };
    const Point r = turned(transform(local.at, p));
    float m[12];
    SINEW_UNROLL
    for (int q = 0; q < 12; ++q) m[q] = place.at[q] + s * move[q];
    if (n) {
      const Point in = turned(turn_by(local.at, *n)), r0{m[0], m[1], m[2]}, r1{m[4], m[5], m[6]},
                  r2{m[8], m[9], m[10]};
      const Point c0 = cross(r1, r2), c1 = cross(r2, r0), c2 = cross(r0, r1);
      const float sign = dot(r0, c0) < 0 ? -1.0f : 1.0f;
      *n = {sign * dot(c0, in), sign * dot(c1, in), sign * dot(c2, in)};
    }
    return transform(m, r);
  }
};
SINEW_HD JointStep load_step(const RigView& rig, const FleshStep& step, const float* palette) {
  JointStep out;
  const float* entry = palette + std::int64_t{step.entry} * (kFleshFloats * kLanes);
  SINEW_UNROLL
  for (int q = 0; q < 12; ++q) out.move[q] = entry[q * kLanes];
  out.half = entry[12 * kLanes];
  if (!step.run) {
    out.local = rig.entry_local[step.entry];
    out.place = rig.entry_place[step.entry];
  }
  return out;
}

// A vertex whose joints branch: what comes out of each goes into the one that its step names.
template <bool kNormals>
SINEW_HD void compose_joints(const RigView& rig, const FleshGroup& group, int i, const float* palette,
                             Point& x, Point& n) {
  Point shift[kMostSteps + 1];
  float turned[kNormals ? 9 * (kMostSteps + 1) : 1];
  for (std::uint32_t k = 0; k <= group.steps; ++k) {
    shift[k] = {0, 0, 0};
    if constexpr (kNormals)
      for (std::uint32_t q = 0; q < 9; ++q) turned[9 * k + q] = 0;
  }
  for (std::uint32_t k = 0; k < group.steps; ++k) {
    const FleshStep step = rig.steps[group.first_step + k];
    const JointStep joint = load_step(rig, step, palette);
    const Point in = x + shift[k];
    Point y;
    float linear[9];
    if (step.run) {
      y = transform(joint.move, in);
      if constexpr (kNormals)
        for (int q = 0; q < 9; ++q) linear[q] = joint.move[q / 3 * 4 + q % 3];
    } else {
      const float* pair = rig.step_weights + group.first_weight + 2 * (kGroupVertices * step.weights + i);
      y = joint.at(pair[0], pair[1], in, nullptr);
      if constexpr (kNormals) {
        const Turn turn = doubled_small(pair[1] * joint.half);
        for (int q = 0; q < 3; ++q) {
          float m[3];
          for (int w = 0; w < 3; ++w) m[w] = joint.place.at[4 * q + w] + pair[0] * joint.move[4 * q + w];
          const float p0 = m[0] * turn.cosine + m[1] * turn.sine, p1 = m[1] * turn.cosine - m[0] * turn.sine;
          const float* local = joint.local.at;
          for (int w = 0; w < 3; ++w)
            linear[3 * q + w] = p0 * local[w] + p1 * local[4 + w] + m[2] * local[8 + w];
        }
      }
    }
    shift[step.to] = shift[step.to] + (y - x);
    if constexpr (kNormals) {
      const float* before = turned + 9 * k;
      float* after = turned + 9 * step.to;
      for (int q = 0; q < 3; ++q)
        for (int w = 0; w < 3; ++w)
          after[3 * q + w] += linear[3 * q + w] - (q == w ? 1.0f : 0.0f) + linear[3 * q] * before[w] +
                              linear[3 * q + 1] * before[3 + w] + linear[3 * q + 2] * before[6 + w];
    }
  }
  x = x + shift[group.steps];
  if constexpr (kNormals) {
    const float* t = turned + 9 * group.steps;
    n = carry_normal({1 + t[0], t[1], t[2]}, {t[3], 1 + t[4], t[5]}, {t[6], t[7], 1 + t[8]}, n);
  }
}

// The vertices of a group together, positions alone.
SINEW_HD void branch_joints(const RigView& rig, const FleshGroup& group, const float* palette, Point* x) {
  Point at[kGroupVertices], sums[kMostSums][kGroupVertices];
  SINEW_UNROLL
  for (int i = 0; i < kGroupVertices; ++i) at[i] = x[i];
  for (std::uint32_t k = 0; k < group.steps; ++k) {
    const FleshStep step = rig.steps[group.first_step + k];
    const JointStep joint = load_step(rig, step, palette);
    if (step.leaf) {
      SINEW_UNROLL
      for (int i = 0; i < kGroupVertices; ++i) at[i] = x[i];
    }
    const float* pairs = rig.step_weights + group.first_weight + 2 * kGroupVertices * step.weights;
    SINEW_UNROLL
    for (int i = 0; i < kGroupVertices; ++i)
      at[i] =
          step.run ? transform(joint.move, at[i]) : joint.at(pairs[2 * i], pairs[2 * i + 1], at[i], nullptr);
    if (step.sum == 0) continue;
    Point* sum = sums[step.sum - 1];
    SINEW_UNROLL
    for (int i = 0; i < kGroupVertices; ++i) {
      const Point all = step.first ? at[i] : sum[i] + (at[i] - x[i]);
      sum[i] = all;
      if (step.last) at[i] = all;
    }
  }
  SINEW_UNROLL
  for (int i = 0; i < kGroupVertices; ++i) x[i] = at[i];
}

// Vertices whose joints follow one another: each moves what the one before left.
template <bool kNormals>
SINEW_HD void chain_joints(const RigView& rig, const FleshGroup& group, const float* palette, Point* x,
                           Point* n) {
  for (std::uint32_t k = 0; k < group.steps; ++k) {
    const FleshStep step = rig.steps[group.first_step + k];
    const JointStep joint = load_step(rig, step, palette);
    if (step.run) {
      SINEW_UNROLL
      for (int i = 0; i < kGroupVertices; ++i) {
        x[i] = transform(joint.move, x[i]);
        if constexpr (kNormals) n[i] = turn_by(joint.move, n[i]);
      }
      continue;
    }
    const float* pairs = rig.step_weights + group.first_weight + 2 * kGroupVertices * step.weights;
    SINEW_UNROLL
    for (int i = 0; i < kGroupVertices; ++i)
      x[i] = joint.at(pairs[2 * i], pairs[2 * i + 1], x[i], kNormals ? &n[i] : nullptr);
  }
  if constexpr (kNormals) {
    SINEW_UNROLL
    for (int i = 0; i < kGroupVertices; ++i) n[i] = unit_or(n[i], n[i]);
  }
}

// A group of vertices of flesh.
template <bool kNormals, class Fetch, class Sink>
SINEW_HD void deform_group(const RigView& rig, const FleshGroup& group, const float* palette,
                           const float* drives, const float* keys, Fetch&& fetch, Sink& sink) {
  Point x[kGroupVertices], n[kGroupVertices];
  SINEW_UNROLL
  for (int i = 0; i < kGroupVertices; ++i) {
    const std::int64_t v = group.vertex[i];
    x[i] = {rig.positions[3 * v], rig.positions[3 * v + 1], rig.positions[3 * v + 2]};
    n[i] = {0, 0, 0};
    if constexpr (kNormals) n[i] = {rig.normals[3 * v], rig.normals[3 * v + 1], rig.normals[3 * v + 2]};
    add_keys(rig, keys, group.vertex[i], x[i], kNormals ? &n[i] : nullptr);
  }
  add_fields<kNormals>(rig, group, drives, fetch, x, n);
  if (group.chain) {
    chain_joints<kNormals>(rig, group, palette, x, n);
  } else if constexpr (!kNormals) {
    branch_joints(rig, group, palette, x);
  } else {
    SINEW_UNROLL
    for (int i = 0; i < kGroupVertices; ++i) compose_joints<kNormals>(rig, group, i, palette, x[i], n[i]);
  }
  SINEW_UNROLL
  for (int i = 0; i < kGroupVertices; ++i)
    if (static_cast<std::uint32_t>(i) < group.used) {
      sink.put(i, x[i]);
      if constexpr (kNormals) sink.put_normal(i, n[i]);
    }
}

}  // namespace sinew::gpu
