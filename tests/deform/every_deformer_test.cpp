// SPDX-License-Identifier: Apache-2.0
// What holds for every deformer: any count of vertices, any number of threads, any target, and no allocation
// per frame.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "deform/methods.h"
#include "deform/rig_samples.h"

namespace sinew {
namespace {

class EveryDeformer : public testing::TestWithParam<test::Method> {
 protected:
  void TearDown() override {
    set_thread_count(0);
    hwy::SetSupportedTargetsForTest(0);
  }
};
INSTANTIATE_TEST_SUITE_P(Methods, EveryDeformer, testing::ValuesIn(test::all_methods()), test::method_name);

TEST_P(EveryDeformer, GivesTheSameBitsForAnyThreadCount) {
  const test::Sample sample = GetParam().sample(20011, 20, 9);
  set_thread_count(1);
  const test::Output one = test::run(GetParam().build(sample.rig), sample);
  for (const int threads : {2, 3}) {
    set_thread_count(threads);
    EXPECT_TRUE(test::same_bits(test::run(GetParam().build(sample.rig), sample), one)) << threads;
  }
}

class EveryVertex : public testing::TestWithParam<test::Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, EveryVertex, testing::ValuesIn(test::vertex_methods()), test::method_name);

// Vertices do not know of each other: the first ones of a mesh come out as they do in a larger one, and
// nothing is written behind the last.
TEST_P(EveryVertex, TreatsTailsOfAnyLengthAndWritesOnlyItsOwnVertices) {
  const test::Sample whole = test::random_sample(64, 9, 4, test::Motion::kStretched, 3);
  const test::Output expected = test::run(GetParam().build(whole.rig), whole);
  for (std::size_t count = 0; count <= 33; ++count) {
    test::Sample part = whole;
    part.rig.mesh.positions.resize(count);
    part.rig.weights.offsets.resize(count + 1);
    part.rig.weights.entries.resize(part.rig.weights.offsets.back());
    part.positions.resize(count);
    part.normals.resize(count);
    const auto deformer = GetParam().build(part.rig);
    ASSERT_TRUE(deformer.ok());
    const auto workspace = (*deformer)->make_workspace();
    const Vec3f mark(7, 7, 7);
    std::vector<Vec3f> positions(count + 1, mark), normals(count + 1, mark);
    (*deformer)->deform(part.input(), *workspace, std::span(positions).first(count),
                        std::span(normals).first(count));
    EXPECT_EQ(positions[count], mark);
    EXPECT_EQ(normals[count], mark);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_LT((positions[i] - expected.positions[i]).norm(), 1e-6f) << i << " of " << count;
      EXPECT_LT((normals[i] - expected.normals[i]).norm(), 1e-6f) << i << " of " << count;
    }
  }
}

TEST_P(EveryDeformer, PositionsAreTheSameWithoutNormals) {
  const test::Sample sample = GetParam().sample(503, 9, 6);
  const std::size_t n = sample.positions.size();
  const auto deformer = GetParam().build(sample.rig);
  ASSERT_TRUE(deformer.ok());
  const auto workspace = (*deformer)->make_workspace();
  std::vector<Vec3f> positions(n);
  FrameInput input = sample.input();
  input.normals = {};
  (*deformer)->deform(input, *workspace, positions, {});
  const test::Output both = test::run(**deformer, sample);
  for (std::size_t i = 0; i < n; ++i) EXPECT_LT((positions[i] - both.positions[i]).norm(), 1e-6f);
}

TEST_P(EveryDeformer, AgreesOnEveryTargetOfThisMachine) {
  const test::Sample sample = GetParam().sample(1003, 9, 9);
  const test::Output expected = test::run(GetParam().build(sample.rig), sample);
  int targets = 0;
  for (const std::int64_t target : {HWY_AVX3, HWY_AVX2, HWY_SSE4, HWY_NEON, HWY_EMU128}) {
    // The last one is what remains where nothing better is known.
    if (target != HWY_EMU128 && (hwy::SupportedTargets() & target) == 0) continue;
    hwy::SetSupportedTargetsForTest(target);
    const test::Output out = test::run(GetParam().build(sample.rig), sample);
    hwy::SetSupportedTargetsForTest(0);
    for (std::size_t i = 0; i < expected.positions.size(); ++i) {
      EXPECT_LT((out.positions[i] - expected.positions[i]).norm(), 3e-5f) << hwy::TargetName(target);
      EXPECT_LT((out.normals[i] - expected.normals[i]).norm(), 1e-4f) << hwy::TargetName(target);
    }
    ++targets;
  }
  EXPECT_GE(targets, 1);
}

// Skeletons whose joints are scaled, sheared or mirrored in the bind pose, as files have them: rest is rest,
// and what moves as a whole moves as linear blending has it.
TEST_P(EveryDeformer, TakesBindsOfAnyShape) {
  Mat3 sheared = Mat3::Identity();
  sheared(0, 1) = 0.7;
  for (const Mat3& shape : {Mat3(100 * Mat3::Identity()), Mat3(0.01 * Mat3::Identity()), sheared,
                            Mat3(Vec3(-1, 1, 1).asDiagonal()), Mat3(Vec3(2, 0.3, 1).asDiagonal())}) {
    test::Sample sample = GetParam().sample(480, 6, 4);
    std::vector<Joint> joints(sample.rig.skeleton.joints().begin(), sample.rig.skeleton.joints().end());
    joints[0].rest_local.linear() = joints[0].rest_local.linear() * shape;
    for (std::size_t j = 1; j < joints.size(); ++j)
      if (joints[j].parent == 0)
        joints[j].rest_local.translation() = shape.inverse() * joints[j].rest_local.translation();
    sample.rig.skeleton = *Skeleton::create(std::move(joints));
    test::bind(sample);
    const auto deformer = GetParam().build(sample.rig);
    ASSERT_TRUE(deformer.ok());
    const test::Output rest = test::run(**deformer, sample);
    for (std::size_t i = 0; i < rest.positions.size(); ++i)
      ASSERT_LT((rest.positions[i] - sample.positions[i]).norm(), 1e-4f) << i << "\n" << shape;
    std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
    local[0] = Eigen::Translation3d(1, 2, 3) * Eigen::AngleAxisd(1, Vec3::UnitY()) * local[0];
    test::set_pose(sample, local);
    const test::Output moved = test::run(**deformer, sample), lbs = test::run(build_lbs(sample.rig), sample);
    for (std::size_t i = 0; i < moved.positions.size(); ++i)
      ASSERT_LT((moved.positions[i] - lbs.positions[i]).norm(), 1e-3f) << i << "\n" << shape;
  }
}

}  // namespace
}  // namespace sinew
