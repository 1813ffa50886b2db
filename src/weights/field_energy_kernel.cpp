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

// The compiler's vectors, which rotation fits take. Contraction is off, so all targets give the same bits.
using Pack [[gnu::vector_size(4 * kPack)]] = float;
using PackInMemory [[gnu::vector_size(4 * kPack), gnu::aligned(4), gnu::may_alias]] = float;

// By reference: vectors by value would be passed differently where registers are narrow.
HWY_INLINE const PackInMemory& Load(const float* from) {
  return *reinterpret_cast<const PackInMemory*>(from);
}

HWY_INLINE void Store(const Pack& pack, float* to) {
  *reinterpret_cast<PackInMemory*>(to) = pack;
}

// Lanes in one order, whatever the width of the machine.
HWY_INLINE float SumOf(const Pack& pack) {
  return ((pack[0] + pack[4]) + (pack[1] + pack[5])) + ((pack[2] + pack[6]) + (pack[3] + pack[7]));
}

// turn_functions of a pack of rotations for flesh that is twisted by angles of these cosines and sines.
HWY_INLINE void Functions(const float* parts, std::size_t lanes, std::size_t k, const Pack& c, const Pack& s,
                          Pack* out) {
  const Pack cosine = Load(parts + kCosine * lanes + k), sine = Load(parts + kSine * lanes + k);
  const Pack c1 = cosine * c + sine * s, s1 = sine * c - cosine * s;
  const Pack c2 = c1 * c1 - s1 * s1, s2 = 2.0f * c1 * s1;
  const Pack harmonics[kTurnHarmonics] = {Pack{} + 1.0f,    c1, s1, c2, s2, c1 * c2 - s1 * s2,
                                          s1 * c2 + c1 * s2};
  for (std::size_t f = 0; f < kTurnFunctions; ++f)
    out[f] = Load(parts + (kFactors + f) * lanes + k) * harmonics[kHarmonicOf[f]];
}

// Where a certificate is missing, the slow and certain way.
void FitOthers(const Pack* entry, const Pack& good, Pack* q) {
  for (std::size_t l = 0; l < kPack; ++l) {
    if (good[l] == 1.0f) continue;
    Mat3 matrix;
    for (std::size_t e = 0; e < 9; ++e) matrix.data()[e] = static_cast<double>(entry[e][l]);
    const Quat fit = fit_rotation(matrix);
    q[0][l] = static_cast<float>(fit.w());
    q[1][l] = static_cast<float>(fit.x());
    q[2][l] = static_cast<float>(fit.y());
    q[3][l] = static_cast<float>(fit.z());
  }
}

// The columns of the rotation of q, which may have any length.
HWY_INLINE void ColumnsOf(const Pack* q, Pack (*r)[3]) {
  const Pack scale = 2.0f / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const Pack x = q[1] * scale, y = q[2] * scale, z = q[3] * scale;
  const Pack wx = x * q[0], wy = y * q[0], wz = z * q[0], xx = x * q[1], xy = x * q[2], xz = x * q[3];
  const Pack yy = y * q[2], yz = y * q[3], zz = z * q[3];
  r[0][0] = 1.0f - yy - zz, r[0][1] = xy + wz, r[0][2] = xz - wy;
  r[1][0] = xy - wz, r[1][1] = 1.0f - xx - zz, r[1][2] = yz + wx;
  r[2][0] = xz + wy, r[2][1] = yz - wx, r[2][2] = 1.0f - xx - yy;
}

void PoseVertices(const PoseInput& in, float* at) {
  for (std::size_t i = 0; i < in.vertices; ++i) {
    const float* row = in.fields && !in.fixed[i] ? in.fields + 3 * kTurnFunctions * i : nullptr;
    const float share = in.swing[i];
    for (std::size_t k = 0; k < in.lanes; k += kPack) {
      const Pack c = Load(in.cosine + in.lanes * i + k), s = Load(in.sine + in.lanes * i + k);
      Pack x = Pack{} + in.rest[3 * i], y = Pack{} + in.rest[3 * i + 1], z = Pack{} + in.rest[3 * i + 2];
      if (row) {
        Pack amounts[kTurnFunctions];
        Functions(in.parts, in.lanes, k, c, s, amounts);
        for (std::size_t f = 0; f < kTurnFunctions; ++f) {
          x += amounts[f] * row[3 * f];
          y += amounts[f] * row[3 * f + 1];
          z += amounts[f] * row[3 * f + 2];
        }
      }
      const Pack tx = c * x - s * y, ty = s * x + c * y;
      const Pack turned[3] = {tx, ty, z};
      for (std::size_t r = 0; r < 3; ++r) {
        const float* m = in.parts + (kSwing + 3 * r) * in.lanes + k;
        const Pack swung = Load(m) * tx + Load(m + in.lanes) * ty + Load(m + 2 * in.lanes) * z;
        Store(turned[r] + share * swung, at + place(k, in.vertices, i, r));
      }
    }
  }
}

