// SPDX-License-Identifier: Apache-2.0
#include "weights/field_energy_kernel.h"

#include <algorithm>

#include "sinew/math/rotation_fit.h"
#include "sinew/math/rotation_fit_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weights/field_energy_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sinew::weights_detail {
namespace HWY_NAMESPACE {

// The compiler's vectors, as wide as the machine's: a pack or half of one. Contraction is off and sums have one order, so
// all targets give the same bits.
constexpr std::size_t kWidth = HWY_MAX_BYTES < 64 ? kHalf : kPack, kParted = kPack / kWidth;
using Wide [[gnu::vector_size(4 * kWidth)]] = float;
using Whole [[gnu::vector_size(4 * kWidth)]] = std::int32_t;
using WideInMemory [[gnu::vector_size(4 * kWidth), gnu::aligned(4), gnu::may_alias]] = float;
using Half [[gnu::vector_size(4 * kHalf)]] = float;
using HalfInMemory [[gnu::vector_size(4 * kHalf), gnu::aligned(4), gnu::may_alias]] = float;

// By reference: vectors by value would be passed differently where registers are narrow.
HWY_INLINE const WideInMemory& Load(const float* from) {
  return *reinterpret_cast<const WideInMemory*>(from);
}

HWY_INLINE void Store(const Wide& wide, float* to) {
  *reinterpret_cast<WideInMemory*>(to) = wide;
}

// Where rotation k of a pack-by-pack array lies.
HWY_INLINE std::size_t At(std::size_t k, std::size_t vertices, std::size_t vertex, std::size_t coordinate) {
  return place(k - k % kPack, vertices, vertex, coordinate) + k % kPack;
}

HWY_INLINE bool AllOf(const Whole& mask) {
  constexpr int h = kParted == 1 ? kHalf : 0;
  using Eight [[gnu::vector_size(4 * kHalf)]] = std::int32_t;
  using Four [[gnu::vector_size(4 * kHalf)]] = std::int64_t;
  const Eight both = __builtin_shufflevector(mask, mask, 0, 1, 2, 3, 4, 5, 6, 7) &
                     __builtin_shufflevector(mask, mask, h, h + 1, h + 2, h + 3, h + 4, h + 5, h + 6, h + 7);
  const Four four = __builtin_bit_cast(Four, both);
  return (four[0] & four[1] & four[2] & four[3]) == -1;
}

// The two halves of a pack.
HWY_INLINE void Fold(const Wide* pack, Half& out) {
  constexpr int h = kParted == 1 ? kHalf : 0;
  const Wide &first = pack[0], &last = pack[kParted - 1];
  out = __builtin_shufflevector(first, first, 0, 1, 2, 3, 4, 5, 6, 7) +
        __builtin_shufflevector(last, last, h, h + 1, h + 2, h + 3, h + 4, h + 5, h + 6, h + 7);
}

// The sums of eight vectors.
HWY_INLINE void SumsOf(const Half* of, Half& sums) {
  Half pairs[4], fours[2];
  for (std::size_t k = 0; k < 4; ++k)
    pairs[k] = __builtin_shufflevector(of[2 * k], of[2 * k + 1], 0, 1, 2, 3, 8, 9, 10, 11) +
               __builtin_shufflevector(of[2 * k], of[2 * k + 1], 4, 5, 6, 7, 12, 13, 14, 15);
  for (std::size_t k = 0; k < 2; ++k)
    fours[k] = __builtin_shufflevector(pairs[2 * k], pairs[2 * k + 1], 0, 1, 4, 5, 8, 9, 12, 13) +
               __builtin_shufflevector(pairs[2 * k], pairs[2 * k + 1], 2, 3, 6, 7, 10, 11, 14, 15);
  sums = __builtin_shufflevector(fours[0], fours[1], 0, 2, 4, 6, 8, 10, 12, 14) +
         __builtin_shufflevector(fours[0], fours[1], 1, 3, 5, 7, 9, 11, 13, 15);
}

// By polynomials, after the nearest quarter of a turn is taken away.
HWY_INLINE void SineAndCosine(const Wide& x, Wide& sine, Wide& cosine) {
  const Wide shifted = x * 0.636619772f + 12582912.0f;
  const Whole quarter = __builtin_bit_cast(Whole, shifted);
  const Wide n = shifted - 12582912.0f;
  const Wide r = ((x - n * 1.5703125f) - n * 4.837512969970703125e-4f) - n * 7.54978995489188216e-8f;
  const Wide z = r * r;
  const Wide s = ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * r + r;
  const Wide c = ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z -
                 0.5f * z + 1.0f;
  const Whole odd = (quarter & 1) != 0;
  const Wide first = odd ? c : s, second = odd ? s : c;
  sine = (quarter & 2) != 0 ? -first : first;
  cosine = ((quarter + 1) & 2) != 0 ? -second : second;
}

// turn_functions of a pack of rotations for flesh that is twisted by angles of these cosines and sines.
HWY_INLINE void Functions(const float* parts, std::size_t lanes, std::size_t k, const Wide& c, const Wide& s,
                          Wide* out) {
  const Wide cosine = Load(parts + kCosine * lanes + k), sine = Load(parts + kSine * lanes + k);
  const Wide c1 = cosine * c + sine * s, s1 = sine * c - cosine * s;
  const Wide c2 = c1 * c1 - s1 * s1, s2 = 2.0f * c1 * s1;
  const Wide harmonics[kTurnHarmonics] = {Wide{} + 1.0f,    c1, s1, c2, s2, c1 * c2 - s1 * s2,
                                          s1 * c2 + c1 * s2};
  for (std::size_t f = 0; f < kTurnFunctions; ++f)
    out[f] = Load(parts + (kFactors + f) * lanes + k) * harmonics[kHarmonicOf[f]];
}

// The best rotation where the search fails: the slow and certain way.
void FitOthers(const Wide* entry, const Whole& sure, Wide* q) {
  for (std::size_t l = 0; l < kWidth; ++l) {
    if (sure[l]) continue;
    Mat3 matrix;
    for (std::size_t e = 0; e < 9; ++e) matrix.data()[e] = static_cast<double>(entry[e][l]);
    const Quat fit = fit_rotation(matrix);
    q[0][l] = static_cast<float>(fit.w());
    q[1][l] = static_cast<float>(fit.x());
    q[2][l] = static_cast<float>(fit.y());
    q[3][l] = static_cast<float>(fit.z());
  }
}

[[gnu::noinline, gnu::cold]] void FitAnew(const Wide* entry, Whole& sure, Wide* q) {
  Wide found[4], good;
  fit_pack(entry, found, good);
  for (std::size_t c = 0; c < 4; ++c) q[c] = sure ? q[c] : found[c];
  sure |= good == 1.0f;
  if (!AllOf(sure)) FitOthers(entry, sure, q);
}

// From q, if it is known. Newton's method on rotations converges cubically: after a step as small as this nothing is left
// to find. Every lane's result is its own.
HWY_INLINE void FitNear(const Wide* entry, bool known, Wide* q) {
  constexpr float kClose = 1e-3f;
  constexpr int kMoreTries = 2;
  Whole sure{};
  if (known) {
    Wide size;
    climb_step(entry, q, size);
    sure = size < kClose;
    if (AllOf(sure)) return;
    for (int step = 0; step < kMoreTries; ++step) {
      Wide next[4] = {q[0], q[1], q[2], q[3]};
      climb_step(entry, next, size);
      for (std::size_t c = 0; c < 4; ++c) q[c] = sure ? q[c] : next[c];
      sure |= size < kClose;
      if (AllOf(sure)) return;
    }
  }
  FitAnew(entry, sure, q);
}

// The columns of the rotation of q, which may have any length.
HWY_INLINE void ColumnsOf(const Wide* q, Wide (*r)[3]) {
  const Wide scale = 2.0f / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const Wide x = q[1] * scale, y = q[2] * scale, z = q[3] * scale;
  const Wide wx = x * q[0], wy = y * q[0], wz = z * q[0], xx = x * q[1], xy = x * q[2], xz = x * q[3];
  const Wide yy = y * q[2], yz = y * q[3], zz = z * q[3];
  r[0][0] = 1.0f - yy - zz, r[0][1] = xy + wz, r[0][2] = xz - wy;
  r[1][0] = xy - wz, r[1][1] = 1.0f - xx - zz, r[1][2] = yz + wx;
  r[2][0] = xz + wy, r[2][1] = yz - wx, r[2][2] = 1.0f - xx - yy;
}

void TwistVertices(std::size_t vertices, std::size_t lanes, const float* twist, const float* angles,
                   float* cosine, float* sine) {
  for (std::size_t i = 0; i < vertices; ++i)
    for (std::size_t k = 0; k < lanes; k += kWidth) {
      const Wide angle = twist[i] * Load(angles + k);
      Wide c, s;
      SineAndCosine(angle, s, c);
      Store(c, cosine + lanes * i + k);
      Store(s, sine + lanes * i + k);
    }
}

// Adds what fields add at rest.
HWY_INLINE void AddFields(const float* row, const float* parts, std::size_t lanes, std::size_t k,
                          const Wide& c, const Wide& s, Wide* to) {
  Wide amounts[kTurnFunctions];
  Functions(parts, lanes, k, c, s, amounts);
  for (std::size_t f = 0; f < kTurnFunctions; ++f)
    for (std::size_t q = 0; q < 3; ++q) to[q] += amounts[f] * row[3 * f + q];
}

void PoseVertices(const PoseInput& in, float* at) {
  for (std::size_t i = 0; i < in.vertices; ++i) {
    const float* row = in.fields && !in.fixed[i] ? in.fields + 3 * kTurnFunctions * i : nullptr;
    const float share = in.swing[i];
    for (std::size_t k = 0; k < in.lanes; k += kWidth) {
      const Wide c = Load(in.cosine + in.lanes * i + k), s = Load(in.sine + in.lanes * i + k);
      Wide x[3] = {Wide{} + in.rest[3 * i], Wide{} + in.rest[3 * i + 1], Wide{} + in.rest[3 * i + 2]};
      if (row) AddFields(row, in.parts, in.lanes, k, c, s, x);
      const Wide tx = c * x[0] - s * x[1], ty = s * x[0] + c * x[1];
      const Wide turned[3] = {tx, ty, x[2]};
      for (std::size_t r = 0; r < 3; ++r) {
        const float* m = in.parts + (kSwing + 3 * r) * in.lanes + k;
        const Wide swung = Load(m) * tx + Load(m + in.lanes) * ty + Load(m + 2 * in.lanes) * x[2];
        Store(turned[r] + share * swung, at + At(k, in.vertices, i, r));
      }
    }
  }
}

// One cell at one vector of rotations from k on.
HWY_INLINE void StretchCell(const CellInput& in, std::size_t cell, std::size_t k, const float* at,
                            float* force, Wide& energy) {
  const std::size_t first = At(k, in.vertices, 0, 0);
  std::size_t to[8];
  for (std::size_t n = 0; n < 8; ++n) to[n] = first + 3 * kPack * in.corners[cell][n];
  const float by_size = 0.25f / in.size;
  Wide entry[9], q[4], r[3][3];
  for (std::size_t c = 0; c < 3; ++c) {
    const float* from = at + c * kPack;
    const Wide p0 = Load(from + to[0]), p1 = Load(from + to[1]), p2 = Load(from + to[2]),
               p3 = Load(from + to[3]), p4 = Load(from + to[4]), p5 = Load(from + to[5]),
               p6 = Load(from + to[6]), p7 = Load(from + to[7]);
    entry[c] = by_size * (((p1 - p0) + (p3 - p2)) + ((p5 - p4) + (p7 - p6)));
    entry[3 + c] = by_size * (((p2 - p0) + (p3 - p1)) + ((p6 - p4) + (p7 - p5)));
    entry[6 + c] = by_size * (((p4 - p0) + (p5 - p1)) + ((p6 - p2) + (p7 - p3)));
  }
  float* spin = in.spins + 4 * (in.corners.size() * (k - k % kPack) + cell * kPack) + k % kPack;
  for (std::size_t c = 0; c < 4; ++c) q[c] = Load(spin + c * kPack);
  FitNear(entry, in.spins_known, q);
  for (std::size_t c = 0; c < 4; ++c) Store(q[c], spin + c * kPack);
  ColumnsOf(q, r);
  const float stiff = in.stiffness.empty() ? 1.0f : in.stiffness[cell], scale = 0.25f * in.size * stiff;
  Wide own{};
  for (std::size_t c = 0; c < 3; ++c) {
    const float* from = at + c * kPack;
    const Wide p0 = Load(from + to[0]), p1 = Load(from + to[1]), p2 = Load(from + to[2]),
               p3 = Load(from + to[3]), p4 = Load(from + to[4]), p5 = Load(from + to[5]),
               p6 = Load(from + to[6]), p7 = Load(from + to[7]);
    const Wide x = in.size * r[0][c], y = in.size * r[1][c], z = in.size * r[2][c];
    const Wide x0 = p1 - p0 - x, x1 = p3 - p2 - x, x2 = p5 - p4 - x, x3 = p7 - p6 - x;
    const Wide y0 = p2 - p0 - y, y1 = p3 - p1 - y, y2 = p6 - p4 - y, y3 = p7 - p5 - y;
    const Wide z0 = p4 - p0 - z, z1 = p5 - p1 - z, z2 = p6 - p2 - z, z3 = p7 - p3 - z;
    own += ((x0 * x0 + x1 * x1) + (x2 * x2 + x3 * x3)) + ((y0 * y0 + y1 * y1) + (y2 * y2 + y3 * y3)) +
           ((z0 * z0 + z1 * z1) + (z2 * z2 + z3 * z3));
    if (!force) continue;
    float* pull = force + c * kPack;
    const auto add = [&](std::size_t n, const Wide& much) {
      const Wide sum = Load(pull + to[n]) + scale * much;
      Store(sum, pull + to[n]);
    };
    add(0, -x0 - y0 - z0);
    add(1, x0 - y1 - z1);
    add(2, y0 - x1 - z2);
    add(3, x1 + y1 - z3);
    add(4, z0 - x2 - y2);
    add(5, z1 + x2 - y3);
    add(6, z2 + y2 - x3);
    add(7, x3 + y3 + z3);
  }
  energy += stiff * own;
}

void StretchCells(const CellInput& in, const float* at, float* force, double* energies) {
  constexpr std::size_t kFlush = 64;  // cells whose energies are summed in single precision
  for (std::size_t pack = 0; pack < in.used; pack += kPack)
    for (std::size_t begin = 0; begin < in.corners.size(); begin += kFlush) {
      const std::size_t end = std::min(begin + kFlush, in.corners.size());
      const std::size_t parts = kParted == 1 || pack + kHalf < in.used ? kParted : 1;
      Wide sum[kParted] = {};
      for (std::size_t cell = begin; cell < end; ++cell)
        for (std::size_t part = 0; part < parts; ++part)
          StretchCell(in, cell, pack + part * kWidth, at, force, sum[part]);
      for (std::size_t part = 0; part < parts; ++part)
        for (std::size_t l = 0; l < kWidth; ++l)
          energies[pack + part * kWidth + l] +=
              static_cast<double>(in.size) / 8 * static_cast<double>(sum[part][l]);
    }
}

// The sums over the rotations of amounts times what is pulled at a vertex. By vectors of rotations.
HWY_INLINE void SumUp(const Wide (*amounts)[kTurnFunctions], const Wide (*own)[3], std::size_t vectors,
                      float* row) {
  constexpr std::size_t kSums = 3 * kTurnFunctions;
  for (std::size_t first = 0; first < kSums; first += kHalf) {
    const std::size_t count = std::min(kHalf, kSums - first);
    Half folded[kHalf] = {};
    for (std::size_t e = 0; e < count; ++e) {
      const std::size_t f = (first + e) / 3, c = (first + e) % 3;
      Wide sum[kParted];
      for (std::size_t part = 0; part < kParted; ++part) {
        sum[part] = amounts[part][f] * own[part][c];
        for (std::size_t b = part + kParted; b < vectors; b += kParted)
          sum[part] += amounts[b][f] * own[b][c];
      }
      Fold(sum, folded[e]);
    }
    Half sums;
    SumsOf(folded, sums);
    if (count == kHalf)
      *reinterpret_cast<HalfInMemory*>(row + first) = sums;
    else
      for (std::size_t e = 0; e < count; ++e) row[first + e] = sums[e];
  }
}

void PullFields(const PoseInput& in, const float* force, const float* scale, float* gradient) {
  for (std::size_t i = 0; i < in.vertices; ++i) {
    float* row = gradient + 3 * kTurnFunctions * i;
    if (in.fixed[i]) {
      std::fill_n(row, 3 * kTurnFunctions, 0.0f);
      continue;
    }
    Wide amounts[kMostLanes / kWidth][kTurnFunctions], own[kMostLanes / kWidth][3];
    const std::size_t vectors = in.lanes / kWidth;
    for (std::size_t b = 0; b < vectors; ++b) {
      const std::size_t k = b * kWidth;
      const Wide c = Load(in.cosine + in.lanes * i + k), s = Load(in.sine + in.lanes * i + k);
      Functions(in.parts, in.lanes, k, c, s, amounts[b]);
      const float* f = force + At(k, in.vertices, i, 0);
      const Wide by = Load(scale + k);
      const Wide x = by * Load(f), y = by * Load(f + kPack), z = by * Load(f + 2 * kPack);
      Wide turned[3] = {x, y, z};
      for (std::size_t r = 0; r < 3; ++r) {
        const float* m = in.parts + (kSwing + r) * in.lanes + k;
        turned[r] += in.swing[i] * (Load(m) * x + Load(m + 3 * in.lanes) * y + Load(m + 6 * in.lanes) * z);
      }
      own[b][0] = c * turned[0] + s * turned[1];
      own[b][1] = c * turned[1] - s * turned[0];
      own[b][2] = turned[2];
    }
    SumUp(amounts, own, vectors, row);
  }
}

// The linear part of a joint's motion at a vertex, column by column, in the axes of the world.
HWY_INLINE void LinearPart(const MovingJoint& joint, std::size_t lanes, std::size_t k, std::size_t i,
                           const Wide& c, const Wide& s, Wide* out) {
  const float share = joint.swing[i];
  Wide local[3][3];  // [column][row]
  for (std::size_t r = 0; r < 3; ++r) {
    const float* m = joint.parts + (kSwing + 3 * r) * lanes + k;
    Wide swung[3];
    for (std::size_t q = 0; q < 3; ++q) swung[q] = (r == q ? 1.0f : 0.0f) + share * Load(m + q * lanes);
    local[0][r] = swung[0] * c + swung[1] * s;
    local[1][r] = swung[1] * c - swung[0] * s;
    local[2][r] = swung[2];
  }
  const float* axes = joint.axes.data();
  Wide half[3][3];
  for (std::size_t q = 0; q < 3; ++q)
    for (std::size_t r = 0; r < 3; ++r)
      half[q][r] = axes[r] * local[q][0] + axes[3 + r] * local[q][1] + axes[6 + r] * local[q][2];
  for (std::size_t q = 0; q < 3; ++q)
    for (std::size_t r = 0; r < 3; ++r)
      out[3 * q + r] = half[0][r] * axes[q] + half[1][r] * axes[3 + q] + half[2][r] * axes[6 + q];
}

HWY_INLINE void Turned(const Wide* map, const Wide* x, Wide* out) {
  for (std::size_t r = 0; r < 3; ++r) out[r] = map[r] * x[0] + map[3 + r] * x[1] + map[6 + r] * x[2];
}

void MoveVertices(const MovingInput& in, float* base, float* maps) {
  for (std::size_t k = 0; k < in.lanes; k += kWidth)
    for (std::size_t i = 0; i < in.vertices; ++i) {
      Wide x[3] = {Wide{} + in.rest[3 * i], Wide{} + in.rest[3 * i + 1], Wide{} + in.rest[3 * i + 2]},
           part[2][9];
      for (std::size_t j = 0; j < 2; ++j) {
        const MovingJoint& joint = in.joints[j];
        const Wide angle = joint.twist[i] * Load(joint.turned + k);
        Wide c, s;
        SineAndCosine(angle, s, c);
        if (joint.fields) AddFields(joint.fields + 3 * kTurnFunctions * i, joint.parts, in.lanes, k, c, s, x);
        LinearPart(joint, in.lanes, k, i, c, s, part[j]);
      }
      for (std::size_t j = 0; j < 2; ++j) {
        const auto& centre = in.joints[j].centre;
        const Wide away[3] = {x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]};
        Turned(part[j], away, x);
        for (std::size_t r = 0; r < 3; ++r) x[r] += centre[r];
      }
      const std::size_t to = At(k, in.vertices, i, 0), lane = k % kPack;
      for (std::size_t r = 0; r < 3; ++r) Store(x[r], base + to + r * kPack);
      for (std::size_t q = 0; q < 3; ++q) {
        Wide column[3];
        Turned(part[1], part[0] + 3 * q, column);
        for (std::size_t r = 0; r < 3; ++r)
          Store(column[r], maps + 3 * (to - lane) + lane + (3 * q + r) * kPack);
      }
    }
}

