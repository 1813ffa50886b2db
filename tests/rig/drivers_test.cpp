// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/drivers.h"

#include <gtest/gtest.h>

#include <numbers>

#include "sinew/rig/rig.h"

namespace sinew {
namespace {

constexpr double kHalfPi = std::numbers::pi / 2;

Affine3 shifted(double x) {
  return Affine3(Eigen::Translation3d(x, 0, 0));
}

// Three joints along x, and a helper below the first that follows the second.
Rig chain(const HelperDriver& driver) {
  std::vector<Joint> joints(4);
  for (std::size_t j = 0; j < 3; ++j) {
    joints[j].name = "j" + std::to_string(j);
    joints[j].parent = static_cast<int>(j) - 1;
    joints[j].rest_local = shifted(j == 0 ? 0 : 1);
  }
  joints[3].name = "helper";
  joints[3].parent = 0;
  joints[3].rest_local = shifted(1);
  joints[3].deforms = false;
  joints[3].helper = true;
  Rig rig;
  rig.skeleton = *Skeleton::create(joints);
  rig.inverse_bind = {shifted(0), shifted(-1), shifted(-2), shifted(-1)};
  rig.drivers.helpers.push_back({3, 0, driver});
  return rig;
}

Affine3 matrix_of(const Rig& rig, const Pose& pose, std::size_t joint) {
  std::vector<Affine3> matrices(rig.skeleton.size());
  skinning_matrices(rig, global_transforms(rig.skeleton, pose.local), matrices);
  return matrices[joint];
}

TEST(Drivers, AWholeShareMovesAsTheJointAndNoneAsItsParent) {
  HelperDriver driver;
  driver.joint = 1;
  driver.swing = driver.twist = 1;
  Rig rig = chain(driver);
  Pose pose = rest_pose(rig.skeleton);
  rotate_joint(rig.skeleton, 0, Vec3(20, 30, 40), pose);
  rotate_joint(rig.skeleton, 1, Vec3(50, -30, 70), pose);
  run_drivers(rig, pose);
  EXPECT_LT((matrix_of(rig, pose, 3).matrix() - matrix_of(rig, pose, 1).matrix()).norm(), 1e-12);
  rig.drivers.helpers[0].driver.swing = rig.drivers.helpers[0].driver.twist = 0;
  run_drivers(rig, pose);
  EXPECT_LT((matrix_of(rig, pose, 3).matrix() - matrix_of(rig, pose, 0).matrix()).norm(), 1e-12);
}

TEST(Drivers, ARollJointTakesHalfOfATwistAndNothingOfASwing) {
  HelperDriver driver;
  driver.joint = 1;
  driver.twist = 0.5;
  const Rig rig = chain(driver);
  Pose pose = rest_pose(rig.skeleton);
  rotate_joint(rig.skeleton, 1, Vec3(80, 0, 0), pose);  // the bone lies along x
  run_drivers(rig, pose);
  const Mat3 half = Eigen::AngleAxisd(40 * std::numbers::pi / 180, Vec3::UnitX()).toRotationMatrix();
  EXPECT_LT((matrix_of(rig, pose, 3).linear() - half).norm(), 1e-12);
  pose = rest_pose(rig.skeleton);
  rotate_joint(rig.skeleton, 1, Vec3(0, 0, 80), pose);
  run_drivers(rig, pose);
  EXPECT_LT((matrix_of(rig, pose, 3).matrix() - Mat4::Identity()).norm(), 1e-12);
}

TEST(Drivers, RestLeavesEverythingAlone) {
  HelperDriver driver;
  driver.joint = 1;
  driver.mixes.assign(6, TurnMix{});
  for (TurnMix& mix : driver.mixes) mix.fill(0.3f);
  Rig rig = chain(driver);
  rig.keys.push_back({"bulge", {}, {}});
  rig.drivers.keys.push_back({0, {1, driver.mixes[0]}});
  Pose pose = rest_pose(rig.skeleton);
  run_drivers(rig, pose);
  EXPECT_LT((matrix_of(rig, pose, 3).matrix() - Mat4::Identity()).norm(), 1e-12);
  EXPECT_EQ(pose.key_weights, std::vector<double>{0.0});
}

TEST(Drivers, MovesAndTheirSixNumbersAreTheSame) {
  const Vec3 centre(0.3, -2, 1);
  Affine3 move = Affine3::Identity();
  move.rotate(Eigen::AngleAxisd(2.1, Vec3(1, 2, -1).normalized()));
  move.pretranslate(Vec3(4, 5, 6));
  EXPECT_LT((move_of_numbers(move_numbers(move, centre), centre).matrix() - move.matrix()).norm(), 1e-12);
}

TEST(Drivers, BeyondTheRangeTheyStayAsAtItsBorder) {
  JointMove move;
  move.still = false;
  move.turn = Vec3(0, 0, kHalfPi);
  MorphDriver driver;
  driver.mix[12] = 1;  // sin of the twist
  EXPECT_NEAR(morph_weight(driver, move, {kHalfPi, kHalfPi / 3}), std::sin(kHalfPi / 3), 1e-7);
  EXPECT_NEAR(morph_weight(driver, move, {kHalfPi, kHalfPi}), 1, 1e-7);
}

}  // namespace
}  // namespace sinew
