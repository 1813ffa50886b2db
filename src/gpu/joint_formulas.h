// SPDX-License-Identifier: Apache-2.0
// Joint deformers: joints that act one by one.
#pragma once

#include "gpu/skin_formulas.h"

namespace sinew::gpu {

// Every joint turns and moves the point by weights of its own.
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

}  // namespace sinew::gpu
