// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "sinew/volume/corotational.h"
#include "sinew/weights/flesh.h"
#include "weights/bent_limb.h"

namespace sinew {
namespace {

// Energies of the limb at a pair of turns: with the joints' own fields, and with those that both drive too.
std::array<double, 2> energies_at(const test::BentLimb& limb, const GridFlesh& flesh, const Vec3& child,
                                  const Vec3& parent) {
  const Corotational model(limb.grid);
  const std::vector<JointMove> moves = limb.moves(child, parent);
  const std::array<Vec3, 3> turns{Vec3::Zero(), parent, child};
  GridPositions shift = GridPositions::Zero(model.rest().rows(), 3);
  const auto add = [&](const GridField& field, const Vec3& own, std::size_t joint,
                       const TurnValues& factors) {
    for (std::size_t k = 0; k < field.vertices.size(); ++k) {
      const double angle = own.z() * flesh.twist(field.vertices[k], static_cast<Eigen::Index>(joint));
      const auto harmonics = TurnParts(own).harmonics(std::cos(angle), std::sin(angle));
      for (Eigen::Index m = 0; m < field.mixes.rows(); ++m) {
        double amount = 0;
        for (std::size_t f = 0; f < kTurnFunctions; ++f)
          amount += static_cast<double>(field.mixes(m, static_cast<Eigen::Index>(f))) * factors[f] *
                    harmonics[kHarmonicOf[f]];
        shift.row(field.vertices[k]) +=
            amount * field.values.row(static_cast<Eigen::Index>(k)).segment<3>(3 * m).cast<double>();
      }
    }
  };
  const auto energy = [&] {
    GridPositions v = model.rest() + shift;
    for (Eigen::Index i = 0; i < v.rows(); ++i)
      for (const Eigen::Index j : {2, 1})
        v.row(i) =
            (moves[static_cast<std::size_t>(j)].part(flesh.swing(i, j), flesh.twist(i, j)) * Vec3(v.row(i)))
                .transpose();
    return model.energy(v);
  };
  for (std::size_t j = 1; j < 3; ++j) add(flesh.fields[j], turns[j], j, TurnParts(turns[j]).factors);
  const double alone = energy();
  for (const GridPair& pair : flesh.pairs)
    add(pair.field, turns[pair.joint], pair.joint, pair_factors(turns[pair.joint], turns[pair.partner]));
  return {alone, energy()};
}

TEST(FleshPairs, LowerTheEnergyWhereTwoJointsTurnThatShareFlesh) {
  const test::BentLimb limb(0.25);
  const auto flesh = grid_flesh(limb.grid, limb.handles, limb.bones, limb.parents);
  ASSERT_TRUE(flesh.ok()) << flesh.error().message;
  ASSERT_FALSE(flesh->pairs.empty());
  for (const GridPair& pair : flesh->pairs) {
    EXPECT_EQ(pair.joint + pair.partner, 3u);
    EXPECT_LT(pair.figures.mean, pair.figures.bare_mean);
    for (const std::uint32_t v : pair.field.vertices) EXPECT_LT(limb.handles.of_vertex[v], 0);
  }
  std::mt19937 random(5);
  const auto share = [&] { return static_cast<double>(random()) / 4294967296.0; };
  const auto turn = [&] {
    const double swing = 1.5 * std::sqrt(share()), direction = 6.28 * share();
    return Vec3(swing * std::cos(direction), swing * std::sin(direction), 3 * share() - 1.5);
  };
  double ratio = 0;
  constexpr int kTurns = 24;
  for (int k = 0; k < kTurns; ++k) {
    const Vec3 child = turn(), parent = turn();
    const auto [alone, both] = energies_at(limb, *flesh, child, parent);
    ratio += both / alone / kTurns;
  }
  EXPECT_LT(ratio, 0.97);
}

TEST(FleshPairs, AreNotThereWithoutFieldsOrRange) {
  const test::BentLimb limb(0.5);
  FleshOptions options;
  options.tolerance = 0;
  const auto weights = grid_flesh(limb.grid, limb.handles, limb.bones, limb.parents, options);
  options.tolerance = 1.15;
  options.range = {0, 0};
  const auto still = grid_flesh(limb.grid, limb.handles, limb.bones, limb.parents, options);
  ASSERT_TRUE(weights.ok() && still.ok());
  EXPECT_TRUE(weights->pairs.empty());
  EXPECT_TRUE(still->pairs.empty());
}

}  // namespace
}  // namespace sinew