void StretchCells(const CellInput& in, const float* at, float* force, double* energies) {
  constexpr std::size_t kFlush = 64;  // cells whose energies are summed in single precision
  const float by_size = 1 / in.size;
  for (std::size_t k = 0; k < in.lanes; k += kPack) {
    for (std::size_t begin = 0; begin < in.corners.size(); begin += kFlush) {
      const std::size_t end = std::min(begin + kFlush, in.corners.size());
      Pack sum{};
      for (std::size_t cell = begin; cell < end; ++cell) {
        const auto& corners = in.corners[cell];
        Pack p[8][3];
        for (std::size_t n = 0; n < 8; ++n)
          for (std::size_t c = 0; c < 3; ++c) p[n][c] = Load(at + place(k, in.vertices, corners[n], c));
        Pack entry[9];
        for (std::size_t c = 0; c < 3; ++c) {
          entry[c] = by_size * (((p[1][c] - p[0][c]) + (p[3][c] - p[2][c])) +
                                ((p[5][c] - p[4][c]) + (p[7][c] - p[6][c])));
          entry[3 + c] = by_size * (((p[2][c] - p[0][c]) + (p[3][c] - p[1][c])) +
                                    ((p[6][c] - p[4][c]) + (p[7][c] - p[5][c])));
          entry[6 + c] = by_size * (((p[4][c] - p[0][c]) + (p[5][c] - p[1][c])) +
                                    ((p[6][c] - p[2][c]) + (p[7][c] - p[3][c])));
        }
        Pack q[4], good, r[3][3];
        fit_pack(entry, q, good);
        bool all = true;
        for (std::size_t l = 0; l < kPack; ++l) all = all && good[l] == 1.0f;
        if (!all) FitOthers(entry, good, q);
        ColumnsOf(q, r);
        const float stiff = in.stiffness.empty() ? 1.0f : in.stiffness[cell];
        Pack own{}, pull[8][3] = {};
        for (std::size_t axis = 0; axis < 3; ++axis)
          for (std::size_t c = 0; c < 3; ++c) {
            const Pack edge = in.size * r[axis][c];
            for (std::size_t n = 0; n < 8; ++n) {
              const std::size_t m = n | (std::size_t{1} << axis);
              if (m == n) continue;
              const Pack away = p[m][c] - p[n][c] - edge;
              own += away * away;
              pull[m][c] += away;
              pull[n][c] -= away;
            }
          }
        sum += stiff * own;
        if (!force) continue;
        const float scale = 0.25f * in.size * stiff;
        for (std::size_t n = 0; n < 8; ++n)
          for (std::size_t c = 0; c < 3; ++c) {
            float* to = force + place(k, in.vertices, corners[n], c);
            const Pack sum_here = Load(to) + scale * pull[n][c];
            Store(sum_here, to);
          }
      }
      for (std::size_t l = 0; l < kPack; ++l)
        energies[k + l] += static_cast<double>(in.size) / 8 * static_cast<double>(sum[l]);
    }
  }
}

// The sums over the rotations of amounts times what is pulled at a vertex.
HWY_INLINE void SumUp(const Pack (*amounts)[kTurnFunctions], const Pack (*own)[3], std::size_t packs,
                      float* row) {
  for (std::size_t f = 0; f < kTurnFunctions; ++f)
    for (std::size_t c = 0; c < 3; ++c) {
      Pack sum = amounts[0][f] * own[0][c];
      for (std::size_t b = 1; b < packs; ++b) sum += amounts[b][f] * own[b][c];
      row[3 * f + c] = SumOf(sum);
    }
}

