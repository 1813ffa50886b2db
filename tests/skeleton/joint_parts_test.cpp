// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/joint_parts.h"

#include <gtest/gtest.h>

#include <random>

namespace sinew {
namespace {

const Quat kTurn(Eigen::AngleAxisd(0.8, Vec3(1, 2, 2) / 3));

void expect_parts(const Trs& got, const Trs& wanted) {
  EXPECT_LT((got.translation - wanted.translation).norm(), 1e-12);
  EXPECT_LT((got.rotation.toRotationMatrix() - wanted.rotation.toRotationMatrix()).norm(), 1e-9);
  EXPECT_LT((got.scale - wanted.scale).norm(), 1e-9);
}

TEST(JointParts, AreTheStoredOnesWhereTheseMakeTheTransform) {
  for (const Vec3& scale :
       {Vec3(1, -2, 3), Vec3(-1, -1, -1), Vec3(-1, -1, 2), Vec3(1, 0, 1), Vec3(0, 0, 0)}) {
    const Trs stored{{1000, 2, 3}, kTurn, scale};
    expect_parts(joint_parts(compose(stored), stored), stored);
  }
}

TEST(JointParts, KeepTheAxesOfTheMirrorWhenTheJointTurnsMovesAndGrows) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1), size(0.2, 3);
  for (int mirror = 0; mirror < 8; ++mirror)
    for (int round = 0; round < 100; ++round) {
      const Vec3 signs(mirror & 1 ? -1 : 1, mirror & 2 ? -1 : 1, mirror & 4 ? -1 : 1);
      const Trs stored{Vec3::Zero(), kTurn, signs};
      const Quat turn = Quat(unit(random), unit(random), unit(random), unit(random)).normalized();
      const Trs moved{{unit(random), unit(random), unit(random)},
                      turn,
                      signs.cwiseProduct(Vec3(size(random), size(random), size(random)))};
      expect_parts(joint_parts(compose(moved), stored), moved);
    }
}

TEST(JointParts, AreThoseOfTheTransformWhereNothingIsStoredOrItDoesNotFit) {
  const Trs parts{{1, 2, 3}, kTurn, {-2, 3, 4}};
  expect_parts(joint_parts(compose(parts), std::nullopt), parts);
  expect_parts(joint_parts(compose(parts), Trs{}), parts);
  Joint joint;
  joint.rest_local = compose(parts);
  joint.rest_parts = Trs{{9, 9, 9}, Quat::Identity(), {1, 0, 0}};
  expect_parts(rest_parts_of(joint), parts);
}

}  // namespace
}  // namespace sinew
