// SPDX-License-Identifier: Apache-2.0
#include "weights/pair_energy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "weights/bent_limb.h"

namespace sinew {
namespace {

using weights_detail::Fields, weights_detail::FittedJoints, weights_detail::JointPair;
using weights_detail::PairEnergy, weights_detail::PairTurns;

// Two joints of a limb with weights that vary along it, and some field of the lower one.
struct Problem {
  test::BentLimb limb{0.5};
  Corotational model{limb.grid};
  std::vector<std::uint8_t> fixed;
  Eigen::MatrixXd swing, twist;
  std::vector<GridField> fields{3};
  std::vector<std::uint32_t> vertices;
  FleshOptions options;
  std::vector<PairTurns> turns;

  Problem() {
    swing.setZero(static_cast<Eigen::Index>(limb.grid.vertex_count()), 3);
    for (std::uint32_t v = 0; v < limb.grid.vertex_count(); ++v) {
      vertices.push_back(v);
      fixed.push_back(limb.handles.of_vertex[v] >= 0);
      const double z = limb.grid.vertex_position(v).z();
      swing(v, 1) = std::clamp(0.5 + (z + 0.75) / 3, 0.0, 1.0);
      swing(v, 2) = std::clamp(0.5 + (z - 0.75) / 3, 0.0, 1.0);
      if (!fixed[v]) fields[2].vertices.push_back(v);
    }
    twist = swing.array().square();
    GridField& field = fields[2];
    field.values = Eigen::MatrixXf::Constant(static_cast<Eigen::Index>(field.vertices.size()), 6, 0.1f);
    field.values.col(1).setLinSpaced(-0.1f, 0.1f);
    field.mixes = GridField::Mixes::Constant(2, kTurnFunctions, 0.05f);
    for (int k = 0; k < 16; ++k)
      turns.push_back({Vec3(std::cos(k), std::sin(2 * k), 0.15 * k - 1.1),
                       Vec3(std::sin(k), 0.8 * std::cos(3 * k), 0.9 - 0.12 * k)});
  }
  FittedJoints joints() const { return {swing, twist, fields, limb.frames, options}; }
  PairEnergy energy(bool child) const {
    PairEnergy made(model, fixed, joints().moved({2, 1}, vertices, model.rest(), turns));
    made.drive(child, twist.col(child ? 2 : 1), turns);
    return made;
  }
  Fields some_fields(double phase) const {
    Fields made = Fields::Zero(model.rest().rows(), 3 * kTurnFunctions);
    for (Eigen::Index i = 0; i < made.rows(); ++i)
      for (Eigen::Index k = 0; k < made.cols() && !fixed[static_cast<std::size_t>(i)]; ++k)
        made(i, k) = static_cast<float>(
            0.02 * std::sin(phase + model.rest().row(i).dot(Vec3(1, 2, 0.5)) + 0.3 * static_cast<double>(k)));
    return made;
  }
};

// Against composed joints and fields in double precision, and the model's own energy.
TEST(PairEnergy, PosesVerticesAsComposedJointsWithFieldsDo) {
  const Problem problem;
  for (const bool child : {true, false}) {
    PairEnergy energy = problem.energy(child);
    const Fields fields = problem.some_fields(0.4);
    const std::vector<double> energies = energy.energies(&fields);
    for (std::size_t k = 0; k < problem.turns.size(); ++k) {
      const PairTurns& turn = problem.turns[k];
      const std::vector<JointMove> moves = problem.limb.moves(turn.child, turn.parent);
      const GridPositions posed = energy.posed(k);
      for (Eigen::Index v = 0; v < posed.rows(); v += 7) {
        Vec3 x = problem.model.rest().row(v).transpose();
        const auto& own = problem.fields[2];
        const auto at = std::find(own.vertices.begin(), own.vertices.end(), static_cast<std::uint32_t>(v));
        if (at != own.vertices.end()) {
          const TurnValues values = turn_functions(turn.child, problem.twist(v, 2));
          for (Eigen::Index m = 0; m < 2; ++m)
            for (std::size_t f = 0; f < kTurnFunctions; ++f)
              x += 0.05 * values[f] *
                   own.values.row(at - own.vertices.begin()).segment<3>(3 * m).transpose().cast<double>();
        }
        const Vec3 &seen = child ? turn.child : turn.parent, &other = child ? turn.parent : turn.child;
        const double angle = seen.z() * problem.twist(v, child ? 2 : 1);
        const TurnValues factors = pair_factors(seen, other);
        const auto harmonics = TurnParts(seen).harmonics(std::cos(angle), std::sin(angle));
        for (std::size_t f = 0; f < kTurnFunctions; ++f)
          x += factors[f] * harmonics[kHarmonicOf[f]] *
               fields.row(v).segment<3>(static_cast<Eigen::Index>(3 * f)).transpose().cast<double>();
        for (const Eigen::Index j : {2, 1})
          x = moves[static_cast<std::size_t>(j)].part(problem.swing(v, j), problem.twist(v, j)) * x;
        EXPECT_LT((posed.row(v).transpose() - x).norm(), 1e-5) << k << " " << v;
      }
      EXPECT_NEAR(energies[k] / problem.model.energy(posed), 1, 1e-4) << k;
    }
  }
}

TEST(PairEnergy, ItsGradientIsThatOfDifferences) {
  const Problem problem;
  for (const bool child : {true, false}) {
    PairEnergy energy = problem.energy(child);
    const Fields fields = problem.some_fields(0.4), direction = problem.some_fields(1.7);
    std::vector<double> scales;
    for (std::size_t k = 0; k < problem.turns.size(); ++k)
      scales.push_back(0.5 + 0.1 * static_cast<double>(k));
    Fields gradient, ignored;
    energy.evaluate(fields, scales, gradient);
    const double slope = gradient.cast<double>().cwiseProduct(direction.cast<double>()).sum();
    constexpr float kStep = 0.05f;
    const double ahead = energy.evaluate(fields + kStep * direction, scales, ignored),
                 behind = energy.evaluate(fields - kStep * direction, scales, ignored);
    EXPECT_GT(std::abs(slope), 1e-3);
    EXPECT_NEAR((ahead - behind) / (2.0 * static_cast<double>(kStep)) / slope, 1, 0.01);
  }
}

}  // namespace
}  // namespace sinew
