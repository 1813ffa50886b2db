// SPDX-License-Identifier: Apache-2.0
// With the start at rest and a constant force every wave of a curve follows q(n) = (1 - cos n a) f, where the
// scheme turns it by the angle a a step, tan(a / 2) = omega dt / 2. So q(n) / q(steps) is the square of
// sin(n a / 2) / sin(steps a / 2): no force need be known to say where a wave is.
#include "dynamics/ring_response.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace sinew::dynamics {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kFreeBeam = 4.730040744862704;  // cos x cosh x = 1
constexpr double kDamping = 1;                   // over bending
constexpr std::size_t kNodes = 128;              // of a Chebyshev series
constexpr double kMiddle = 12;                   // omega^2 that is put into the middle of [-1, 1]

// One minus the part of a unit step's answer that has not settled yet.
double damped_answer(double omega_squared, double t) {
  const double d = kDamping * omega_squared / 2, square = omega_squared - d * d;
  if (std::abs(square) * t * t < 1e-8)
    return 1 - std::exp(-d * t) * (1 + d * t - square * t * t * (3 + d * t) / 6);
  if (square > 0) {
    const double w = std::sqrt(square);
    return 1 - std::exp(-d * t) * (std::cos(w * t) + d / w * std::sin(w * t));
  }
  const double w = std::sqrt(-square), slow = omega_squared / (d + w);
  return 1 - ((1 + d / w) * std::exp(-slow * t) + (1 - d / w) * std::exp(-(d + w) * t)) / 2;
}

double share_of_way(double turn, int step, int steps) {
  if (turn < 1e-7) return static_cast<double>(step) * step / (static_cast<double>(steps) * steps);
  const double ratio = std::sin(step * turn / 2) / std::sin(steps * turn / 2);
  return ratio * ratio;
}

// 1 * a + K * b: the bending matrix of a curve, closed or with free ends (K = D'D, D the second differences).
Result<Pentadiagonal> combination(const RingScheme& scheme, double a, double b) {
  const std::size_t n = scheme.size;
  std::vector<double> main(n, a + 6 * b), first(n, -4 * b), second(n, b);
  if (scheme.closed) return Pentadiagonal::factor(Pentadiagonal::Kind::kCyclic, main, first, second);
  std::fill(main.begin(), main.end(), a);
  std::fill(first.begin(), first.end(), 0.0);
  std::fill(second.begin(), second.end(), 0.0);
  for (std::size_t i = 0; i + 2 < n; ++i) {
    main[i] += b, main[i + 1] += 4 * b, main[i + 2] += b;
    first[i] -= 2 * b, first[i + 1] -= 2 * b;
    second[i] += b;
  }
  return Pentadiagonal::factor(Pentadiagonal::Kind::kOpen, main, first, second);
}

}  // namespace

double damped_share(double omega_squared, double t) {
  // q(t) = omega^2 t^2 / 2 (1 - damping omega^2 t / 3 ...) for slow waves.
  const double slow = kDamping * omega_squared / 3;
  if (omega_squared < 1e-6) return t * t * (1 - slow * t) / (1 - slow);
  return damped_answer(omega_squared, t) / damped_answer(omega_squared, 1);
}

double slowest_eigenvalue(std::uint32_t size, bool closed) {
  const double root = closed ? 2 * std::sin(kPi / size) : kFreeBeam / size;
  return root * root * root * root;
}

double RingScheme::stiffest() const {
  return size < 3 ? 0 : 4 * std::sqrt(ratio);
}

std::vector<float> closed_taps(const RingScheme& scheme, int step) {
  const std::size_t n = scheme.size, half = n / 2;
  std::vector<double> share(half + 1), cosine(n);
  for (std::size_t k = 0; k <= half; ++k) {
    const double sine = std::sin(kPi * static_cast<double>(k) / static_cast<double>(n));
    const double omega = 4 * sine * sine * std::sqrt(scheme.ratio);
    share[k] = scheme.damped ? damped_share(omega * omega, static_cast<double>(step) / scheme.steps)
                             : share_of_way(2 * std::atan(omega / (2 * scheme.steps)), step, scheme.steps);
    if (k > 0 && 2 * k != n) share[k] *= 2;  // a wave and its mirror image
  }
  for (std::size_t k = 0; k < n; ++k)
    cosine[k] = std::cos(2 * kPi * static_cast<double>(k) / static_cast<double>(n)) / static_cast<double>(n);
  std::vector<double> taps;
  double rest = 0, sum = 0;
  for (const double s : share) sum += std::abs(s) / static_cast<double>(n);
  for (std::size_t j = 0; j <= half; ++j) {
    double tap = 0;
    for (std::size_t k = 0; k <= half; ++k) tap += share[k] * cosine[j * k % n];
    taps.push_back(tap);
  }
  // Halves of an even ring meet in one vertex.
  if (n % 2 == 0) taps[half] /= 2;
  std::size_t keep = taps.size();
  while (keep > 1 && (rest += 2 * std::abs(taps[keep - 1])) < 1e-8 * std::max(sum, std::abs(taps[0]))) --keep;
  return {taps.begin(), taps.begin() + static_cast<std::ptrdiff_t>(keep)};
}

