// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/flesh.h"

#include <gtest/gtest.h>

#include <random>

#include "sinew/rig/composed_joints.h"
#include "sinew/volume/elastic.h"
#include "weights/cylinder_body.h"

namespace sinew {
namespace {

using test::Cylinder;

// Energies over that of the elastic body, without fields and with them, when the cylinder's joint turns.
struct Ratios {
  double bare = 0, flesh = 0;
};

Ratios ratios_at(const Cylinder& body, const GridFlesh& flesh, const Vec3& turn) {
  const JointFrame frame = joint_frame(body.bones, body.parents, 1);
  const Mat3 rotation = rotation_of(frame, turn);
  const std::vector<Affine3> matrices{
      Affine3::Identity(),
      Eigen::Translation3d(frame.origin) * Affine3(rotation) * Eigen::Translation3d(-frame.origin)};
  std::vector<std::uint8_t> fixed;
  for (const int owner : body.handles.of_vertex) fixed.push_back(owner >= 0);
  const auto elastic = ElasticBody::build(body.grid, fixed);
  EXPECT_TRUE(elastic.ok());
  const JointMove move = joint_moves(joint_frames(body.bones, body.parents), body.parents, matrices)[1];
  const auto pose = [&](bool fields) {
    GridPositions v = elastic->model().rest();
    if (fields)
      for (std::size_t k = 0; k < flesh.fields[1].vertices.size(); ++k) {
        const std::uint32_t i = flesh.fields[1].vertices[k];
        const TurnValues amounts = turn_functions(turn, flesh.twist(i, 1));
        const GridField& field = flesh.fields[1];
        for (Eigen::Index m = 0; m < field.mixes.rows(); ++m)
          for (std::size_t f = 0; f < kTurnFunctions; ++f)
            v.row(i) += amounts[f] * static_cast<double>(field.mixes(m, static_cast<Eigen::Index>(f))) *
                        field.values.row(static_cast<Eigen::Index>(k)).segment<3>(3 * m).cast<double>();
      }
    for (Eigen::Index i = 0; i < v.rows(); ++i)
      v.row(i) = (move.part(flesh.swing(i, 1), flesh.twist(i, 1)) * Vec3(v.row(i))).transpose();
    return v;
  };
  const GridPositions fleshed = pose(true);
  const auto solved = elastic->minimise(fleshed, {.tolerance = 1e-5, .max_iterations = 200});
  return {elastic->model().energy(pose(false)) / solved.energy, solved.history[0] / solved.energy};
}

TEST(Flesh, IsNearTheElasticBodyAtRotationsThatWereNotSampled) {
  const Cylinder body(0.25);
  const auto flesh = grid_flesh(body.grid, body.handles, body.bones, body.parents);
  ASSERT_TRUE(flesh.ok()) << flesh.error().message;
  std::mt19937 random(11);
  std::uniform_real_distribution<double> share(0, 1);
  double sum = 0;
  constexpr int kTurns = 12;
  for (int k = 0; k < kTurns; ++k) {
    const double swing = 1.5 * std::sqrt(share(random)), direction = 6.28 * share(random);
    const Vec3 turn(swing * std::cos(direction), swing * std::sin(direction), 3 * share(random) - 1.5);
    const Ratios ratios = ratios_at(body, *flesh, turn);
    EXPECT_LE(ratios.flesh, 1.25) << turn.transpose();
    EXPECT_LT(ratios.flesh, ratios.bare) << turn.transpose();
    EXPECT_GE(ratios.flesh, 1);
    sum += ratios.flesh / kTurns;
  }
  EXPECT_LE(sum, 1.1);
}

TEST(Flesh, BonesAndWhatLiesFarFromTheJointHaveNoField) {
  const Cylinder body(0.5);
  const auto flesh = grid_flesh(body.grid, body.handles, body.bones, body.parents);
  ASSERT_TRUE(flesh.ok());
  EXPECT_TRUE(flesh->fields[0].empty());  // the root takes all along
  for (const std::uint32_t v : flesh->fields[1].vertices) EXPECT_LT(body.handles.of_vertex[v], 0);
  for (std::size_t v = 0; v < body.handles.of_vertex.size(); ++v)
    if (const int owner = body.handles.of_vertex[v]; owner >= 0) {
      EXPECT_EQ(flesh->swing(static_cast<Eigen::Index>(v), 1), owner);
      EXPECT_EQ(flesh->twist(static_cast<Eigen::Index>(v), 1), owner);
    }
}

TEST(Flesh, ANarrowRangeAndALooseToleranceNeedNoFields) {
  const Cylinder body(0.5);
  FleshOptions options;
  options.tolerance = 9;
  const auto loose = grid_flesh(body.grid, body.handles, body.bones, body.parents, options);
  options.tolerance = 1.15;
  options.range = {0, 0};
  const auto none = grid_flesh(body.grid, body.handles, body.bones, body.parents, options);
  ASSERT_TRUE(loose.ok() && none.ok());
  EXPECT_TRUE(loose->fields[1].empty());
  EXPECT_TRUE(none->fields[1].empty());
}

TEST(Flesh, JointsAboveTheToleranceAreFittedFurther) {
  const Cylinder body(0.25);
  FleshOptions options;
  const auto usual = grid_flesh(body.grid, body.handles, body.bones, body.parents, options);
  options.tolerance = 1.03;
  const auto strict = grid_flesh(body.grid, body.handles, body.bones, body.parents, options);
  ASSERT_TRUE(usual.ok() && strict.ok());
  EXPECT_LE(usual->figures[1].steps, options.steps);
  EXPECT_LT(usual->figures[1].worst, 1.15);
  EXPECT_GT(strict->figures[1].steps, options.steps);
  double before = 0, after = 0;
  for (const double direction : {0.3, 1.9, 2.8, 4.4, 5.5})
    for (const double twist : {1.45, -1.45}) {
      const Vec3 turn(1.5 * std::cos(direction), 1.5 * std::sin(direction), twist);
      before += ratios_at(body, *usual, turn).flesh / 10;
      after += ratios_at(body, *strict, turn).flesh / 10;
    }
  EXPECT_LT(after, before - 0.005);
}

TEST(Flesh, UnknownsAreCountedAsTheyAreSolved) {
  const Cylinder body(0.5);
  FleshOptions options;
  options.tolerance = 0;
  const auto flesh = grid_flesh(body.grid, body.handles, body.bones, body.parents, options);
  const auto count = fitted_unknowns(body.grid, body.handles, body.parents);
  ASSERT_TRUE(flesh.ok() && count.ok());
  std::size_t solved = 0;
  for (const FleshFigures& figures : flesh->figures) solved += figures.unknowns;
  EXPECT_GT(solved, 100u);
  EXPECT_EQ(*count, solved);
}

TEST(Flesh, TwistWeightsAreTheLinearOnesWhereAsked) {
  const Cylinder body(0.5);
  FleshOptions options;
  options.tolerance = 0;
  const auto spherical = grid_flesh(body.grid, body.handles, body.bones, body.parents, options);
  options.twist = TwistFit::kLinear;
  const auto linear = grid_flesh(body.grid, body.handles, body.bones, body.parents, options);
  ElasticWeightOptions elastic;
  const auto paper = grid_joint_weights(body.grid, body.handles, body.bones, body.parents, elastic);
  elastic.twist = TwistFit::kSpherical;
  const auto other = grid_joint_weights(body.grid, body.handles, body.bones, body.parents, elastic);
  ASSERT_TRUE(spherical.ok() && linear.ok() && paper.ok() && other.ok());
  EXPECT_LT((linear->twist.col(1) - paper->twist.col(1)).cwiseAbs().maxCoeff(), 0.01);
  EXPECT_LT((spherical->twist.col(1) - other->twist.col(1)).cwiseAbs().maxCoeff(), 0.01);
  EXPECT_GT((spherical->twist.col(1) - linear->twist.col(1)).cwiseAbs().maxCoeff(), 0.03);
}

// Beside the elastic body of the whole cylinder: a band that is cut too early shows only there.
TEST(Flesh, TwistsReachAsFarAsTheElasticBodys) {
  const Cylinder body(0.25);
  const auto flesh = grid_flesh(body.grid, body.handles, body.bones, body.parents);
  ASSERT_TRUE(flesh.ok());
  for (const double degrees : {40.0, -80.0})
    EXPECT_LT(ratios_at(body, *flesh, Vec3(0, 0, degrees * 0.0174533)).flesh, 1.035);
}

TEST(Flesh, SamplesLieWithinTheRange) {
  const MotionRange range{0.7, 0.4};
  for (const Vec3& turn : motion_samples(range)) {
    EXPECT_LE(std::hypot(turn.x(), turn.y()), range.swing + 1e-12);
    EXPECT_LE(std::abs(turn.z()), range.twist + 1e-12);
    EXPECT_FALSE(turn.isZero());
  }
}

}  // namespace
}  // namespace sinew
