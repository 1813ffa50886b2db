// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/solve/pentadiagonal.h"

namespace sinew::dynamics {

// All curves of one size in one scheme: n vertices, steps of time 1 / steps, and
// ratio = E I / (rho A h^4) with h the distance of two vertices on a curve of length 1.
struct RingScheme {
  std::uint32_t size = 0;
  bool closed = false;
  double ratio = 0;
  int steps = 1;
  bool damped = false;

  double stiffest() const;  // angular frequency of the fastest wave: 4 sqrt(ratio), or 0 without bending
};

// How far a wave is at time t of 1 where stiffness damps it: q'' + omega^2 q' + omega^2 q = f from rest, over
// q(1). Rises from 0 to 1 for every omega, since the damped frequency omega sqrt(1 - omega^2 / 4) is 1 at
// most and a wave turns back only after half a period.
double damped_share(double omega_squared, double t);

// The least eigenvalue above 0 of the bending matrix K; of open curves to 3 %.
double slowest_eigenvalue(std::uint32_t size, bool closed);

// What a closed curve does after `step` steps for a unit way of one vertex: taps[j] belongs to the vertices j
// places before and behind it. By the waves of the ring, which the scheme only multiplies; cut where the rest
// is below float's rounding. Cost: size^2 / 4.
std::vector<float> closed_taps(const RingScheme& scheme, int step);

// Curves that are damped, open or long: every frame is a function of K times the way, and smooth in
// C = 2 (1 + a K)^-1 - 1, whose eigenvalues lie in [-1, 1]. So it is a short sum of Chebyshev polynomials of
// C, one pentadiagonal system each, which all frames share.
class RingFilter {
 public:
  // For frames at k / scheme.steps, k = 1 ... steps - 1.
  static Result<RingFilter> build(const RingScheme& scheme);

  std::size_t terms() const { return terms_; }
  // rows: size x columns numbers; the next term from the one before it, and the one before that (null: none).
  void next(std::span<const double> now, const double* before, std::span<double> out,
            std::size_t columns) const;
  double coefficient(std::size_t frame, std::size_t term) const { return series_[frame * terms_ + term]; }

 private:
  std::size_t terms_ = 0;
  std::vector<double> series_;  // (steps - 1) x terms
  std::vector<Pentadiagonal> one_;
};

// The scheme itself, by time steps: q(n+1) - 2 C q(n) + q(n-1) = 2 q(1) with C = 2 (1 + Z)^-1 - 1 and
// Z = K dt^2 / (4 rho A), which is Newmark's average acceleration for a constant force. That force is found
// by dividing the way to the end by the polynomial in C that q(steps) is of q(1).
class RingStepper {
 public:
  // kImpossible at resonance.
  static Result<RingStepper> build(const RingScheme& scheme);

  std::size_t size() const { return scheme_.size; }
  // rows: size x columns numbers, the way from start to end; becomes q(1).
  void first_step(std::span<double> rows, std::size_t columns, std::span<double> scratch) const;
  // From q(n-1), q(n) and q(1) to q(n+1), which replaces q(n-1). scratch: as large as they are.
  void next(std::span<double> before, std::span<const double> now, std::span<const double> first,
            std::span<double> scratch, std::size_t columns) const;

 private:
  void multiply(std::span<const double> x, std::size_t columns, std::span<double> y) const;  // (1 + Z) x
  RingScheme scheme_;
  double z_ = 0;                       // dt^2 / 4 ratio
  std::vector<Pentadiagonal> one_;     // 1 + Z; one, or none without bending
  std::vector<Pentadiagonal> shifts_;  // (1 - c_k) - (1 + c_k) Z, each twice in the polynomial
};

}  // namespace sinew::dynamics
