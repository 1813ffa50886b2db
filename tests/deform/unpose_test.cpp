// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/unpose.h"

#include <gtest/gtest.h>

#include "deform/key_samples.h"
#include "deform/methods.h"
#include "sinew/deform/differential.h"
#include "sinew/deform/mush.h"
#include "sinew/deform/volume.h"

namespace sinew {
namespace {

PositionMap map_of(const Deformer& deformer, const test::Sample& sample, Workspace& workspace) {
  return [&](std::span<const Vec3f> rest, std::span<Vec3f> posed) {
    FrameInput input = sample.input();
    input.positions = rest;
    input.normals = {};
    deformer.deform(input, workspace, posed, {});
  };
}

std::vector<Vec3f> posed_by(const PositionMap& map, std::span<const Vec3f> rest) {
  std::vector<Vec3f> out(rest.size());
  map(rest, out);
  return out;
}

// A tube with two joints, bent; edits push a patch outward.
test::Sample bent_tube(double degrees) {
  test::Sample sample = test::tube();
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[0] = Eigen::Translation3d(1, 2, 3) * Eigen::AngleAxisd(0.5, Vec3::UnitY()) * local[0];
  local[1].rotate(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Vec3(0.3, 0.2, 1).normalized()));
  test::set_pose(sample, local);
  return sample;
}

std::vector<Vec3f> pushed(std::vector<Vec3f> points) {
  for (std::size_t i = 0; i < points.size(); i += 7)
    points[i] += Vec3f(0.1f, -0.05f, 0.2f) * static_cast<float>(1 + i % 3);
  return points;
}

class EveryInverse : public testing::TestWithParam<test::Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, EveryInverse, testing::ValuesIn(test::vertex_methods()), test::method_name);

TEST_P(EveryInverse, PosingWhatWasUnposedGivesTheEditTo1e5) {
  const test::Sample sample = bent_tube(80);
  const auto deformer = GetParam().build(sample.rig);
  ASSERT_TRUE(deformer.ok());
  const auto workspace = (*deformer)->make_workspace();
  const PositionMap map = map_of(**deformer, sample, *workspace);
  const std::vector<Vec3f> before = posed_by(map, sample.positions), edited = pushed(before);
  const Unposed result = unpose(map, sample.positions, edited);
  EXPECT_EQ(result.changed, (before.size() + 6) / 7);
  EXPECT_TRUE(result.singular.empty());
  EXPECT_LT(result.residual, 1e-5);
  EXPECT_LT(test::farthest(posed_by(map, result.rest), edited), 1e-5 * 4.2);
  for (std::size_t i = 0; i < before.size(); ++i)
    if (i % 7 != 0) {
      EXPECT_EQ(result.rest[i], sample.positions[i]);
    }
}

TEST(Unpose, NothingEditedIsNothingChanged) {
  const test::Sample sample = bent_tube(60);
  const auto deformer = build_lbs(sample.rig);
  const auto workspace = (*deformer)->make_workspace();
  const PositionMap map = map_of(**deformer, sample, *workspace);
  const Unposed result = unpose(map, sample.positions, posed_by(map, sample.positions));
  EXPECT_EQ(result.changed, 0u);
  EXPECT_EQ(result.rest, sample.positions);
}

// Half a turn between two bones of equal weight squashes space onto the axis.
TEST(Unpose, ACollapsedVertexIsReportedAndLeft) {
  test::Sample sample;
  sample.rig.skeleton = test::chain(2, Vec3(1, 0, 0));
  test::add_vertex(sample, Vec3(1, 1, 0), Vec3::UnitY(), {{0, 0.5}, {1, 0.5}});
  test::add_vertex(sample, Vec3(2, 1, 0), Vec3::UnitY(), {{1, 1.0}});
  test::bind(sample);
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[1].rotate(Eigen::AngleAxisd(std::numbers::pi, Vec3::UnitX()));
  test::set_pose(sample, local);
  const auto deformer = build_lbs(sample.rig);
  const auto workspace = (*deformer)->make_workspace();
  const PositionMap map = map_of(**deformer, sample, *workspace);
  std::vector<Vec3f> edited = posed_by(map, sample.positions);
  for (Vec3f& p : edited) p += Vec3f(0, 0.5f, 0);
  const Unposed result = unpose(map, sample.positions, edited);
  EXPECT_EQ(result.changed, 2u);
  ASSERT_EQ(result.singular, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(result.rest[0], sample.positions[0]);
  EXPECT_LT((posed_by(map, result.rest)[1] - edited[1]).norm(), 1e-5f);
}

TEST(Unpose, AFlowIsTurnedRoundByNewtonsSteps) {
  const test::Sample sample = bent_tube(60);
  const auto deformer = build_volume(sample.rig);
  ASSERT_TRUE(deformer.ok());
  const auto workspace = (*deformer)->make_workspace();
  const PositionMap map = map_of(**deformer, sample, *workspace);
  const std::vector<Vec3f> edited = pushed(posed_by(map, sample.positions));
  UnposeOptions options;
  options.inverse = Inverse::kPointwise;
  const Unposed result = unpose(map, sample.positions, edited, options);
  EXPECT_GT(result.changed, 100u);
  EXPECT_LT(10 * result.singular.size(), result.changed);
  EXPECT_LT(result.residual, 1e-5);
}

TEST(Unpose, SolvesAndSmoothingAreTurnedRoundStepByStep) {
  const test::Sample sample = bent_tube(60);
  const auto guide = build_dqs(sample.rig);
  const auto guide_workspace = (*guide)->make_workspace();
  UnposeOptions options;
  options.inverse = Inverse::kIterative;
  options.guide = map_of(**guide, sample, *guide_workspace);
  auto inner = build_lbs(sample.rig);
  auto mush = build_mush(sample.rig, *std::move(inner), {.passes = 3});
  auto differential = build_differential(sample.rig);
  ASSERT_TRUE(mush.ok() && differential.ok());
  const auto workspace = (*differential)->make_workspace();
  const PositionMap map = map_of(**differential, sample, *workspace);
  // A soft push: what a solve spreads out.
  std::vector<Vec3f> edited = posed_by(map, sample.positions);
  for (std::size_t i = 0; i < edited.size(); ++i) {
    const float x = sample.positions[i].x() - 2.5f;
    edited[i] += std::exp(-4 * x * x) * Vec3f(0, 0.1f, 0.05f);
  }
  const Unposed result = unpose(map, sample.positions, edited, options);
  EXPECT_LT(result.residual, 1e-4);
}

}  // namespace
}  // namespace sinew
