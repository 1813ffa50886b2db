// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/flesh.h"

#include <gtest/gtest.h>

#include "deform/flesh_table.h"
#include "deform/methods.h"
#include "deform/rig_samples.h"
#include "sinew/deform/reference.h"
#include "sinew/deform/stretch.h"

namespace sinew {
namespace {

using test::Motion;

TEST(FleshDeformer, IsTheDoublePrecisionFormula) {
  for (const Motion motion : {Motion::kRigid, Motion::kStretched}) {
    test::Sample sample = test::random_sample(1003, 12, 6, motion);
    sample.rig = test::with_flesh(sample.rig);
    test::Expected expected(sample);
    reference_flesh(sample.rig, sample.input(), expected.out());
    test::expect_near(test::run(build_flesh(sample.rig), sample), expected);
  }
}

TEST(FleshDeformer, RestIsTheIdentity) {
  test::Sample sample = test::random_sample(300, 12, 6, Motion::kRigid);
  sample.rig = test::with_flesh(sample.rig);
  test::bind(sample);
  const test::Output out = test::run(build_flesh(sample.rig), sample);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_LT((out.positions[i] - sample.positions[i]).norm(), 1e-5f);
}

// So that no lane adds zeros for the fields of others: of 40 vertices of each bone every second has the one field,
// the others the other, and groups have 16.
TEST(FleshDeformer, VerticesOfTheSameFieldsAreGrouped) {
  test::Sample sample = test::random_sample(320, 8, 1, Motion::kRigid);
  Rig& rig = sample.rig;
  rig.flesh = {};
  rig.flesh.weights.offsets = {0};
  rig.flesh.fields.resize(2);
  for (FleshField& field : rig.flesh.fields) {
    field.steps = {0.1f};
    field.mixes.assign(kTurnFunctions, 1.0f);
  }
  for (std::uint32_t i = 0; i < 320; ++i) {
    rig.flesh.weights.base.push_back(static_cast<std::int32_t>(i % 8));
    rig.flesh.weights.offsets.push_back(0);
    FleshField& field = rig.flesh.fields[i / 8 % 2];
    field.vertices.push_back(i);
    field.twist.push_back(0);
    field.values.insert(field.values.end(), {1, 2, 3});
  }
  const auto table = pack_flesh(rig);
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(table->joints.group_count(), 8u * 3);
  EXPECT_EQ(table->blocks.size(), 8u * 4);
}

// Where bones carry vertices whole, flesh and skinning with stretchable, twistable bones are the same.
TEST(FleshDeformer, BonesTwistAndStretchWhatTheyCarry) {
  test::Sample sample = test::random_sample(400, 8, 1, Motion::kRigid);
  Rig& rig = sample.rig;
  std::mt19937 random(4);
  rig.weights = {};
  rig.flesh = {};
  rig.flesh.weights.offsets = {0};
  for (std::size_t i = 0; i < 400; ++i) {
    const auto bone = static_cast<std::uint32_t>(i % 8);
    const Influence whole{bone, 1.0};
    rig.weights.add_row({&whole, 1});
    rig.endpoint.values.push_back(static_cast<float>(test::uniform(random, 0, 1)));
    rig.flesh.weights.base.push_back(static_cast<std::int32_t>(bone));
    rig.flesh.weights.offsets.push_back(0);
  }
  rig.endpoint.method = "random";
  std::vector<BoneShape> bones(8);
  std::vector<Affine3> local = rest_pose(rig.skeleton).local;
  for (std::size_t j = 0; j < 8; ++j) {
    bones[j] = {test::uniform(random, 0.5, 2), test::uniform(random, -4, 4), test::uniform(random, -4, 4)};
    if (j > 0) local[j].translation() *= bones[j - 1].stretch;
    local[j].rotate(
        Eigen::AngleAxisd(test::uniform(random, -1, 1), test::random_vector(random).normalized()));
  }
  test::set_pose(sample, local);
  FrameInput input = sample.input();
  input.bones = bones;
  const auto run = [&](const Result<std::unique_ptr<Deformer>>& built) {
    EXPECT_TRUE(built.ok());
    test::Output out{std::vector<Vec3f>(400), std::vector<Vec3f>(400)};
    const auto workspace = (*built)->make_workspace();
    EXPECT_EQ((*built)->deform(input, *workspace, out.positions, out.normals), Status::kOk);
    return out;
  };
  const test::Output flesh = run(build_flesh(rig)), bone = run(build_stretch(rig, StretchForm::kLinear));
  test::Expected expected(sample);
  reference_flesh(rig, input, expected.out());
  for (std::size_t i = 0; i < 400; ++i) {
    EXPECT_LT((flesh.positions[i] - bone.positions[i]).norm(), 1e-4f) << i;
    EXPECT_LT((flesh.positions[i].cast<double>() - expected.positions[i]).norm(), 1e-5) << i;
  }
}

TEST(FleshDeformer, ARigWithoutFleshIsRefused) {
  const test::Sample sample = test::random_sample(30, 4, 3, Motion::kRigid);
  const auto built = build_flesh(sample.rig);
  ASSERT_FALSE(built.ok());
  EXPECT_EQ(built.error().code, ErrorCode::kImpossible);
}

}  // namespace
}  // namespace sinew
