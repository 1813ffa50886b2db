// SPDX-License-Identifier: Apache-2.0
#include "weights/field_energy.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "sinew/math/rotation_fit.h"
#include "sinew/math/rotation_fit_lanes.h"

namespace sinew::weights_detail {
namespace {

constexpr std::size_t kPack = 8;
constexpr std::size_t kMostLanes = 64;

using Pack [[gnu::vector_size(4 * kPack)]] = float;
using PackInMemory [[gnu::vector_size(4 * kPack), gnu::aligned(4), gnu::may_alias]] = float;

// What is kept of every rotation: its parts, then the swing less the identity, row by row.
enum Part : std::size_t { kCosine, kSine, kFactors, kSwing = kFactors + kTurnFunctions, kParts = kSwing + 9 };

// Positions and forces lie pack by pack: x, y, z of all vertices for eight rotations, so that the cells of a
// pack find them close together.
[[gnu::always_inline]] inline std::size_t place(std::size_t lane, std::size_t vertices, std::size_t vertex,
                                                std::size_t coordinate) {
  return 3 * (lane * vertices + vertex * kPack) + coordinate * kPack;
}

// By reference: vectors by value would be passed differently where registers are narrow.
[[gnu::always_inline]] inline const PackInMemory& load(const float* from) {
  return *reinterpret_cast<const PackInMemory*>(from);
}

[[gnu::always_inline]] inline void store(const Pack& pack, float* to) {
  *reinterpret_cast<PackInMemory*>(to) = pack;
}

// Lanes in one order, whatever the width of the machine.
[[gnu::always_inline]] inline float sum_of(const Pack& pack) {
  return ((pack[0] + pack[4]) + (pack[1] + pack[5])) + ((pack[2] + pack[6]) + (pack[3] + pack[7]));
}

// turn_functions of a pack of rotations for flesh that is twisted by angles of these cosines and sines.
[[gnu::always_inline]] inline void functions(const float* parts, std::size_t lanes, std::size_t k,
                                             const Pack& c, const Pack& s, Pack* out) {
  const Pack cosine = load(parts + kCosine * lanes + k), sine = load(parts + kSine * lanes + k);
  const Pack c1 = cosine * c + sine * s, s1 = sine * c - cosine * s;
  const Pack c2 = c1 * c1 - s1 * s1, s2 = 2.0f * c1 * s1;
  const Pack harmonics[kTurnHarmonics] = {Pack{} + 1.0f,    c1, s1, c2, s2, c1 * c2 - s1 * s2,
                                          s1 * c2 + c1 * s2};
  for (std::size_t f = 0; f < kTurnFunctions; ++f)
    out[f] = load(parts + (kFactors + f) * lanes + k) * harmonics[kHarmonicOf[f]];
}

// Where a certificate is missing, the slow and certain way.
void fit_others(const Pack* entry, const Pack& good, Pack* q) {
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
[[gnu::always_inline]] inline void columns_of(const Pack* q, Pack (*r)[3]) {
  const Pack scale = 2.0f / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const Pack x = q[1] * scale, y = q[2] * scale, z = q[3] * scale;
  const Pack wx = x * q[0], wy = y * q[0], wz = z * q[0], xx = x * q[1], xy = x * q[2], xz = x * q[3];
  const Pack yy = y * q[2], yz = y * q[3], zz = z * q[3];
  r[0][0] = 1.0f - yy - zz, r[0][1] = xy + wz, r[0][2] = xz - wy;
  r[1][0] = xy - wz, r[1][1] = 1.0f - xx - zz, r[1][2] = yz + wx;
  r[2][0] = xz + wy, r[2][1] = yz - wx, r[2][2] = 1.0f - xx - yy;
}

struct PoseInput {
  std::size_t vertices, lanes;
  const float *rest, *swing, *parts, *cosine, *sine;
  const std::uint8_t* fixed;
  const float* fields;  // or null
};

[[gnu::always_inline]] inline void pose_all(const PoseInput& in, float* at) {
  for (std::size_t i = 0; i < in.vertices; ++i) {
    const float* row = in.fields && !in.fixed[i] ? in.fields + 3 * kTurnFunctions * i : nullptr;
    const float share = in.swing[i];
    for (std::size_t k = 0; k < in.lanes; k += kPack) {
      const Pack c = load(in.cosine + in.lanes * i + k), s = load(in.sine + in.lanes * i + k);
      Pack x = Pack{} + in.rest[3 * i], y = Pack{} + in.rest[3 * i + 1], z = Pack{} + in.rest[3 * i + 2];
      if (row) {
        Pack amounts[kTurnFunctions];
        functions(in.parts, in.lanes, k, c, s, amounts);
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
        const Pack swung = load(m) * tx + load(m + in.lanes) * ty + load(m + 2 * in.lanes) * z;
        store(turned[r] + share * swung, at + place(k, in.vertices, i, r));
      }
    }
  }
}

struct CellInput {
  std::span<const std::array<std::uint32_t, 8>> corners;
  std::span<const float> stiffness;
  std::size_t vertices, lanes;
  float size;
};

// Energies of the rotations; where `force` is not null, the gradient by the positions is added to it.
[[gnu::always_inline]] inline void stretch_all(const CellInput& in, const float* at, float* force,
                                               double* energies) {
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
          for (std::size_t c = 0; c < 3; ++c) p[n][c] = load(at + place(k, in.vertices, corners[n], c));
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
        if (!all) fit_others(entry, good, q);
        columns_of(q, r);
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
            const Pack sum_here = load(to) + scale * pull[n][c];
            store(sum_here, to);
          }
      }
      for (std::size_t l = 0; l < kPack; ++l)
        energies[k + l] += static_cast<double>(in.size) / 8 * static_cast<double>(sum[l]);
    }
  }
}

