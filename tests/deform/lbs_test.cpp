// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/lbs.h"

#include <gtest/gtest.h>

#include "deform/rig_samples.h"

namespace sinew {
namespace {

using test::Motion;

class LbsOnMotions : public testing::TestWithParam<Motion> {};
INSTANTIATE_TEST_SUITE_P(Motions, LbsOnMotions,
                         testing::Values(Motion::kRigid, Motion::kStretched, Motion::kReflected));

TEST_P(LbsOnMotions, IsTheDoublePrecisionFormula) {
  const test::Sample sample = test::random_sample(1003, 30, 11, GetParam());
  test::Expected expected(sample);
  reference_lbs(sample.rig, sample.input(), expected.out());
  test::expect_near(test::run(build_lbs(sample.rig), sample), expected);
}

TEST(Lbs, RestIsTheIdentity) {
  test::Sample sample = test::random_sample(200, 12, 6, Motion::kRigid);
  test::bind(sample);
  const test::Output out = test::run(build_lbs(sample.rig), sample);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_LT((out.positions[i] - sample.positions[i]).norm(), 1e-5f);
}

TEST(Lbs, VerticesWithoutInfluencesStayExactly) {
  test::Sample sample = test::random_sample(50, 5, 0, Motion::kStretched);
  EXPECT_TRUE(test::same_bits(test::run(build_lbs(sample.rig), sample).positions, sample.positions));
}

TEST(Lbs, UsesWeightsAsTheyAre) {
  test::Sample sample;
  sample.rig.skeleton = test::chain(1, Vec3::Zero());
  test::add_vertex(sample, Vec3(1, 2, 3), Vec3::UnitX(), {{0, 0.5}});
  test::bind(sample);
  EXPECT_EQ(test::run(build_lbs(sample.rig), sample).positions[0], Vec3f(0.5f, 1, 1.5f));
}

// A dense sphere whose upper half is stretched without weights in between; normals come out as those of the
// stretched surface, measured by differences along two tangents.
TEST(Lbs, NormalsFollowTheSurfaceUnderNonUniformScale) {
  test::Sample sample;
  sample.rig.skeleton = test::chain(2, Vec3(0, 0.2, 0));
  const auto point = [](double u, double v) {
    return Vec3(std::sin(u) * std::cos(v), std::cos(u), std::sin(u) * std::sin(v));
  };
  const double step = 1e-3;
  std::vector<Vec3> rest;
  for (int a = 1; a < 60; ++a)
    for (int b = 0; b < 60; ++b) {
      const double u = a * std::numbers::pi / 60, v = b * std::numbers::pi / 30;
      for (const Vec3& p : {point(u, v), point(u + step, v), point(u, v + step)})
        test::add_vertex(sample, p, p, {{0, 0.6}, {1, 0.4}});
    }
  test::bind(sample);
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[0].rotate(Eigen::AngleAxisd(0.7, Vec3(1, 2, 0.5).normalized())).scale(Vec3(3, 0.5, 1.5));
  local[1].scale(Vec3(1, 2, 0.7));
  test::set_pose(sample, local);
  const test::Output out = test::run(build_lbs(sample.rig), sample);
  for (std::size_t i = 0; i < out.positions.size(); i += 3) {
    const Vec3 du = (out.positions[i + 1] - out.positions[i]).cast<double>();
    const Vec3 dv = (out.positions[i + 2] - out.positions[i]).cast<double>();
    const Vec3 surface = dv.cross(du).normalized();
    EXPECT_NEAR(out.normals[i].norm(), 1, 1e-5);
    EXPECT_GT(out.normals[i].cast<double>().dot(surface), 0.9995) << i;
  }
}

TEST(Lbs, MirroredNormalsPointOutward) {
  test::Sample sample;
  sample.rig.skeleton = test::chain(1, Vec3::Zero());
  test::add_vertex(sample, Vec3(1, 0, 0), Vec3(1, 1, 0), {{0, 1.0}});
  test::bind(sample);
  std::vector<Affine3> local(1, Affine3::Identity());
  local[0].scale(Vec3(-1, 1, 1));
  test::set_pose(sample, local);
  const test::Output out = test::run(build_lbs(sample.rig), sample);
  EXPECT_LT((out.normals[0] - Vec3f(-1, 1, 0).normalized()).norm(), 1e-6f);
}

TEST(Lbs, KeepsTheRestNormalWhereTheMatrixCollapses) {
  test::Sample sample;
  sample.rig.skeleton = test::chain(1, Vec3::Zero());
  test::add_vertex(sample, Vec3(1, 0, 0), Vec3(0, 1, 0), {{0, 1.0}});
  test::bind(sample);
  test::set_pose(sample, std::vector<Affine3>(1, Affine3(Eigen::Scaling(0.0))));
  const test::Output out = test::run(build_lbs(sample.rig), sample);
  EXPECT_EQ(out.normals[0], Vec3f(0, 1, 0));
  EXPECT_EQ(out.positions[0], Vec3f(0, 0, 0));
}

TEST(Lbs, RefusesWeightsThatDoNotFitTheMesh) {
  test::Sample sample = test::random_sample(10, 3, 2, Motion::kRigid);
  sample.rig.mesh.positions.pop_back();
  const auto deformer = build_lbs(sample.rig);
  ASSERT_FALSE(deformer.ok());
  EXPECT_EQ(deformer.error().code, ErrorCode::kBadInput);
}

TEST(Lbs, RefusesInverseBindsThatDoNotFitTheSkeleton) {
  test::Sample sample = test::random_sample(10, 3, 2, Motion::kRigid);
  sample.rig.inverse_bind.pop_back();
  EXPECT_FALSE(build_lbs(sample.rig).ok());
}

}  // namespace
}  // namespace sinew
