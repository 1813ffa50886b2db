// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/decomposed.h"

#include <gtest/gtest.h>

#include "deform/joint_centres.h"
#include "deform/rig_samples.h"
#include "sinew/deform/lbs.h"

namespace sinew {
namespace {

using test::Motion;

class DecomposedOnMotions : public testing::TestWithParam<std::tuple<Motion, RotationBlend>> {};
INSTANTIATE_TEST_SUITE_P(Motions, DecomposedOnMotions,
                         testing::Combine(testing::Values(Motion::kRigid, Motion::kStretched,
                                                          Motion::kReflected),
                                          testing::Values(RotationBlend::kPolar, RotationBlend::kExpLog)));

TEST_P(DecomposedOnMotions, IsTheDoublePrecisionFormula) {
  const auto [motion, blend] = GetParam();
  const test::Sample sample = test::random_sample(1003, 9, 9, motion);
  test::Expected expected(sample);
  reference_decomposed(sample.rig, sample.input(), blend, expected.out());
  test::expect_near(test::run(build_decomposed(sample.rig, {blend}), sample), expected);
}

// Two bones along y; vertices of mixed weights around the joint between them.
test::Sample arm() {
  test::Sample sample;
  sample.rig.skeleton = test::chain(2, Vec3(0, 1, 0));
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i) {
    const double w = test::uniform(random, 0.05, 0.95);
    test::add_vertex(sample, Vec3(0, 1, 0) + 0.5 * test::random_vector(random), test::random_vector(random),
                     {{0, 1 - w}, {1, w}});
  }
  test::bind(sample);
  return sample;
}

void pose_second(test::Sample& sample, const Affine3& change) {
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[1] = local[1] * change;
  test::set_pose(sample, local);
}

TEST(Decomposed, ARotationAboutOneJointKeepsDistancesToIt) {
  test::Sample sample = arm();
  pose_second(sample, test::turn_about(Vec3::Zero(), 110, Vec3(1, 0.4, 0)));
  for (const RotationBlend blend : {RotationBlend::kPolar, RotationBlend::kExpLog}) {
    const test::Output out = test::run(build_decomposed(sample.rig, {blend}), sample);
    for (std::size_t i = 0; i < 100; ++i)
      EXPECT_NEAR((out.positions[i] - Vec3f(0, 1, 0)).norm(), (sample.positions[i] - Vec3f(0, 1, 0)).norm(),
                  2e-6);
  }
}

TEST(Decomposed, PureScaleIsReproduced) {
  test::Sample sample = arm();
  pose_second(sample, Affine3(Eigen::Scaling(Vec3(2, 0.5, 3))));
  const test::Output out = test::run(build_decomposed(sample.rig), sample);
  for (std::size_t i = 0; i < 100; ++i) {
    double w = 0;
    for (const Influence& influence : sample.rig.weights.row(i))
      if (influence.joint == 1) w = influence.weight;
    const Vec3 scale = (1 - w) * Vec3::Ones() + w * Vec3(2, 0.5, 3);
    const Vec3 joint(0, 1, 0), rest = sample.rig.mesh.positions[i];
    EXPECT_LT((out.positions[i].cast<double>() - joint - scale.cwiseProduct(rest - joint)).norm(), 1e-5);
  }
}

TEST(Decomposed, ExpLogTurnsInProportionToTheWeight) {
  test::Sample sample = arm();
  pose_second(sample, test::turn_about(Vec3::Zero(), 150, Vec3::UnitY()));
  const test::Output out = test::run(build_decomposed(sample.rig, {RotationBlend::kExpLog}), sample);
  for (std::size_t i = 0; i < 100; ++i) {
    double w = 0;
    for (const Influence& influence : sample.rig.weights.row(i))
      if (influence.joint == 1) w = influence.weight;
    const Vec3 expected =
        test::turn_about(Vec3(0, 1, 0), 150 * w, Vec3::UnitY()) * sample.rig.mesh.positions[i];
    EXPECT_LT((out.positions[i].cast<double>() - expected).norm(), 1e-5) << w;
  }
}

TEST(Decomposed, ExpLogFallsBackToPolarBeyond170Degrees) {
  test::Sample sample = arm();
  for (const double degrees : {169.0, 171.0}) {
    pose_second(sample, test::turn_about(Vec3::Zero(), degrees, Vec3::UnitX()));
    const test::Output polar = test::run(build_decomposed(sample.rig), sample);
    const test::Output explog = test::run(build_decomposed(sample.rig, {RotationBlend::kExpLog}), sample);
    EXPECT_EQ(test::same_bits(polar, explog), degrees > 170);
  }
}

TEST(Decomposed, WithoutAdjacentBonesAVertexMovesAsInLbs) {
  test::Sample sample;
  sample.rig.skeleton = test::chain(3, Vec3(0, 1, 0));
  test::add_vertex(sample, Vec3(1, 1, 0), Vec3::UnitX(), {{0, 0.6}, {2, 0.4}});
  test::bind(sample);
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[1].rotate(Eigen::AngleAxisd(1.2, Vec3::UnitX()));
  local[2].rotate(Eigen::AngleAxisd(0.5, Vec3::UnitY()));
  test::set_pose(sample, local);
  EXPECT_TRUE(test::same_bits(test::run(build_decomposed(sample.rig), sample),
                              test::run(build_lbs(sample.rig), sample)));
}

TEST(JointCentres, AreTheMeanOfJointsBetweenAdjacentBonesByTheProductOfWeights) {
  const Skeleton skeleton = test::chain(3, Vec3(0, 1, 0));
  const std::vector<Vec3> heads = {Vec3(0, 0, 0), Vec3(0, 1, 0), Vec3(0, 2, 0)};
  const std::vector<Influence> row = {{1, 0.5}, {2, 0.3}, {0, 0.2}};
  const auto centre = centre_of_row(skeleton, heads, row);
  ASSERT_TRUE(centre.has_value());
  EXPECT_NEAR(centre->y(), (0.5 * 0.2 * 1 + 0.3 * 0.5 * 2) / (0.5 * 0.2 + 0.3 * 0.5), 1e-12);
  EXPECT_FALSE(centre_of_row(skeleton, heads, std::vector<Influence>{{0, 0.5}, {2, 0.5}}).has_value());
}

TEST(JointCentres, LookThroughJointsThatDoNotDeform) {
  std::vector<Joint> joints(3);
  joints[1].parent = 2;
  joints[2].parent = 0;
  joints[2].deforms = false;
  const auto skeleton = Skeleton::create(joints);
  ASSERT_TRUE(skeleton.ok());
  const std::vector<Vec3> heads = {Vec3(0, 0, 0), Vec3(0, 3, 0), Vec3(0, 1, 0)};
  const auto centre = centre_of_row(*skeleton, heads, std::vector<Influence>{{0, 0.5}, {1, 0.5}});
  ASSERT_TRUE(centre.has_value());
  EXPECT_EQ(*centre, Vec3(0, 3, 0));
}

}  // namespace
}  // namespace sinew
