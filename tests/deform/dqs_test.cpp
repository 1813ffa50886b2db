// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/dqs.h"

#include <gtest/gtest.h>

#include "deform/dqs_kernel.h"
#include "deform/rig_samples.h"

namespace sinew {
namespace {

using test::Motion;

class DqsOnMotions : public testing::TestWithParam<Motion> {};
INSTANTIATE_TEST_SUITE_P(Motions, DqsOnMotions,
                         testing::Values(Motion::kRigid, Motion::kStretched, Motion::kReflected));

TEST_P(DqsOnMotions, IsTheDoublePrecisionFormula) {
  const test::Sample sample = test::random_sample(1003, 9, 9, GetParam());
  test::Expected expected(sample);
  reference_dqs(sample.rig, sample.input(), expected.out());
  test::expect_near(test::run(build_dqs(sample.rig), sample), expected);
}

// Two bones along y that meet at the origin, a vertex at (1, 0, 0) with equal weights, the second bone
// twisted.
test::Sample twisted(double degrees) {
  test::Sample sample;
  sample.rig.skeleton = test::chain(2, Vec3(0, 1, 0));
  test::add_vertex(sample, Vec3(1, 1, 0), Vec3(1, 0, 0), {{0, 0.5}, {1, 0.5}});
  test::bind(sample);
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[1].rotate(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Vec3::UnitY()));
  test::set_pose(sample, local);
  return sample;
}

double angle_about_y(const Vec3f& p) {
  return std::atan2(-p.z(), p.x()) * 180 / std::numbers::pi;
}

TEST(Dqs, AQuarterTwistKeepsTheRadius) {
  const test::Output out = test::run(build_dqs(twisted(90).rig), twisted(90));
  EXPECT_NEAR(std::hypot(out.positions[0].x(), out.positions[0].z()), 1, 1e-6);
  EXPECT_NEAR(angle_about_y(out.positions[0]), 45, 1e-4);
  EXPECT_NEAR(out.positions[0].y(), 1, 1e-6);
  EXPECT_NEAR(angle_about_y(out.normals[0]), 45, 1e-4);
}

TEST(Dqs, PastHalfATurnTheBlendTakesTheOtherWayRound) {
  for (const double degrees : {170.0, 179.0})
    EXPECT_NEAR(angle_about_y(test::run(build_dqs(twisted(degrees).rig), twisted(degrees)).positions[0]),
                degrees / 2, 1e-3);
  for (const double degrees : {181.0, 190.0})
    EXPECT_NEAR(angle_about_y(test::run(build_dqs(twisted(degrees).rig), twisted(degrees)).positions[0]),
                degrees / 2 - 180, 1e-3);
}

TEST(Dqs, AtExactlyHalfATurnTheResultIsOnTheCircle) {
  const Vec3f p = test::run(build_dqs(twisted(180).rig), twisted(180)).positions[0];
  EXPECT_NEAR(std::hypot(p.x(), p.z()), 1, 1e-5);
}

TEST(Dqs, IsRigidWhereWeightsAreEqual) {
  test::Sample sample;
  sample.rig.skeleton = test::chain(3, Vec3(0.3, 1, 0));
  std::mt19937 random(3);
  for (int i = 0; i < 100; ++i)
    test::add_vertex(sample, test::random_vector(random), test::random_vector(random),
                     {{0, 0.5}, {1, 0.3}, {2, 0.2}});
  test::bind(sample);
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  for (Affine3& transform : local)
    transform.rotate(Eigen::AngleAxisd(1.1, test::random_vector(random).normalized()));
  test::set_pose(sample, local);
  const test::Output out = test::run(build_dqs(sample.rig), sample);
  for (std::size_t i = 1; i < 100; ++i) {
    EXPECT_NEAR((out.positions[i] - out.positions[0]).norm(),
                (sample.positions[i] - sample.positions[0]).norm(), 5e-6);
    EXPECT_NEAR(out.normals[i].dot(out.normals[0]), sample.normals[i].dot(sample.normals[0]), 5e-6);
  }
}

TEST(Dqs, OppositeQuaternionsOfOneRotationGiveTheSameBits) {
  const test::Sample sample = test::random_sample(203, 12, 6, Motion::kRigid);
  const auto table = pack_skin(sample.rig.weights, 12, RowSums::kNormalised);
  ASSERT_TRUE(table.ok());
  Palette<DualEntry> duals(table->palette_size());
  Palette<MatrixEntry> rows(table->palette_size());
  const std::vector<Vec3> heads = palette_heads(*table, bind_transforms(sample.rig));
  fill_rigid(*table, sample.matrices, heads, duals, rows);
  std::vector<Vec3f> first(203), second(203);
  const FrameInput input = sample.input();
  dqs_groups(*table, duals, 0, table->group_count(), streams_of(input, first, {}));
  for (std::size_t e = 0; e < table->palette_size(); e += 2)
    for (std::size_t c = 0; c < 4; ++c) {
      duals[e].real[c] *= -1;
      duals[e].dual[c] *= -1;
    }
  dqs_groups(*table, duals, 0, table->group_count(), streams_of(input, second, {}));
  EXPECT_TRUE(test::same_bits(first, second));
}

TEST(Dqs, DoesNotDependOnWhereTheOriginLies) {
  test::Sample here = test::random_sample(300, 6, 4, Motion::kStretched);
  test::Sample there = here;
  const Vec3 offset(3, -2, 5);
  for (Affine3& inverse : there.rig.inverse_bind) inverse = inverse * Eigen::Translation3d(-offset);
  for (Affine3& matrix : there.matrices)
    matrix = Eigen::Translation3d(offset) * matrix * Eigen::Translation3d(-offset);
  for (Vec3f& p : there.positions) p += offset.cast<float>();
  const test::Output a = test::run(build_dqs(here.rig), here), b = test::run(build_dqs(there.rig), there);
  for (std::size_t i = 0; i < 300; ++i)
    EXPECT_LT((b.positions[i] - offset.cast<float>() - a.positions[i]).norm(), 3e-5f) << i;
}

TEST(Dqs, ScaleAloneIsLinear) {
  test::Sample sample = test::random_sample(300, 6, 4, Motion::kRigid);
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  for (Affine3& transform : local) transform.scale(Vec3(1.2, 0.8, 1.1));
  test::set_pose(sample, local);
  test::Expected expected(sample);
  reference_lbs(sample.rig, sample.input(), expected.out());
  test::expect_near(test::run(build_dqs(sample.rig), sample), expected);
}

TEST(Dqs, NormalisesRows) {
  test::Sample sample = twisted(60);
  test::Sample doubled = sample;
  for (Influence& influence : doubled.rig.weights.entries) influence.weight *= 2;
  EXPECT_TRUE(
      test::same_bits(test::run(build_dqs(sample.rig), sample), test::run(build_dqs(doubled.rig), doubled)));
}

TEST(Dqs, VerticesWithoutInfluencesStay) {
  test::Sample sample = test::random_sample(50, 5, 0, Motion::kStretched);
  EXPECT_TRUE(test::same_bits(test::run(build_dqs(sample.rig), sample).positions, sample.positions));
}

}  // namespace
}  // namespace sinew
