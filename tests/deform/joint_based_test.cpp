// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/joint_based.h"

#include <gtest/gtest.h>

#include "deform/methods.h"
#include "deform/rig_samples.h"
#include "sinew/deform/reference.h"

namespace sinew {
namespace {

using test::Motion;

std::string test_name(JointBlend blend) {
  std::string name(blend_name(blend));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class JointBasedOnBlends : public testing::TestWithParam<JointBlend> {};
INSTANTIATE_TEST_SUITE_P(Blends, JointBasedOnBlends,
                         testing::Values(JointBlend::kSwingTwist, JointBlend::kLinear, JointBlend::kDqs,
                                         JointBlend::kMix, JointBlend::kAngle),
                         [](const auto& parameter) { return test_name(parameter.param); });

TEST_P(JointBasedOnBlends, IsTheDoublePrecisionFormula) {
  for (const Motion motion : {Motion::kRigid, Motion::kStretched})
    for (const TwistPower power : {TwistPower::kExact, TwistPower::kFast}) {
      test::Sample sample = test::random_sample(1003, 30, 6, motion);
      sample.rig = test::with_joint_weights(sample.rig);
      const JointBasedOptions options{.blend = GetParam(), .mix = 0.3, .twist = power};
      test::Expected expected(sample);
      reference_joint_based(sample.rig, sample.input(), options, expected.out());
      test::expect_near(test::run(build_joint_based(sample.rig, options), sample), expected);
    }
}

TEST_P(JointBasedOnBlends, RestIsTheIdentity) {
  test::Sample sample = test::random_sample(300, 12, 6, Motion::kRigid);
  sample.rig = test::with_joint_weights(sample.rig);
  test::bind(sample);
  const test::Output out = test::run(build_joint_based(sample.rig, {.blend = GetParam()}), sample);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_LT((out.positions[i] - sample.positions[i]).norm(), 1e-5f);
}

// Where a vertex goes along wholly, every blend is M p, and the deformer weights alone are weights of LBS.
TEST_P(JointBasedOnBlends, WholeInfluencesAreLbsWithTheDeformerWeights) {
  test::Sample sample = test::random_sample(500, 10, 4, Motion::kStretched);
  sample.rig = test::with_joint_weights(sample.rig);
  for (JointInfluence& influence : sample.rig.joint_weights.entries) influence.swing = influence.twist = 1;
  test::Expected expected(sample);
  reference_lbs(sample.rig, sample.input(), expected.out());
  test::expect_near(test::run(build_joint_based(sample.rig, {.blend = GetParam()}), sample), expected);
}

// A straight limb along z, one joint in the middle, with vertices all round it.
struct Limb {
  test::Sample sample;
  std::vector<double> share;  // s = t of each vertex

  Limb() {
    sample.rig.skeleton = test::chain(2, Vec3(0, 0, 2));
    JointWeights& joints = sample.rig.joint_weights;
    joints.offsets.push_back(0);
    for (int ring = 0; ring <= 20; ++ring)
      for (int k = 0; k < 12; ++k) {
        const double angle = k * std::numbers::pi / 6, s = ring / 20.0;
        const Vec3 out(std::cos(angle), std::sin(angle), 0);
        const Vec3 p = 0.5 * out + Vec3(0, 0, 4 * s);
        test::add_vertex(sample, p, out, {{0, 1 - s}, {1, s}});
        joints.entries.push_back({1, 1, static_cast<float>(s), static_cast<float>(s)});
        joints.offsets.push_back(static_cast<std::uint32_t>(joints.entries.size()));
        share.push_back(s);
      }
    test::bind(sample);
  }
  void turn(const Vec3& axis, double angle) {
    std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
    local[1].rotate(Eigen::AngleAxisd(angle, axis));
    test::set_pose(sample, local);
  }
  test::Expected lbs() const {
    test::Expected expected(sample);
    reference_lbs(sample.rig, sample.input(), expected.out());
    return expected;
  }
  test::Expected dqs() const {
    test::Expected expected(sample);
    reference_dqs(sample.rig, sample.input(), expected.out());
    return expected;
  }
  test::Output run(const JointBasedOptions& options) const {
    return test::run(build_joint_based(sample.rig, options), sample);
  }
};

TEST(SwingTwist, PureBendIsLbs) {
  Limb limb;
  limb.turn(Vec3(0.6, 0.8, 0), 1.9);
  test::expect_near(limb.run({}), limb.lbs());
}

TEST(SwingTwist, PureTwistKeepsTheRadiusAndIsLinearInTheWeight) {
  for (const TwistPower power : {TwistPower::kExact, TwistPower::kFast})
    for (const double angle : {0.5, 2.0, 3.1, -3.1}) {
      Limb limb;
      limb.turn(Vec3::UnitZ(), angle);
      const test::Output out = limb.run({.twist = power});
      const double tolerance = power == TwistPower::kExact ? 2e-6 : 1e-3;
      for (std::size_t i = 0; i < out.positions.size(); ++i) {
        const Vec3 p = out.positions[i].cast<double>(), rest = limb.sample.positions[i].cast<double>();
        EXPECT_NEAR(p.head<2>().norm(), 0.5, 1e-5);
        EXPECT_NEAR(p.z(), rest.z(), 1e-5);
        const double turned =
            std::atan2(rest.x() * p.y() - rest.y() * p.x(), rest.head<2>().dot(p.head<2>()));
        EXPECT_NEAR(std::remainder(turned - limb.share[i] * angle, 2 * std::numbers::pi), 0, tolerance);
      }
    }
}

TEST(SwingTwist, HalfATurnOfSwingLeavesNoTwist) {
  Limb limb;
  limb.turn(Vec3(0.6, 0.8, 0), std::numbers::pi);
  const test::Output out = limb.run({});
  test::expect_near(out, limb.lbs());
  for (const Vec3f& p : out.positions) EXPECT_TRUE(p.allFinite());
}

TEST(JointDqs, IsDqsForOneJoint) {
  Limb limb;
  limb.turn(Vec3(1, 2, 3).normalized(), 2.2);
  test::expect_near(limb.run({.blend = JointBlend::kDqs}), limb.dqs());
}

TEST(JointMix, EndsAreLbsAndDqs) {
  Limb limb;
  limb.turn(Vec3(1, 2, 3).normalized(), 2.2);
  test::expect_near(limb.run({.blend = JointBlend::kMix, .mix = 0}), limb.lbs());
  test::expect_near(limb.run({.blend = JointBlend::kMix, .mix = 1}), limb.dqs());
}

TEST(JointAngle, StraightIsLbsAndHalfATurnIsDqs) {
  Limb limb;
  limb.turn(Vec3(1, 2, 3).normalized(), 1e-4);
  test::expect_near(limb.run({.blend = JointBlend::kAngle}), limb.lbs());
  limb.turn(Vec3(1, 2, 3).normalized(), std::numbers::pi - 1e-6);
  test::expect_near(limb.run({.blend = JointBlend::kAngle}), limb.dqs());
}

TEST(JointBased, BlendsAreChosenJointByJoint) {
  test::Sample sample = test::random_sample(400, 8, 5, Motion::kRigid);
  sample.rig = test::with_joint_weights(sample.rig);
  for (std::size_t j = 0; j < 8; ++j)
    sample.rig.joint_weights.blends.push_back(static_cast<JointBlend>(j % 5));
  test::Expected expected(sample);
  reference_joint_based(sample.rig, sample.input(), {}, expected.out());
  test::expect_near(test::run(build_joint_based(sample.rig), sample), expected);
  // It does matter.
  const test::Output one = test::run(build_joint_based(sample.rig, {.blend = JointBlend::kLinear}), sample);
  double most = 0;
  for (std::size_t i = 0; i < 400; ++i)
    most = std::max(most, (one.positions[i].cast<double>() - expected.positions[i]).norm());
  EXPECT_GT(most, 0.01);
}

test::Output run_shaped(const test::Sample& sample, const Deformer& deformer,
                        std::span<const BoneShape> bones) {
  test::Output out{std::vector<Vec3f>(sample.positions.size()), std::vector<Vec3f>(sample.positions.size())};
  FrameInput input = sample.input();
  input.bones = bones;
  const auto workspace = deformer.make_workspace();
  deformer.deform(input, *workspace, out.positions, out.normals);
  return out;
}

// Where a vertex goes with one bone alone, stretched and twisted bones carry it as they do without joints
// between.
TEST_P(JointBasedOnBlends, WholeInfluencesAreStretchedAndTwistedBones) {
  test::Sample sample = test::random_sample(500, 8, 1, Motion::kRigid);
  sample.rig = test::with_joint_weights(test::with_endpoints(sample.rig));
  for (JointInfluence& influence : sample.rig.joint_weights.entries) influence.swing = influence.twist = 1;
  std::vector<BoneShape> bones(8);
  for (std::size_t j = 0; j < 8; ++j)
    bones[j] = {1.5, 0.3 * static_cast<double>(j) - 4, 2.0 + static_cast<double>(j)};
  auto joints = build_joint_based(sample.rig, {.blend = GetParam()});
  auto plain = build_stretch(sample.rig, StretchForm::kLinear);
  ASSERT_TRUE(joints.ok() && plain.ok());
  const test::Output a = run_shaped(sample, **joints, bones), b = run_shaped(sample, **plain, bones);
  for (std::size_t i = 0; i < a.positions.size(); ++i) {
    EXPECT_LT((a.positions[i] - b.positions[i]).norm(), 1e-4f) << i;
    EXPECT_LT((a.normals[i] - b.normals[i]).norm(), 1e-3f) << i;
  }
}

// And where it does not go along at all, the bone above does.
TEST_P(JointBasedOnBlends, NoInfluenceIsTheBoneAbove) {
  test::Sample sample = test::random_sample(200, 4, 0, Motion::kRigid);
  for (std::size_t i = 0; i < 200; ++i) {
    const std::vector<Influence> row{{1, 1.0}};
    if (i == 0) sample.rig.weights = {};
    sample.rig.weights.add_row(row);
    sample.rig.endpoint.values.push_back(static_cast<float>(i) / 199.0f);
  }
  JointWeights& weights = sample.rig.joint_weights;
  weights.offsets.push_back(0);
  for (std::size_t i = 0; i < 200; ++i) {
    weights.entries.push_back({2, 1, 0, 0});
    weights.offsets.push_back(static_cast<std::uint32_t>(i + 1));
  }
  const std::vector<BoneShape> bones{{1, 0, 0}, {1, 0.5, -6}, {1.2, 1, 2}, {}};
  auto joints = build_joint_based(sample.rig, {.blend = GetParam()});
  auto plain = build_stretch(sample.rig, StretchForm::kLinear);
  ASSERT_TRUE(joints.ok() && plain.ok());
  const test::Output a = run_shaped(sample, **joints, bones), b = run_shaped(sample, **plain, bones);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_LT((a.positions[i] - b.positions[i]).norm(), 1e-4f) << i;
}

// A shape that is none changes nothing: both kernels give the same.
TEST_P(JointBasedOnBlends, ShapedFramesWithoutShapesAreTheSame) {
  test::Sample sample = test::random_sample(500, 10, 4, Motion::kRigid);
  sample.rig = test::with_joint_weights(sample.rig);
  auto joints = build_joint_based(sample.rig, {.blend = GetParam(), .mix = 0.3});
  ASSERT_TRUE(joints.ok());
  std::vector<BoneShape> none(10), hardly(10);
  hardly[9].twist_tail = 1e-12;
  const test::Output a = run_shaped(sample, **joints, none), b = run_shaped(sample, **joints, hardly);
  for (std::size_t i = 0; i < 500; ++i) {
    EXPECT_LT((a.positions[i] - b.positions[i]).norm(), 2e-5f) << i;
    EXPECT_LT((a.normals[i] - b.normals[i]).norm(), 2e-4f) << i;
  }
}

TEST(JointBased, RefusesWhatItCannotUse) {
  test::Sample sample = test::random_sample(60, 4, 2, Motion::kRigid);
  EXPECT_EQ(build_joint_based(sample.rig).error().code, ErrorCode::kImpossible);
  sample.rig = test::with_joint_weights(sample.rig);
  EXPECT_EQ(build_joint_based(sample.rig, {.mix = 2}).error().code, ErrorCode::kUsage);
  Rig other = sample.rig;
  other.joint_weights.entries.front().joint = 4;
  EXPECT_EQ(build_joint_based(other).error().code, ErrorCode::kBadInput);
  other = sample.rig;
  other.joint_weights.offsets.pop_back();
  EXPECT_EQ(build_joint_based(other).error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace sinew
