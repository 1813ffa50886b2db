// SPDX-License-Identifier: Apache-2.0
// Blends of joints by skin weights.
#pragma once

#include "gpu/kinematics.h"

namespace sinew::gpu {

struct Turn {
  float cosine, sine;
};
// Twice the angle x, which is at most a quarter turn: by the series, within 6e-8.
SINEW_HD Turn doubled_small(float x) {
  const float q = x * x;
  const float c =
      1.0f +
      q * (-0.5f + q * (4.1666667e-2f + q * (-1.3888889e-3f + q * (2.4801587e-5f - q * 2.7557319e-7f))));
  const float s =
      x * (1.0f + q * (-1.6666667e-1f +
                       q * (8.3333333e-3f + q * (-1.9841270e-4f + q * (2.7557319e-6f - q * 2.5052108e-8f)))));
  return {1.0f - 2.0f * s * s, 2.0f * s * c};
}
// Twice any angle x.
SINEW_HD Turn doubled(float x) {
#ifdef __CUDA_ARCH__
  float s, c;
  sincosf(2 * x, &s, &c);
  return {c, s};
#else
  return {std::cos(2 * x), std::sin(2 * x)};
#endif
}

// The keys of a lane added to a vertex.
SINEW_HD void add_keys(const RigView& rig, const float* keys, std::uint32_t vertex, Point& x, Point* n) {
  if (!rig.key_row) return;
  const std::uint32_t end = rig.key_row[vertex + 1];
  bool tilted = false;
  for (std::uint32_t k = rig.key_row[vertex]; k < end; ++k) {
    const KeyDelta& delta = rig.key_deltas[k];
    const float weight = keys[std::int64_t{delta.key} * kLanes];
    x = x + weight * Point{delta.x, delta.y, delta.z};
    if (n) *n = *n + weight * Point{delta.nx, delta.ny, delta.nz};
    tilted = true;
  }
  if (n && tilted) *n = unit_or(*n, *n);
}

// Linear blending of the joints' matrices.
struct Linear {
  static constexpr int kFloats = 12;
  static constexpr bool kEnds = false;
  struct Sum {
    float m[12];
  };
  static SINEW_HD void clear(Sum& sum) {
    SINEW_UNROLL
    for (int i = 0; i < 12; ++i) sum.m[i] = 0;
  }
  static SINEW_HD void start(float (*)[kFloats], int, bool, float*) {}
  static SINEW_HD void first(const float* slot, float weight, Sum& sum) {
    SINEW_UNROLL
    for (int i = 0; i < 12; ++i) sum.m[i] = weight * slot[i];
  }
  static SINEW_HD void add(const RigView&, std::uint32_t, const float* slot, float weight, float, float,
                           float*, Sum& sum) {
    SINEW_UNROLL
    for (int i = 0; i < 12; ++i) sum.m[i] += weight * slot[i];
  }
  static SINEW_HD Point point(const Sum& sum, const Point& x) { return transform(sum.m, x); }
  static SINEW_HD Point normal(const Sum& sum, const Point& n) {
    return carry_normal({sum.m[0], sum.m[1], sum.m[2]}, {sum.m[4], sum.m[5], sum.m[6]},
                        {sum.m[8], sum.m[9], sum.m[10]}, n);
  }
};

// A rigid motion as a dual quaternion that need not be of unit length.
struct DualSum {
  float r[4], d[4];
};
SINEW_HD Point rotate(const float* q, float scale, const Point& v) {
  const Point axis{q[0], q[1], q[2]}, c = cross(axis, v) + q[3] * v;
  return v + scale * cross(axis, c);
}
SINEW_HD float two_over_square(const float* q) {
  const float square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
#ifdef __CUDA_ARCH__
  return __fdividef(2.0f, fmaxf(square, 1e-30f));
#else
  return 2.0f / (square > 1e-30f ? square : 1e-30f);
#endif
}
SINEW_HD float agree(const float* pivot, const float* q, float weight) {
  const float d = pivot[0] * q[0] + pivot[1] * q[1] + pivot[2] * q[2] + pivot[3] * q[3];
  return d < 0 ? -weight : weight;
}

// Dual quaternion skinning. Quaternions agree in sign with the first slot's.
struct Dual {
  static constexpr int kFloats = 8;
  static constexpr bool kEnds = false;
  using Sum = DualSum;
  static SINEW_HD void clear(Sum& sum) {
    SINEW_UNROLL
    for (int i = 0; i < 4; ++i) sum.r[i] = sum.d[i] = 0;
  }
  static SINEW_HD void start(float (*slot)[kFloats], int slots, bool continued, float* pivot) {
    if (!continued) {
      SINEW_UNROLL
      for (int i = 0; i < 4; ++i) pivot[i] = slot[0][i];
    }
    SINEW_UNROLL
    for (int k = 0; k < 4; ++k) {
      if (k >= slots) break;
      const float sign = agree(pivot, slot[k], 1.0f);
      SINEW_UNROLL
      for (int i = 0; i < 8; ++i) slot[k][i] *= sign;
    }
  }
  static SINEW_HD void first(const float* slot, float weight, Sum& sum) {
    SINEW_UNROLL
    for (int i = 0; i < 4; ++i) {
      sum.r[i] = weight * slot[i];
      sum.d[i] = weight * slot[4 + i];
    }
  }
  static SINEW_HD void add(const RigView&, std::uint32_t, const float* slot, float weight, float, float,
                           float*, Sum& sum) {
    SINEW_UNROLL
    for (int i = 0; i < 4; ++i) {
      sum.r[i] += weight * slot[i];
      sum.d[i] += weight * slot[4 + i];
    }
  }
  static SINEW_HD Point point(const Sum& sum, const Point& x) {
    const float scale = two_over_square(sum.r);
    const Point a{sum.r[0], sum.r[1], sum.r[2]}, b{sum.d[0], sum.d[1], sum.d[2]};
    const Point shift = sum.r[3] * b - sum.d[3] * a + cross(a, b);
    return rotate(sum.r, scale, x) + scale * shift;
  }
  static SINEW_HD Point normal(const Sum& sum, const Point& n) {
    return rotate(sum.r, two_over_square(sum.r), n);
  }
};

// Bones that stretch and twist along themselves, blended linearly.
struct LinearBones {
  static constexpr int kFloats = kBoneFloats;
  static constexpr bool kEnds = true;
  using Sum = Linear::Sum;
  static SINEW_HD void clear(Sum& sum) { Linear::clear(sum); }
  static SINEW_HD void start(float (*)[kFloats], int, bool, float*) {}
  static SINEW_HD void add(const RigView& rig, std::uint32_t entry, const float* slot, float weight,
                           float stretch, float twist, float*, Sum& sum) {
    const Twelve frame = rig.entry_local[entry];
    const float* into = frame.at;
    const Turn turn = doubled(slot[15] + twist * slot[16]);
    SINEW_UNROLL
    for (int r = 0; r < 3; ++r) {
      const float a = slot[4 * r], b = slot[4 * r + 1];
      const float x = weight * (a * turn.cosine + b * turn.sine),
                  y = weight * (b * turn.cosine - a * turn.sine), z = weight * slot[4 * r + 2];
      SINEW_UNROLL
      for (int c = 0; c < 4; ++c) sum.m[4 * r + c] += x * into[c] + y * into[4 + c] + z * into[8 + c];
      sum.m[4 * r + 3] += weight * (slot[4 * r + 3] + stretch * slot[12 + r]);
    }
  }
  static SINEW_HD Point point(const Sum& sum, const Point& x) { return Linear::point(sum, x); }
  static SINEW_HD Point normal(const Sum& sum, const Point& n) { return Linear::normal(sum, n); }
};

// The same by dual quaternions.
struct DualBones {
  static constexpr int kFloats = kDualBoneFloats;
  static constexpr bool kEnds = true;
  using Sum = DualSum;
  static SINEW_HD void clear(Sum& sum) { Dual::clear(sum); }
  static SINEW_HD void start(float (*)[kFloats], int, bool, float*) {}
  static SINEW_HD void twisted(const RigView& rig, std::uint32_t entry, const float* slot, float twist,
                               float* out) {
    const float half = slot[10] + twist * slot[11];
    const float c = cosf(half), s = sinf(half);
    const float* local = rig.entry_local[entry].at;  // its last row is the bone's direction
    const Quaternion<float> q{slot[0], slot[1], slot[2], slot[3]},
        turned = q * Quaternion<float>{s * local[8], s * local[9], s * local[10], c};
    out[0] = turned.x;
    out[1] = turned.y;
    out[2] = turned.z;
    out[3] = turned.w;
  }
  // The first quaternion of a vertex, its largest, is the pivot of the others.
  static SINEW_HD void add(const RigView& rig, std::uint32_t entry, const float* slot, float weight,
                           float stretch, float twist, float* pivot, Sum& sum) {
    float q[4];
    twisted(rig, entry, slot, twist, q);
    if (pivot[0] == 0 && pivot[1] == 0 && pivot[2] == 0 && pivot[3] == 0) {
      SINEW_UNROLL
      for (int i = 0; i < 4; ++i) pivot[i] = q[i];
    }
    const float w = agree(pivot, q, weight);
    const float* place = rig.entry_place[entry].at;
    const Quaternion<float> turn{q[0], q[1], q[2], q[3]}, from{place[3], place[7], place[11], 0},
        to{slot[4] + stretch * slot[7], slot[5] + stretch * slot[8], slot[6] + stretch * slot[9], 0};
    const Quaternion<float> a = to * turn, b = turn * from;
    const float half = 0.5f * w;
    SINEW_UNROLL
    for (int i = 0; i < 4; ++i) sum.r[i] += w * q[i];
    sum.d[0] += half * (a.x - b.x);
    sum.d[1] += half * (a.y - b.y);
    sum.d[2] += half * (a.z - b.z);
    sum.d[3] += half * (a.w - b.w);
  }
  static SINEW_HD Point point(const Sum& sum, const Point& x) { return Dual::point(sum, x); }
  static SINEW_HD Point normal(const Sum& sum, const Point& n) { return Dual::normal(sum, n); }
};

// The vertices of a run that have no keys and at most four influences.
template <class Motion, int kSlots, bool kNormals, class Sink>
SINEW_HD void deform_plain_run(const RigView& rig, const SkinRun& run, const float (*slot)[Motion::kFloats],
                               Sink& sink) {
  const SkinVertex* vertex = rig.skin + run.first;
  const SkinNormal* normal = rig.skin_normals + run.first;
  SkinVertex next = *vertex;
  for (std::uint32_t k = 0; k < run.count; ++k, ++normal) {
    const SkinVertex v = next;
    next = *++vertex;  // there is one behind the last
    typename Motion::Sum sum;
    Motion::first(slot[0], v.weight[0], sum);
    SINEW_UNROLL
    for (int i = 1; i < kSlots; ++i) Motion::add(rig, 0, slot[i], v.weight[i], 0.0f, 0.0f, nullptr, sum);
    sink.put(static_cast<int>(v.place), Motion::point(sum, {v.x, v.y, v.z}));
    if constexpr (kNormals) {
      const SkinNormal n = *normal;
      sink.put_normal(static_cast<int>(v.place), Motion::normal(sum, {n.x, n.y, n.z}));
    }
  }
}

// Those of any other.
template <class Motion, bool kNormals, class Sink>
SINEW_HD void deform_run(const RigView& rig, const SkinRun& run, const float (*slot)[Motion::kFloats],
                         const float* keys, float* pivot, typename Motion::Sum& sum, Sink& sink) {
  for (std::uint32_t v = run.first; v < run.first + run.count; ++v) {
    const SkinVertex vertex = rig.skin[v];
    if ((run.partial & 2) == 0) {
      Motion::clear(sum);
      if constexpr (Motion::kEnds) {
        SINEW_UNROLL
        for (int i = 0; i < 4; ++i) pivot[i] = 0;
      }
    }
    SkinEnds ends;
    if constexpr (Motion::kEnds) ends = rig.ends[v];
    SINEW_UNROLL
    for (int k = 0; k < 4; ++k) {
      if (vertex.weight[k] == 0) continue;
      if constexpr (Motion::kEnds)
        Motion::add(rig, ends.entry[k], slot[k], vertex.weight[k], ends.stretch[k], ends.twist[k], pivot,
                    sum);
      else
        Motion::add(rig, 0, slot[k], vertex.weight[k], 0.0f, 0.0f, pivot, sum);
    }
    if (run.partial & 1) return;
    const SkinNormal rest = rig.skin_normals[v];
    Point x{vertex.x, vertex.y, vertex.z}, n{rest.x, rest.y, rest.z};
    add_keys(rig, keys, rest.vertex, x, kNormals ? &n : nullptr);
    sink.put(static_cast<int>(vertex.place), Motion::point(sum, x));
    if constexpr (kNormals) sink.put_normal(static_cast<int>(vertex.place), Motion::normal(sum, n));
  }
}

// The vertices of a tile, into sink.put(place, position) and sink.put_normal. kPlain: RigView::plain.
template <class Motion, bool kNormals, bool kPlain, class Sink>
SINEW_HD void deform_tile(const RigView& rig, int tile, const float* palette, const float* keys, Sink& sink) {
  float slot[4][Motion::kFloats] = {};
  float pivot[4] = {};
  typename Motion::Sum sum;
  Motion::clear(sum);
  const SkinRun* end = rig.runs + rig.tile[tile + 1];
  for (const SkinRun* at = rig.runs + rig.tile[tile]; at != end; ++at) {
    const SkinRun run = *at;
    SINEW_UNROLL
    for (int k = 0; k < 4; ++k)
      if (run.load[k] != kKeep) {
        const float* from = palette + std::int64_t{run.load[k]} * (Motion::kFloats * kLanes);
        SINEW_UNROLL
        for (int i = 0; i < Motion::kFloats; ++i) slot[k][i] = from[i * kLanes];
      }
    Motion::start(slot, static_cast<int>(run.slots), (run.partial & 2) != 0, pivot);
    if constexpr (kPlain && !Motion::kEnds) {
      if (run.slots == 1)
        deform_plain_run<Motion, 1, kNormals>(rig, run, slot, sink);
      else if (run.slots == 2)
        deform_plain_run<Motion, 2, kNormals>(rig, run, slot, sink);
      else
        deform_plain_run<Motion, 4, kNormals>(rig, run, slot, sink);
    } else {
      deform_run<Motion, kNormals>(rig, run, slot, keys, pivot, sum, sink);
    }
  }
}

}  // namespace sinew::gpu