void PoseMoved(const MovedInput& in, float* at) {
  for (std::size_t k = 0; k < in.lanes; k += kWidth)
    for (std::size_t i = 0; i < in.vertices; ++i) {
      const std::size_t to = At(k, in.vertices, i, 0), lane = k % kPack;
      Wide moved[3] = {Load(in.base + to), Load(in.base + to + kPack), Load(in.base + to + 2 * kPack)};
      if (in.fields && !in.fixed[i]) {
        const Wide c = Load(in.cosine + in.lanes * i + k), s = Load(in.sine + in.lanes * i + k);
        Wide add[3] = {};
        AddFields(in.fields + 3 * kTurnFunctions * i, in.parts, in.lanes, k, c, s, add);
        const float* map = in.maps + 3 * (to - lane) + lane;
        for (std::size_t q = 0; q < 3; ++q)
          for (std::size_t r = 0; r < 3; ++r) moved[r] += Load(map + (3 * q + r) * kPack) * add[q];
      }
      for (std::size_t r = 0; r < 3; ++r) Store(moved[r], at + to + r * kPack);
    }
}

void PullMoved(const MovedInput& in, const float* force, const float* scale, float* gradient) {
  for (std::size_t i = 0; i < in.vertices; ++i) {
    float* row = gradient + 3 * kTurnFunctions * i;
    if (in.fixed[i]) {
      std::fill_n(row, 3 * kTurnFunctions, 0.0f);
      continue;
    }
    Wide amounts[kMostLanes / kWidth][kTurnFunctions], own[kMostLanes / kWidth][3];
    for (std::size_t b = 0; b < in.lanes / kWidth; ++b) {
      const std::size_t k = b * kWidth, from = At(k, in.vertices, i, 0), lane = k % kPack;
      const Wide c = Load(in.cosine + in.lanes * i + k), s = Load(in.sine + in.lanes * i + k);
      Functions(in.parts, in.lanes, k, c, s, amounts[b]);
      const float* map = in.maps + 3 * (from - lane) + lane;
      for (std::size_t q = 0; q < 3; ++q) {
        Wide sum{};
        for (std::size_t r = 0; r < 3; ++r)
          sum += Load(map + (3 * q + r) * kPack) * Load(force + from + r * kPack);
        own[b][q] = Load(scale + k) * sum;
      }
    }
    SumUp(amounts, own, in.lanes / kWidth, row);
  }
}