// What forces on the posed vertices are to the fields.
[[gnu::always_inline]] inline void back_all(const PoseInput& in, const float* force, const float* scale,
                                            float* gradient) {
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
      const Pack c = load(in.cosine + in.lanes * i + k), s = load(in.sine + in.lanes * i + k);
      functions(in.parts, in.lanes, k, c, s, amounts[b]);
      const float* f = force + place(k, in.vertices, i, 0);
      const Pack by = load(scale + k);
      const Pack x = by * load(f), y = by * load(f + kPack), z = by * load(f + 2 * kPack);
      Pack turned[3] = {x, y, z};
      for (std::size_t r = 0; r < 3; ++r) {
        const float* m = in.parts + (kSwing + r) * in.lanes + k;
        turned[r] += in.swing[i] * (load(m) * x + load(m + 3 * in.lanes) * y + load(m + 6 * in.lanes) * z);
      }
      own[b][0] = c * turned[0] + s * turned[1];
      own[b][1] = c * turned[1] - s * turned[0];
      own[b][2] = turned[2];
    }
    for (std::size_t f = 0; f < kTurnFunctions; ++f)
      for (std::size_t c = 0; c < 3; ++c) {
        Pack sum = amounts[0][f] * own[0][c];
        for (std::size_t b = 1; b < packs; ++b) sum += amounts[b][f] * own[b][c];
        row[3 * f + c] = sum_of(sum);
      }
  }
}

// Wider registers where the machine has them. Contraction is off, so both give the same bits.
void pose_narrow(const PoseInput& in, float* at) {
  pose_all(in, at);
}
void stretch_narrow(const CellInput& in, const float* at, float* force, double* energies) {
  stretch_all(in, at, force, energies);
}
void back_narrow(const PoseInput& in, const float* force, const float* scale, float* gradient) {
  back_all(in, force, scale, gradient);
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] void pose_wide(const PoseInput& in, float* at) {
  pose_all(in, at);
}
[[gnu::target("avx2")]] void stretch_wide(const CellInput& in, const float* at, float* force,
                                          double* energies) {
  stretch_all(in, at, force, energies);
}
[[gnu::target("avx2")]] void back_wide(const PoseInput& in, const float* force, const float* scale,
                                       float* gradient) {
  back_all(in, force, scale, gradient);
}
bool is_wide() {
  return __builtin_cpu_supports("avx2");
}
const auto pose_best = is_wide() ? pose_wide : pose_narrow;
const auto stretch_best = is_wide() ? stretch_wide : stretch_narrow;
const auto back_best = is_wide() ? back_wide : back_narrow;
#else
constexpr auto pose_best = pose_narrow;
constexpr auto stretch_best = stretch_narrow;
constexpr auto back_best = back_narrow;
#endif

}  // namespace