void PullFields(const PoseInput& in, const float* force, const float* scale, float* gradient) {
  for (std::size_t i = 0; i < in.vertices; ++i) {
    float* row = gradient + 3 * kTurnFunctions * i;
    if (in.fixed[i]) {
      std::fill_n(row, 3 * kTurnFunctions, 0.0f);
      continue;
    }
    Pack amounts[kMostLanes / kPack][kTurnFunctions], own[kMostLanes / kPack][3];
    const std::size_t packs = in.lanes / kPack;
    for (std::size_t b = 0; b < packs; ++b) {
      const std::size_t k = b * kPack;
      const Pack c = Load(in.cosine + in.lanes * i + k), s = Load(in.sine + in.lanes * i + k);
      Functions(in.parts, in.lanes, k, c, s, amounts[b]);
      const float* f = force + place(k, in.vertices, i, 0);
      const Pack by = Load(scale + k);
      const Pack x = by * Load(f), y = by * Load(f + kPack), z = by * Load(f + 2 * kPack);
      Pack turned[3] = {x, y, z};
      for (std::size_t r = 0; r < 3; ++r) {
        const float* m = in.parts + (kSwing + r) * in.lanes + k;
        turned[r] += in.swing[i] * (Load(m) * x + Load(m + 3 * in.lanes) * y + Load(m + 6 * in.lanes) * z);
      }
      own[b][0] = c * turned[0] + s * turned[1];
      own[b][1] = c * turned[1] - s * turned[0];
      own[b][2] = turned[2];
    }
    SumUp(amounts, own, packs, row);
  }
}

void PoseMoved(const MovedInput& in, float* at) {
  for (std::size_t k = 0; k < in.lanes; k += kPack)
    for (std::size_t i = 0; i < in.vertices; ++i) {
      const std::size_t to = place(k, in.vertices, i, 0);
      Pack moved[3] = {Load(in.base + to), Load(in.base + to + kPack), Load(in.base + to + 2 * kPack)};
      if (in.fields && !in.fixed[i]) {
        const float* row = in.fields + 3 * kTurnFunctions * i;
        Pack amounts[kTurnFunctions], add[3] = {};
        const Pack c = Load(in.cosine + in.lanes * i + k), s = Load(in.sine + in.lanes * i + k);
        Functions(in.parts, in.lanes, k, c, s, amounts);
        for (std::size_t f = 0; f < kTurnFunctions; ++f)
          for (std::size_t q = 0; q < 3; ++q) add[q] += amounts[f] * row[3 * f + q];
        const float* map = in.maps + 3 * to;
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
    Pack amounts[kMostLanes / kPack][kTurnFunctions], own[kMostLanes / kPack][3];
    for (std::size_t b = 0; b < in.lanes / kPack; ++b) {
      const std::size_t k = b * kPack, from = place(k, in.vertices, i, 0);
      const Pack c = Load(in.cosine + in.lanes * i + k), s = Load(in.sine + in.lanes * i + k);
      Functions(in.parts, in.lanes, k, c, s, amounts[b]);
      const float* map = in.maps + 3 * from;
      for (std::size_t q = 0; q < 3; ++q) {
        Pack sum{};
        for (std::size_t r = 0; r < 3; ++r)
          sum += Load(map + (3 * q + r) * kPack) * Load(force + from + r * kPack);
        own[b][q] = Load(scale + k) * sum;
      }
    }
    SumUp(amounts, own, in.lanes / kPack, row);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew::weights_detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew::weights_detail {
HWY_EXPORT(PoseVertices);
HWY_EXPORT(StretchCells);
HWY_EXPORT(PullFields);
HWY_EXPORT(PoseMoved);
HWY_EXPORT(PullMoved);

void pose_vertices(const PoseInput& in, float* at) noexcept {
  HWY_DYNAMIC_DISPATCH(PoseVertices)(in, at);
}
void stretch_cells(const CellInput& in, const float* at, float* force, double* energies) noexcept {
  HWY_DYNAMIC_DISPATCH(StretchCells)(in, at, force, energies);
}
void pull_fields(const PoseInput& in, const float* force, const float* scale, float* gradient) noexcept {
  HWY_DYNAMIC_DISPATCH(PullFields)(in, force, scale, gradient);
}
void pose_moved(const MovedInput& in, float* at) noexcept {
  HWY_DYNAMIC_DISPATCH(PoseMoved)(in, at);
}
void pull_moved(const MovedInput& in, const float* force, const float* scale, float* gradient) noexcept {
  HWY_DYNAMIC_DISPATCH(PullMoved)(in, force, scale, gradient);
}

}  // namespace sinew::weights_detail
#endif