void MixFunctions(std::size_t vertices, const float* by, float* rows) {
  constexpr std::size_t kVectors = kMixWidth / kWidth;
  for (std::size_t i = 0; i < vertices; ++i) {
    float* row = rows + 3 * kTurnFunctions * i;
    Wide sums[3][kVectors] = {};
    for (std::size_t g = 0; g < kTurnFunctions; ++g)
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Wide mix = Load(by + g * kMixWidth + v * kWidth);
        for (std::size_t c = 0; c < 3; ++c) sums[c][v] += mix * row[3 * g + c];
      }
    for (std::size_t f = 0; f < kTurnFunctions; ++f)
      for (std::size_t c = 0; c < 3; ++c) row[3 * f + c] = sums[c][f / kWidth][f % kWidth];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew::weights_detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew::weights_detail {
HWY_EXPORT(TwistVertices);
HWY_EXPORT(PoseVertices);
HWY_EXPORT(StretchCells);
HWY_EXPORT(PullFields);
HWY_EXPORT(MixFunctions);
HWY_EXPORT(MoveVertices);
HWY_EXPORT(PoseMoved);
HWY_EXPORT(PullMoved);

void twist_vertices(std::size_t vertices, std::size_t lanes, const float* twist, const float* angles,
                    float* cosine, float* sine) noexcept {
  HWY_DYNAMIC_DISPATCH(TwistVertices)(vertices, lanes, twist, angles, cosine, sine);
}
void pose_vertices(const PoseInput& in, float* at) noexcept {
  HWY_DYNAMIC_DISPATCH(PoseVertices)(in, at);
}
void stretch_cells(const CellInput& in, const float* at, float* force, double* energies) noexcept {
  HWY_DYNAMIC_DISPATCH(StretchCells)(in, at, force, energies);
}
void pull_fields(const PoseInput& in, const float* force, const float* scale, float* gradient) noexcept {
  HWY_DYNAMIC_DISPATCH(PullFields)(in, force, scale, gradient);
}
void mix_functions(std::size_t vertices, const float* by, float* rows) noexcept {
  HWY_DYNAMIC_DISPATCH(MixFunctions)(vertices, by, rows);
}
void move_vertices(const MovingInput& in, float* base, float* maps) noexcept {
  HWY_DYNAMIC_DISPATCH(MoveVertices)(in, base, maps);
}
void pose_moved(const MovedInput& in, float* at) noexcept {
  HWY_DYNAMIC_DISPATCH(PoseMoved)(in, at);
}
void pull_moved(const MovedInput& in, const float* force, const float* scale, float* gradient) noexcept {
  HWY_DYNAMIC_DISPATCH(PullMoved)(in, force, scale, gradient);
}

}  // namespace sinew::weights_detail
#endif
