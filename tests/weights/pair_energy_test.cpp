// SPDX-License-Identifier: Apache-2.0
#include "weights/pair_energy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "weights/pair_problem.h"

namespace sinew {
namespace {

using weights_detail::Fields, weights_detail::PairEnergy;

PairEnergy energy_of(const test::PairProblem& problem, bool child) {
  PairEnergy made(problem.model, problem.fixed,
                  problem.joints().moved({2, 1}, problem.vertices, problem.model.rest(), problem.turns));
  made.drive(child, problem.twist.col(child ? 2 : 1), problem.turns);
  return made;
}

Fields some_fields(const test::PairProblem& problem, double phase) {
  Fields made = Fields::Zero(problem.model.rest().rows(), 3 * kTurnFunctions);
  for (Eigen::Index i = 0; i < made.rows(); ++i)
    for (Eigen::Index k = 0; k < made.cols() && !problem.fixed[static_cast<std::size_t>(i)]; ++k)
      made(i, k) =
          static_cast<float>(0.02 * std::sin(phase + problem.model.rest().row(i).dot(Vec3(1, 2, 0.5)) +
                                             0.3 * static_cast<double>(k)));
  return made;
}

// Against composed joints and fields in double precision, and the model's own energy.
TEST(PairEnergy, PosesVerticesAsComposedJointsWithFieldsDo) {
  const test::PairProblem problem;
  for (const bool child : {true, false}) {
    PairEnergy energy = energy_of(problem, child);
    const Fields fields = some_fields(problem, 0.4);
    const std::vector<double> energies = energy.energies(&fields);
    for (std::size_t k = 0; k < problem.turns.size(); ++k) {
      const GridPositions posed = problem.posed(k, fields, child);
      EXPECT_LT((energy.posed(k) - posed).rowwise().norm().maxCoeff(), 1e-5) << k;
      EXPECT_NEAR(energies[k] / problem.model.energy(posed), 1, 1e-4) << k;
    }
  }
}

// Differences of the energy in double precision.
TEST(PairEnergy, ItsGradientIsThatOfDifferences) {
  const test::PairProblem problem;
  for (const bool child : {true, false}) {
    PairEnergy energy = energy_of(problem, child);
    const Fields fields = some_fields(problem, 0.4), direction = some_fields(problem, 1.7);
    std::vector<double> scales;
    for (std::size_t k = 0; k < problem.turns.size(); ++k)
      scales.push_back(0.5 + 0.1 * static_cast<double>(k));
    Fields gradient;
    energy.evaluate(fields, scales, gradient);
    const double slope = gradient.cast<double>().cwiseProduct(direction.cast<double>()).sum();
    constexpr float kStep = 1.0f / 128;
    const Fields ahead = fields + kStep * direction, behind = fields - kStep * direction;
    double difference = 0;
    for (std::size_t k = 0; k < scales.size(); ++k)
      difference += scales[k] * (problem.model.energy(problem.posed(k, ahead, child)) -
                                 problem.model.energy(problem.posed(k, behind, child)));
    EXPECT_GT(std::abs(slope), 1e-3);
    EXPECT_NEAR(difference / (2.0 * static_cast<double>(kStep)) / slope, 1, 1e-4);
  }
}

}  // namespace
}  // namespace sinew
