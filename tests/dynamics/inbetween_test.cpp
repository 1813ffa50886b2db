// SPDX-License-Identifier: Apache-2.0
#include "sinew/dynamics/inbetween.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>

#include "dynamics/ring_response.h"

namespace sinew {
namespace {

using dynamics::RingScheme;
using dynamics::RingStepper;
constexpr double kPi = std::numbers::pi;

IsoCurves one_ring(std::uint32_t size, bool closed) {
  IsoCurves curves;
  std::vector<std::uint32_t> ring(size);
  for (std::uint32_t i = 0; i < size; ++i) ring[i] = i;
  curves.add_ring(ring, closed, 0);
  curves.limbs = {{0, 1}};
  return curves;
}

std::vector<Vec3> random_points(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Vec3> points(count);
  for (Vec3& p : points) p = Vec3(normal(random), normal(random), normal(random));
  return points;
}

std::vector<std::vector<Vec3f>> frames_of(const IsoCurves& curves, const std::vector<Vec3>& from,
                                          const std::vector<Vec3>& to, int intervals,
                                          const InbetweenOptions& options = {}) {
  auto mover = Inbetween::build(curves, from.size(), intervals, options);
  EXPECT_TRUE(mover.ok()) << (mover.ok() ? "" : mover.error().message);
  std::vector<std::vector<Vec3f>> frames(static_cast<std::size_t>(intervals - 1),
                                         std::vector<Vec3f>(from.size()));
  std::vector<std::span<Vec3f>> views(frames.begin(), frames.end());
  if (mover.ok()) mover->run(from, to, views);
  return frames;
}

// Free motion of a wave by the scheme's own steps: the largest error over one unit of time.
double free_wave_error(std::uint32_t size, int steps, int wave, double ratio_of_one) {
  const double h4 = std::pow(1.0 / size, 4);
  const RingScheme scheme{size, true, ratio_of_one / h4, steps};
  const auto stepper = RingStepper::build(scheme);
  EXPECT_TRUE(stepper.ok());
  std::vector<double> start(size), before(size, 0.0), none(size, 0.0), scratch(size);
  for (std::uint32_t i = 0; i < size; ++i) start[i] = std::cos(2 * kPi * wave * i / size);
  // At rest q(-1) = q(1), so that q(1) is half of what one step makes of it.
  std::vector<double> now = before;
  stepper->next(now, start, none, scratch, 1);
  for (double& q : now) q /= 2;
  before = start;
  const double omega = std::pow(2 * kPi * wave, 2) * std::sqrt(ratio_of_one);
  double error = 0;
  for (int n = 1; n <= steps; ++n) {
    for (std::uint32_t i = 0; i < size; ++i)
      error = std::max(error, std::abs(now[i] - start[i] * std::cos(omega * n / steps)));
    stepper->next(before, now, none, scratch, 1);
    std::swap(before, now);
  }
  return error;
}

TEST(Inbetween, AFreeWaveOnAClosedRingSwingsAtItsFrequencyToSecondOrder) {
  for (const int wave : {1, 2, 3}) {
    const double ratio = std::pow(2.0 / std::pow(2 * kPi * wave, 2), 2);  // two radians
    const double coarse = free_wave_error(24 * wave, 24, wave, ratio);
    const double fine = free_wave_error(48 * wave, 48, wave, ratio);
    const double finest = free_wave_error(96 * wave, 96, wave, ratio);
    EXPECT_LT(finest, 1e-3);
    EXPECT_NEAR(coarse / fine, 4, 0.3) << wave;
    EXPECT_NEAR(fine / finest, 4, 0.1) << wave;
  }
}

TEST(Inbetween, TheStepsEndExactlyAtTheSecondShape) {
  for (const bool closed : {true, false})
    for (const std::uint32_t size : {5u, 12u, 63u, 600u})
      for (const int steps : {2, 7, 16, 40}) {
        const auto stepper = RingStepper::build({size, closed, kPi * kPi / 16, steps});
        ASSERT_TRUE(stepper.ok());
        std::vector<double> way(3 * size), scratch(3 * size), before(3 * size, 0.0);
        std::mt19937 random(size);
        for (double& q : way) q = std::normal_distribution<double>()(random);
        std::vector<double> first = way;
        stepper->first_step(first, 3, scratch);
        std::vector<double> now = first;
        for (int n = 1; n < steps; ++n) {
          stepper->next(before, now, first, scratch, 3);
          std::swap(before, now);
        }
        double error = 0;
        for (std::size_t k = 0; k < way.size(); ++k) error = std::max(error, std::abs(now[k] - way[k]));
        EXPECT_LT(error, 1e-9) << size << " " << steps << (closed ? " closed" : " open");
      }
}

TEST(Inbetween, WavesOfARingAndTimeStepsGiveTheSameAnswer) {
  for (const std::uint32_t size : {5u, 6u, 17u, 48u})
    for (const double stiffest : {0.5, kPi, 5.0}) {
      const int steps = 16;
      const RingScheme scheme{size, true, stiffest * stiffest / 16, steps};
      const auto stepper = RingStepper::build(scheme);
      ASSERT_TRUE(stepper.ok());
      std::vector<double> first(size, 0.0), scratch(size), before(size, 0.0);
      first[0] = 1;
      stepper->first_step(first, 1, scratch);
      std::vector<double> now = first;
      for (int n = 1; n < steps; ++n) {
        const std::vector<float> taps = dynamics::closed_taps(scheme, n);
        std::vector<double> sum(size, 0.0);
        for (std::size_t j = 0; j < taps.size(); ++j) {
          sum[j] += taps[j];
          if (j > 0) sum[size - j] += taps[j];
        }
        for (std::uint32_t i = 0; i < size; ++i) EXPECT_NEAR(sum[i], now[i], 3e-7) << size << " " << n;
        stepper->next(before, now, first, scratch, 1);
        std::swap(before, now);
      }
    }
}

TEST(Inbetween, OpenCurvesFollowTheWavesOfADenseBeamWithFreeEnds) {
  const int size = 14, intervals = 8, steps = 16;
  const auto from = random_points(size, 3), to = random_points(size, 4);
  const auto frames = frames_of(one_ring(size, false), from, to, intervals);
  Eigen::MatrixXd D = Eigen::MatrixXd::Zero(size - 2, size);
  for (int i = 0; i + 2 < size; ++i) D(i, i) = 1, D(i, i + 1) = -2, D(i, i + 2) = 1;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> waves(D.transpose() * D * (kPi * kPi / 16));
  Eigen::MatrixXd way(size, 3);
  for (int i = 0; i < size; ++i) way.row(i) = to[i] - from[i];
  for (int k = 1; k < intervals; ++k) {
    Eigen::VectorXd share(size);
    for (int w = 0; w < size; ++w) {
      const double omega = std::sqrt(std::max(0.0, waves.eigenvalues()[w]));
      const double turn = 2 * std::atan(omega / steps / 2), t = 1.0 * k / intervals;
      share[w] =
          turn < 1e-6 ? t * t : std::pow(std::sin(t * steps * turn / 2) / std::sin(steps * turn / 2), 2);
    }
    const Eigen::MatrixXd expected =
        waves.eigenvectors() * share.asDiagonal() * waves.eigenvectors().transpose() * way;
    for (int i = 0; i < size; ++i)
      EXPECT_LT((from[i] + expected.row(i).transpose() - frames[k - 1][i].cast<double>()).norm(), 1e-5);
  }
}

TEST(Inbetween, WhatDoesNotBendMovesAsTheSquareOfTime) {
  // A shift of everything, on curves of all kinds, and vertices on no curve.
  IsoCurves curves;
  curves.add_ring(std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6}, true, 0);
  curves.add_ring(std::vector<std::uint32_t>{7, 8, 9, 10, 11}, false, 1);
  curves.add_ring(std::vector<std::uint32_t>{12, 13}, false, 2);
  curves.limbs = {{0, 3}};
  const auto from = random_points(20, 9);
  std::vector<Vec3> to = from;
  for (Vec3& p : to) p += Vec3(1, -2, 0.5);
  const auto frames = frames_of(curves, from, to, 5);
  for (int k = 1; k < 5; ++k)
    for (std::size_t i = 0; i < from.size(); ++i)
      EXPECT_LT((from[i] + k * k / 25.0 * Vec3(1, -2, 0.5) - frames[k - 1][i].cast<double>()).norm(), 1e-6);
}

TEST(Inbetween, NothingOvershootsByATenthAtTheDefaults) {
  for (const bool closed : {true, false})
    for (const std::uint32_t size : {3u, 5u, 16u, 64u, 700u})
      for (std::uint32_t seed = 0; seed < 5; ++seed) {
        const std::vector<Vec3> from(size, Vec3::Zero());
        const auto to = random_points(size, seed);
        double largest = 0;
        for (const Vec3& p : to) largest = std::max(largest, p.cwiseAbs().maxCoeff());
        for (const auto& frame : frames_of(one_ring(size, closed), from, to, 24))
          for (const Vec3f& p : frame) EXPECT_LE(p.cwiseAbs().maxCoeff(), 1.1 * largest) << size;
      }
}

TEST(Inbetween, ADampedWaveFollowsItsEquation) {
  // q'' + omega^2 q' + omega^2 q = 1 by many small steps of Runge and Kutta.
  for (const double omega : {1e-3, 0.3, kPi / 2, std::sqrt(2.0), 2.0, 2 + 1e-6, kPi, 20.0}) {
    const int steps = 20000;
    double q = 0, v = 0;
    std::vector<double> way = {0};
    const double h = 1.0 / steps, square = omega * omega;
    const auto pull = [&](double at, double speed) { return 1 - square * speed - square * at; };
    for (int n = 0; n < steps; ++n) {
      const double q1 = v, v1 = pull(q, v), q2 = v + h / 2 * v1, v2 = pull(q + h / 2 * q1, v + h / 2 * v1);
      const double q3 = v + h / 2 * v2, v3 = pull(q + h / 2 * q2, v + h / 2 * v2);
      const double q4 = v + h * v3, v4 = pull(q + h * q3, v + h * v3);
      q += h / 6 * (q1 + 2 * q2 + 2 * q3 + q4);
      v += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
      way.push_back(q);
    }
    double before = 0;
    for (int n = 1; n <= steps; n += 97) {
      const double share = dynamics::damped_share(square, n * h);
      EXPECT_NEAR(share, way[n] / way.back(), 1e-6) << omega << " " << n;
      EXPECT_GE(share, before - 1e-12) << omega;  // nothing swings back, so nothing overshoots
      before = share;
    }
    EXPECT_NEAR(before, 1, 0.02);
  }
}

TEST(Inbetween, NoDampedWaveSwingsPastItsEnd) {
  for (double omega = 0.01; omega < 1000; omega *= 1.07)
    for (double t = 0; t < 1; t += 0.01) {
      EXPECT_LE(dynamics::damped_share(omega * omega, t), 1 + 1e-9) << omega << " " << t;
      EXPECT_GE(dynamics::damped_share(omega * omega, t), -1e-12) << omega << " " << t;
    }
}

TEST(Inbetween, DampedCurvesFollowTheWavesOfADenseMatrix) {
  for (const bool closed : {true, false})
    for (const int size : {3, 4, 5, 14, 60}) {
      const int intervals = 8;
      const auto from = random_points(size, 3), to = random_points(size, 4);
      InbetweenOptions options;
      options.material.damped = true;
      const auto frames = frames_of(one_ring(size, closed), from, to, intervals, options);
      Eigen::MatrixXd D = Eigen::MatrixXd::Zero(closed ? size : size - 2, size);
      for (int i = 0; i < D.rows(); ++i) D(i, i) += 1, D(i, (i + 1) % size) -= 2, D(i, (i + 2) % size) += 1;
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> waves(D.transpose() * D);
      // The slowest wave that bends swings by about a quarter on the way.
      const double slowest = waves.eigenvalues()[closed ? 1 : 2];
      EXPECT_NEAR(dynamics::slowest_eigenvalue(size, closed) / slowest, 1, 0.035) << size << closed;
      const double ratio = kPi * kPi / 4 / dynamics::slowest_eigenvalue(size, closed);
      Eigen::MatrixXd way(size, 3);
      for (int i = 0; i < size; ++i) way.row(i) = to[i] - from[i];
      for (int k = 1; k < intervals; ++k) {
        Eigen::VectorXd share(size);
        for (int w = 0; w < size; ++w)
          share[w] =
              dynamics::damped_share(ratio * std::max(0.0, waves.eigenvalues()[w]), 1.0 * k / intervals);
        const Eigen::MatrixXd expected =
            waves.eigenvectors() * share.asDiagonal() * waves.eigenvectors().transpose() * way;
        for (int i = 0; i < size; ++i)
          EXPECT_LT((from[i] + expected.row(i).transpose() - frames[k - 1][i].cast<double>()).norm(), 3e-6)
              << size << closed << k;
      }
    }
}

TEST(Inbetween, LongClosedCurvesAgreeWithShortOnesDamped) {
  // 600 vertices go by polynomials, 300 by taps: the same smooth way on both.
  const auto circle = [](std::uint32_t size) {
    std::vector<Vec3> points(size);
    for (std::uint32_t i = 0; i < size; ++i) {
      const double angle = 2 * kPi * i / size;
      points[i] = Vec3(std::cos(angle), std::sin(2 * angle), std::cos(3 * angle));
    }
    return points;
  };
  InbetweenOptions options;
  options.material.damped = true;
  const auto coarse =
      frames_of(one_ring(300, true), std::vector<Vec3>(300, Vec3::Zero()), circle(300), 6, options);
  const auto fine =
      frames_of(one_ring(600, true), std::vector<Vec3>(600, Vec3::Zero()), circle(600), 6, options);
  for (std::size_t k = 0; k < coarse.size(); ++k)
    for (std::size_t i = 0; i < 300; ++i) EXPECT_LT((coarse[k][i] - fine[k][2 * i]).norm(), 5e-4);
}

TEST(Inbetween, NothingDampedOvershootsByATenth) {
  InbetweenOptions options;
  options.material.damped = true;
  for (const double bending : {0.0, 1e-3, 10.0}) {
    options.material.bending = bending;
    for (const bool closed : {true, false})
      for (const std::uint32_t size : {3u, 5u, 16u, 64u, 700u})
        for (std::uint32_t seed = 0; seed < 3; ++seed) {
          const std::vector<Vec3> from(size, Vec3::Zero());
          const auto to = random_points(size, seed);
          double largest = 0;
          for (const Vec3& p : to) largest = std::max(largest, p.cwiseAbs().maxCoeff());
          for (const auto& frame : frames_of(one_ring(size, closed), from, to, 24, options))
            for (const Vec3f& p : frame) EXPECT_LE(p.cwiseAbs().maxCoeff(), 1.1 * largest) << size;
        }
  }
}

TEST(Inbetween, StifferCurvesOvershootAndSayHowStiffTheyAre) {
  const std::uint32_t size = 16;
  std::vector<Vec3> from(size, Vec3::Zero()), to(size, Vec3::Zero());
  for (std::uint32_t i = 0; i < size; ++i) to[i].x() = i % 2 ? 1 : -1;
  InbetweenOptions options;
  options.material.stiffest = 5;
  const auto mover = Inbetween::build(one_ring(size, true), size, 10, options);
  ASSERT_TRUE(mover.ok());
  EXPECT_NEAR(mover->stiffest(), 5, 1e-12);
  double largest = 0;
  for (const auto& frame : frames_of(one_ring(size, true), from, to, 10, options))
    largest = std::max(largest, static_cast<double>(frame[0].cwiseAbs().maxCoeff()));
  EXPECT_GT(largest, 1.5);
  // E I for all curves alike: omega = (pi size)^2 ... of the wave from vertex to vertex, 4 size^2 sqrt(EI).
  options.material.bending = 1e-6;
  const auto global = Inbetween::build(one_ring(size, true), size, 10, options);
  ASSERT_TRUE(global.ok());
  EXPECT_NEAR(global->stiffest(), 4 * size * size * 1e-3, 1e-12);
}

TEST(Inbetween, RefusesResonanceAndMaterialsThatAreNone) {
  const IsoCurves curves = one_ring(16, true);
  InbetweenOptions options;
  options.material.stiffest = 40;
  options.least_steps = 200;
  const auto stiff = Inbetween::build(curves, 16, 10, options);
  ASSERT_FALSE(stiff.ok());
  EXPECT_EQ(stiff.error().code, ErrorCode::kImpossible);
  const std::vector<CurveMaterial> bad = {{-1, 1, 1}, {1, 0, 1}, {0, 1, 0}, {0, 1, std::nan("")}};
  for (const CurveMaterial& material : bad) {
    options.material = material;
    const auto wrong = Inbetween::build(curves, 16, 10, options);
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.error().code, ErrorCode::kUsage);
  }
  EXPECT_FALSE(Inbetween::build(curves, 16, 0).ok());
  EXPECT_FALSE(Inbetween::build(curves, 10, 4).ok());  // curves of another mesh
}

TEST(Inbetween, RunningTwiceGivesTheSameBits) {
  const auto from = random_points(40, 1), to = random_points(40, 2);
  EXPECT_EQ(frames_of(one_ring(40, true), from, to, 7), frames_of(one_ring(40, true), from, to, 7));
}

}  // namespace
}  // namespace sinew
