// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/composed_joints.h"

#include <gtest/gtest.h>

#include <random>

#include "sinew/rig/turn_functions.h"

namespace sinew {
namespace {

// Hips with a spine and a leg, the spine with an arm.
struct Tree {
  std::vector<Bone> bones{{0, Vec3(0, 0, 0), Vec3(0, 1, 0)},
                          {1, Vec3(0, 1, 0), Vec3(0, 2, 0.1)},
                          {2, Vec3(0, 2, 0.1), Vec3(1, 2, 0)},
                          {3, Vec3(0.2, 0, 0), Vec3(0.2, -1, 0)}};
  std::vector<int> parents{-1, 0, 1, 0};
  std::vector<JointFrame> frames = joint_frames(bones, parents);

  std::vector<Affine3> pose(std::span<const Vec3> turns) const {
    std::vector<Affine3> matrices;
    for (std::size_t j = 0; j < bones.size(); ++j) {
      const Affine3 own = Eigen::Translation3d(frames[j].origin) * Affine3(rotation_of(frames[j], turns[j])) *
                          Eigen::Translation3d(-frames[j].origin);
      matrices.push_back(parents[j] < 0 ? own : matrices[static_cast<std::size_t>(parents[j])] * own);
    }
    return matrices;
  }
};

TEST(ComposedJoints, TurnsComeBack) {
  const Tree tree;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> angle(-1.4, 1.4);
  for (int k = 0; k < 20; ++k) {
    const Vec3 turn(angle(random), angle(random), angle(random));
    const JointFrame& frame = tree.frames[static_cast<std::size_t>(k) % 4];
    EXPECT_LT((turn_of(frame, rotation_of(frame, turn)) - turn).norm(), 1e-12);
  }
}

TEST(ComposedJoints, WholeAlongAChainIsForwardKinematics) {
  const Tree tree;
  const std::vector<Vec3> turns{{0.3, -0.2, 0.5}, {1.1, 0.4, -0.6}, {-0.5, 0.9, 1.2}, {0.7, 0, 0}};
  const std::vector<Affine3> matrices = tree.pose(turns);
  const std::vector<JointMove> moves = joint_moves(tree.frames, tree.parents, matrices);
  ComposedWeights weights;
  for (std::size_t j = 0; j < 4; ++j) {
    std::vector<double> carried(4, 0.0);
    for (int a = static_cast<int>(j); a >= 0; a = tree.parents[static_cast<std::size_t>(a)])
      carried[static_cast<std::size_t>(a)] = 1;
    weights.add_row(tree.parents, carried, carried);
  }
  EXPECT_TRUE(weights.entries.empty());  // the base says it all
  JointComposition joints(tree.parents, moves);
  for (std::size_t j = 0; j < 4; ++j) {
    const Vec3 p(0.3, 0.7, -0.2);
    Mat3 linear;
    EXPECT_LT((joints.move(weights, j, p, &linear) - matrices[j] * p).norm(), 1e-12) << j;
    EXPECT_LT((linear - matrices[j].linear()).norm(), 1e-12) << j;
  }
}

TEST(ComposedJoints, OneJointAloneGivesSwingOfTwist) {
  const Tree tree;
  const double s = 0.4, t = 0.7;
  const Vec3 turn(0.6, -0.8, 1.1), p(0.5, 1.8, 0.3);
  std::vector<Vec3> turns(4, Vec3::Zero());
  turns[2] = turn;
  const std::vector<JointMove> moves = joint_moves(tree.frames, tree.parents, tree.pose(turns));
  ComposedWeights weights;
  const std::vector<double> swing{1, 1, s, 0}, twist{1, 1, t, 0};
  weights.add_row(tree.parents, swing, twist);
  JointComposition joints(tree.parents, moves);
  const JointFrame& frame = tree.frames[2];
  // ((1 - s) I + s Q_swing) Q_twist^t about the joint, from the axes alone.
  const Mat3 twisted = rotation_of(frame, {0, 0, t * turn.z()}),
             swung = rotation_of(frame, {turn.x(), turn.y(), 0});
  const Vec3 expected =
      frame.origin + ((1 - s) * Mat3::Identity() + s * swung) * twisted * (p - frame.origin);
  EXPECT_LT((joints.move(weights, 0, p) - expected).norm(), 1e-7);  // weights are floats
}

TEST(ComposedJoints, SiblingsAddAndAParentTakesThemAlong) {
  const Tree tree;
  const std::vector<Vec3> turns{{0.2, 0.3, 0}, {0.5, 0, 0.4}, {0, 0, 0}, {-0.7, 0.2, 0}};
  const std::vector<JointMove> moves = joint_moves(tree.frames, tree.parents, tree.pose(turns));
  ComposedWeights weights;
  const std::vector<double> share{1, 0.5, 0, 0.25};
  weights.add_row(tree.parents, share, share);
  JointComposition joints(tree.parents, moves);
  const Vec3 p(0.1, 0.2, 0.3);
  const Vec3 both = p + (moves[1].part(0.5, 0.5) * p - p) + (moves[3].part(0.25, 0.25) * p - p);
  EXPECT_LT((joints.move(weights, 0, p) - moves[0].whole() * both).norm(), 1e-12);
}

TEST(ComposedJoints, ValuesNearNothingAndTheWholeGoThereWithoutAJump) {
  const std::vector<int> parents{-1, 0};
  double before = -1;
  for (int k = 0; k <= 1000; ++k) {
    ComposedWeights weights;
    const double value = k / 1000.0;
    const std::vector<double> row{1, value};
    weights.add_row(parents, row, row);
    const double stored = weights.entries.empty() ? (weights.base[0] == 1 ? 1.0 : 0.0)
                                                  : static_cast<double>(weights.entries[0].swing);
    EXPECT_NEAR(stored, value, 1.0 / 255 + 1e-6);
    EXPECT_LE(stored - before, k == 0 ? 2.0 : 0.0025);
    EXPECT_GE(stored, before);
    before = stored;
  }
}

TEST(TurnFunctions, AreZeroAtRestAndSeenFromTwistedFlesh) {
  for (const double value : turn_functions(Vec3::Zero(), 0.3)) EXPECT_EQ(value, 0);
  const Vec3 turn(0.8, -0.5, 0.9);
  const double t = 0.6, back = -t * turn.z();
  // The swing's direction turned back by what the flesh is twisted.
  const Vec3 seen(std::cos(back) * turn.x() - std::sin(back) * turn.y(),
                  std::sin(back) * turn.x() + std::cos(back) * turn.y(), turn.z());
  const TurnValues a = turn_functions(turn, t), b = turn_functions(seen);
  for (std::size_t f = 0; f < kTurnFunctions; ++f) EXPECT_NEAR(a[f], b[f], 1e-12) << f;
  const double swing = std::hypot(0.8, 0.5), direction = std::atan2(-0.5, 0.8);
  EXPECT_NEAR(turn_functions(turn)[0], std::sin(swing) * std::cos(direction), 1e-12);
  EXPECT_NEAR(turn_functions(turn)[11], (1 - std::cos(swing)) * std::sin(swing) * std::sin(3 * direction),
              1e-12);
}

TEST(TurnFunctions, BeyondTheRangeTheyStay) {
  const MotionRange range{1, 0.5};
  const Vec3 clamped = range.clamp({3, 4, -2});
  EXPECT_NEAR(clamped.x(), 0.6, 1e-12);
  EXPECT_NEAR(clamped.y(), 0.8, 1e-12);
  EXPECT_EQ(clamped.z(), -0.5);
  EXPECT_EQ(range.clamp({0.1, 0.2, 0.3}), Vec3(0.1, 0.2, 0.3));
}

}  // namespace
}  // namespace sinew
