// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/flesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "deform/flesh_table.h"
#include "deform/methods.h"
#include "deform/rig_samples.h"
#include "sinew/deform/reference.h"
#include "sinew/deform/stretch.h"

namespace sinew {
namespace {

using test::Motion;

TEST(FleshDeformer, IsTheDoublePrecisionFormula) {
  for (const Motion motion : {Motion::kRigid, Motion::kStretched, Motion::kReflected}) {
    test::Sample sample = test::random_sample(1003, 12, 6, motion);
    sample.rig = test::with_flesh(sample.rig);
    test::Expected expected(sample);
    reference_flesh(sample.rig, sample.input(), expected.out());
    test::expect_near(test::run(build_flesh(sample.rig), sample), expected);
  }
}

// A tree of joints, three of which carry each vertex in part, wherever they are; 12 groups of 40 vertices.
test::Sample branching_sample(Motion motion) {
  test::Sample sample = test::random_sample(480, 15, 3, motion);
  Rig& rig = sample.rig;
  std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
  for (std::size_t j = 1; j < joints.size(); ++j) joints[j].parent = static_cast<int>((j - 1) / 2);
  rig.skeleton = *Skeleton::create(std::move(joints));
  const std::vector<Affine3> globals = global_transforms(rig.skeleton, rest_pose(rig.skeleton).local);
  for (std::size_t j = 0; j < globals.size(); ++j) rig.inverse_bind[j] = globals[j].inverse();
  rig = test::with_flesh(rig);
  const std::vector<int> parents = bone_parents(rig.skeleton);
  rig.flesh.weights = {};
  std::mt19937 random(2);
  std::vector<double> swing(parents.size()), twist(parents.size());
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    std::fill(swing.begin(), swing.end(), 0.0);
    std::fill(twist.begin(), twist.end(), 0.0);
    for (int a = static_cast<int>(14 - i / 40); a >= 0; a = parents[static_cast<std::size_t>(a)])
      swing[static_cast<std::size_t>(a)] = twist[static_cast<std::size_t>(a)] = 1;
    for (const std::size_t j : {i / 40 + 2, (5 * (i / 40) + 6) % 15, (7 * (i / 40) + 1) % 15}) {
      swing[j] = test::uniform(random, 0.1, 0.9);
      twist[j] = test::uniform(random, 0.1, 0.9);
    }
    rig.flesh.weights.add_row(parents, swing, twist);
  }
  std::vector<Affine3> local = rest_pose(rig.skeleton).local;
  for (Affine3& one : local)
    one.rotate(Eigen::AngleAxisd(test::uniform(random, -1, 1), test::random_vector(random).normalized()));
  if (motion == Motion::kReflected) local[5].scale(Vec3(-1, 1.1, 0.9));
  test::set_pose(sample, local);
  return sample;
}

TEST(FleshDeformer, SeveralJointsGoIntoOne) {
  for (const Motion motion : {Motion::kRigid, Motion::kReflected}) {
    test::Sample sample = branching_sample(motion);
    const auto table = pack_flesh(sample.rig);
    ASSERT_TRUE(table.ok());
    EXPECT_GT(*std::max_element(table->set_branches.begin(), table->set_branches.end()), 2);
    for (int still = 0; still < 2; ++still) {  // and some do nothing
      test::Expected expected(sample);
      reference_flesh(sample.rig, sample.input(), expected.out());
      test::expect_near(test::run(build_flesh(sample.rig), sample), expected);
      std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
      for (std::size_t j = 0; j < local.size(); j += 2)
        local[j].rotate(Eigen::AngleAxisd(0.7, Vec3::UnitX()));
      test::set_pose(sample, local);
    }
  }
}

// Whatever amounts depend on: nothing, powers of the share of a small twist, or all harmonics.
TEST(FleshDeformer, SmallTurnsAreTheFormulaToo) {
  test::Sample sample = test::random_sample(203, 12, 6, Motion::kRigid);
  sample.rig = test::with_flesh(sample.rig);
  const auto table = pack_flesh(sample.rig);
  ASSERT_TRUE(table.ok());
  FleshPalette palette(*table);
  std::set<AmountForm> forms;
  std::mt19937 random(5);
  std::vector<Vec3> axes;
  for (std::size_t j = 0; j < 12; ++j) axes.push_back(test::random_vector(random).normalized());
  for (double angle = 1e-10; angle < 1.5; angle *= 1.5) {
    std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
    for (std::size_t j = 0; j < local.size(); ++j) local[j].rotate(Eigen::AngleAxisd(angle, axes[j]));
    test::set_pose(sample, local);
    test::Expected expected(sample);
    reference_flesh(sample.rig, sample.input(), expected.out());
    test::expect_near(test::run(build_flesh(sample.rig), sample), expected);
    fill_flesh(*table, sample.input().matrices, palette);
    for (const FleshDrive& drive : palette.drives) forms.insert(drive.form);
  }
  EXPECT_EQ(forms.size(), 7u);
}

// The largest numbers of a field all add up.
TEST(FleshDeformer, ManyLargeModesFitIntoSums) {
  test::Sample sample = test::random_sample(203, 12, 6, Motion::kRigid);
  sample.rig = test::with_flesh(sample.rig);
  FleshField& field = sample.rig.flesh.fields[0];
  field.steps.assign(3001, 1e-6f);
  field.mixes.assign(3001 * kTurnFunctions, 0.5f);
  field.values.assign(field.vertices.size() * 3001 * 3, 127);
  test::Expected expected(sample);
  reference_flesh(sample.rig, sample.input(), expected.out());
  test::expect_near(test::run(build_flesh(sample.rig), sample), expected);
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