Result<RingFilter> RingFilter::build(const RingScheme& scheme) {
  RingFilter filter;
  SINEW_TRY(Pentadiagonal one, combination(scheme, 1, scheme.ratio / kMiddle));
  filter.one_.push_back(std::move(one));
  const auto frames = static_cast<std::size_t>(scheme.steps - 1);
  std::vector<double> all(frames * kNodes, 0.0), values(kNodes), cosine(4 * kNodes);
  for (std::size_t k = 0; k < cosine.size(); ++k)
    cosine[k] = std::cos(kPi * static_cast<double>(k) / (2.0 * kNodes));
  for (std::size_t k = 0; k < frames; ++k) {
    const double t = static_cast<double>(k + 1) / scheme.steps;
    for (std::size_t j = 0; j < kNodes; ++j) {
      const double tangent = std::tan(kPi * (static_cast<double>(j) + 0.5) / (2.0 * kNodes));
      values[j] = damped_share(kMiddle * tangent * tangent, t);
    }
    for (std::size_t m = 0; m < kNodes; ++m) {
      double sum = 0;
      for (std::size_t j = 0; j < kNodes; ++j) sum += values[j] * cosine[m * (2 * j + 1) % (4 * kNodes)];
      all[k * kNodes + m] = sum * (m == 0 ? 1.0 : 2.0) / kNodes;
      if (std::abs(all[k * kNodes + m]) > 1e-8) filter.terms_ = std::max(filter.terms_, m + 1);
    }
  }
  for (std::size_t k = 0; k < frames; ++k)
    filter.series_.insert(filter.series_.end(), &all[k * kNodes], &all[k * kNodes] + filter.terms_);
  return filter;
}

void RingFilter::next(std::span<const double> now, const double* before, std::span<double> out,
                      std::size_t columns) const {
  std::copy(now.begin(), now.end(), out.begin());
  one_[0].solve(out, columns);
  if (!before) {
    for (std::size_t k = 0; k < now.size(); ++k) out[k] = 2 * out[k] - now[k];
    return;
  }
  for (std::size_t k = 0; k < now.size(); ++k) out[k] = 2 * (2 * out[k] - now[k]) - before[k];
}

Result<RingStepper> RingStepper::build(const RingScheme& scheme) {
  RingStepper stepper;
  stepper.scheme_ = scheme;
  stepper.z_ = scheme.ratio / (4.0 * scheme.steps * scheme.steps);
  if (scheme.size < 3 || scheme.ratio == 0) {
    stepper.z_ = 0;
    return stepper;
  }
  SINEW_TRY(Pentadiagonal one, combination(scheme, 1, stepper.z_));
  stepper.one_.push_back(std::move(one));
  for (int k = 1; 2 * k < scheme.steps; ++k) {
    const double c = std::cos(2 * kPi * k / scheme.steps);
    SINEW_TRY(Pentadiagonal shifted, combination(scheme, 1 - c, -(1 + c) * stepper.z_));
    stepper.shifts_.push_back(std::move(shifted));
  }
  return stepper;
}

void RingStepper::multiply(std::span<const double> x, std::size_t columns, std::span<double> y) const {
  const std::size_t n = scheme_.size;
  std::copy(x.begin(), x.end(), y.begin());
  const std::size_t windows = scheme_.closed ? n : n - 2;
  for (std::size_t i = 0; i < windows; ++i) {
    const std::array<std::size_t, 3> row = {i * columns, (i + 1) % n * columns, (i + 2) % n * columns};
    for (std::size_t c = 0; c < columns; ++c) {
      const double bend = z_ * (x[row[0] + c] - 2 * x[row[1] + c] + x[row[2] + c]);
      y[row[0] + c] += bend;
      y[row[1] + c] -= 2 * bend;
      y[row[2] + c] += bend;
    }
  }
}

void RingStepper::first_step(std::span<double> rows, std::size_t columns, std::span<double> scratch) const {
  const int steps = scheme_.steps;
  if (one_.empty()) {
    for (double& value : rows) value /= static_cast<double>(steps) * steps;
    return;
  }
  // Divided by 2 (C - c_k) for k = 1 ... steps - 1, c_k = cos(2 pi k / steps), each but -1 twice.
  const auto divide = [&](const Pentadiagonal* shifted) {
    multiply(rows, columns, scratch);
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = scratch[k] / (shifted ? 2 : 4);
    if (shifted) shifted->solve(rows, columns);
  };
  for (const Pentadiagonal& shifted : shifts_)
    for (int twice = 0; twice < 2; ++twice) divide(&shifted);
  if (steps % 2 == 0) divide(nullptr);
}

void RingStepper::next(std::span<double> before, std::span<const double> now, std::span<const double> first,
                       std::span<double> scratch, std::size_t columns) const {
  std::copy(now.begin(), now.end(), scratch.begin());
  if (!one_.empty()) one_[0].solve(scratch, columns);
  for (std::size_t k = 0; k < now.size(); ++k)
    before[k] = 4 * scratch[k] - 2 * now[k] - before[k] + 2 * first[k];
}

}  // namespace sinew::dynamics