FieldEnergy::FieldEnergy(const Corotational& model, std::span<const std::uint8_t> fixed,
                         const GridPositions& rest, const Eigen::VectorXd& swing,
                         const Eigen::VectorXd& twist, std::span<const Vec3> turns)
    : model_(&model),
      fixed_(fixed),
      rest_(static_cast<std::size_t>(rest.size())),
      swing_(static_cast<std::size_t>(swing.size())),
      turns_(turns.begin(), turns.end()),
      lanes_((turns.size() + kPack - 1) / kPack * kPack) {
  assert(!turns.empty() && lanes_ <= kMostLanes);
  std::transform(rest.data(), rest.data() + rest.size(), rest_.begin(),
                 [](double x) { return static_cast<float>(x); });
  std::transform(swing.begin(), swing.end(), swing_.begin(), [](double x) { return static_cast<float>(x); });
  const std::size_t n = fixed.size();
  parts_.assign(kParts * lanes_, 0.0f);
  cosine_.assign(n * lanes_, 1.0f);
  sine_.assign(n * lanes_, 0.0f);
  scale_.assign(lanes_, 0.0f);
  at_.resize(3 * n * lanes_);
  for (std::size_t k = 0; k < turns_.size(); ++k) {
    const TurnParts parts(turns_[k]);
    const auto put = [&](std::size_t p, double value) { parts_[p * lanes_ + k] = static_cast<float>(value); };
    put(kCosine, parts.cosine);
    put(kSine, parts.sine);
    for (std::size_t f = 0; f < kTurnFunctions; ++f) put(kFactors + f, parts.factors[f]);
    const double angle = std::hypot(turns_[k].x(), turns_[k].y());
    const Mat3 swung = Eigen::AngleAxisd(angle, Vec3(parts.cosine, parts.sine, 0)).toRotationMatrix();
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c)
        put(kSwing + 3 * r + c, swung(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) - (r == c));
    for (std::size_t i = 0; i < n; ++i) {
      const double angle_here = turns_[k].z() * twist[static_cast<Eigen::Index>(i)];
      cosine_[i * lanes_ + k] = static_cast<float>(std::cos(angle_here));
      sine_[i * lanes_ + k] = static_cast<float>(std::sin(angle_here));
    }
  }
}

void FieldEnergy::pose(const Fields* fields) {
  const PoseInput in{fixed_.size(), lanes_,        rest_.data(),
                     swing_.data(), parts_.data(), cosine_.data(),
                     sine_.data(),  fixed_.data(), fields ? fields->data() : nullptr};
  pose_best(in, at_.data());
}

std::vector<double> FieldEnergy::stretch(bool pull) {
  if (pull) force_.assign(at_.size(), 0.0f);
  const CellInput in{model_->corners(), model_->stiffness(), fixed_.size(), lanes_,
                     static_cast<float>(model_->grid().cell_size())};
  std::vector<double> sums(lanes_, 0.0);
  stretch_best(in, at_.data(), pull ? force_.data() : nullptr, sums.data());
  sums.resize(turns_.size());
  return sums;
}

std::vector<double> FieldEnergy::energies(const Fields* fields) {
  pose(fields);
  return stretch(false);
}

double FieldEnergy::evaluate(const Fields& fields, std::span<const double> scales, Fields& gradient) {
  assert(scales.size() == turns_.size());
  pose(&fields);
  const std::vector<double> sums = stretch(true);
  double energy = 0;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    energy += scales[k] * sums[k];
    scale_[k] = static_cast<float>(scales[k]);
  }
  gradient.resize(static_cast<Eigen::Index>(fixed_.size()), 3 * kTurnFunctions);
  const PoseInput in{fixed_.size(),  lanes_,       rest_.data(),  swing_.data(), parts_.data(),
                     cosine_.data(), sine_.data(), fixed_.data(), fields.data()};
  back_best(in, force_.data(), scale_.data(), gradient.data());
  return energy;
}

GridPositions FieldEnergy::posed(std::size_t turn) const {
  GridPositions v(static_cast<Eigen::Index>(fixed_.size()), 3);
  for (Eigen::Index i = 0; i < v.rows(); ++i)
    for (Eigen::Index c = 0; c < 3; ++c)
      v(i, c) = static_cast<double>(at_[place(turn - turn % kPack, fixed_.size(), static_cast<std::size_t>(i),
                                              static_cast<std::size_t>(c)) +
                                        turn % kPack]);
  return v;
}

}  // namespace sinew::weights_detail
