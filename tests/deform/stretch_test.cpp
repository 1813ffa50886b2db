// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/stretch.h"

#include <gtest/gtest.h>

#include "deform/rig_samples.h"
#include "sinew/deform/dqs.h"
#include "sinew/deform/lbs.h"

namespace sinew {
namespace {

using test::Motion;

// A pose with stretched, turned and twisted bones.
struct Shaped {
  test::Sample sample;
  std::vector<BoneShape> bones;
  FrameInput input() const {
    FrameInput input = sample.input();
    input.bones = bones;
    return input;
  }
};

void add_endpoints(Rig& rig, unsigned seed) {
  std::mt19937 random(seed);
  rig.endpoint.method = "random";
  for (std::size_t k = 0; k < rig.weights.entries.size(); ++k)
    rig.endpoint.values.push_back(static_cast<float>(test::uniform(random, 0, 1)));
}

Shaped random_shaped(Motion motion, bool twisted) {
  Shaped shaped{test::random_sample(1003, 12, 5, motion), {}};
  add_endpoints(shaped.sample.rig, 3);
  std::mt19937 random(9);
  std::vector<Affine3> local = rest_pose(shaped.sample.rig.skeleton).local;
  for (Affine3& transform : local) {
    transform.translation() *= test::uniform(random, 0.6, 1.8);
    transform.rotate(
        Eigen::AngleAxisd(test::uniform(random, -0.5, 0.5), test::random_vector(random).normalized()));
    if (motion == Motion::kStretched) transform.scale(Vec3(test::uniform(random, 0.8, 1.2), 1.1, 1));
  }
  test::set_pose(shaped.sample, local);
  shaped.bones.resize(12);
  for (BoneShape& shape : shaped.bones) {
    shape.stretch = test::uniform(random, 0.5, 2);
    if (!twisted) continue;
    shape.twist_head = test::uniform(random, -9, 9);
    shape.twist_tail = test::uniform(random, -9, 9);
  }
  return shaped;
}

test::Output run(const Shaped& shaped, StretchForm form) {
  auto deformer = build_stretch(shaped.sample.rig, form);
  EXPECT_TRUE(deformer.ok());
  const std::size_t n = shaped.sample.positions.size();
  test::Output out{std::vector<Vec3f>(n), std::vector<Vec3f>(n)};
  const auto workspace = (*deformer)->make_workspace();
  (*deformer)->deform(shaped.input(), *workspace, out.positions, out.normals);
  return out;
}

class StretchForms : public testing::TestWithParam<StretchForm> {};
INSTANTIATE_TEST_SUITE_P(Forms, StretchForms,
                         testing::Values(StretchForm::kLinear, StretchForm::kDualQuaternion));

TEST_P(StretchForms, AreTheDoublePrecisionFormulas) {
  for (const Motion motion : {Motion::kRigid, Motion::kStretched})
    for (const bool twisted : {false, true}) {
      if (motion == Motion::kStretched && twisted && GetParam() == StretchForm::kLinear) continue;
      const Shaped shaped = random_shaped(motion, twisted);
      test::Expected expected(shaped.sample);
      reference_stretch(shaped.sample.rig, shaped.input(), GetParam(), expected.out());
      test::expect_near(run(shaped, GetParam()), expected);
    }
}

TEST_P(StretchForms, WithoutStretchAndTwistAreLbsAndDqs) {
  Shaped shaped{test::random_sample(500, 8, 4, Motion::kRigid), {}};
  add_endpoints(shaped.sample.rig, 5);
  const test::Output out = run(shaped, GetParam());
  test::Expected expected(shaped.sample);
  if (GetParam() == StretchForm::kLinear)
    reference_lbs(shaped.sample.rig, shaped.sample.input(), expected.out());
  else
    reference_dqs(shaped.sample.rig, shaped.sample.input(), expected.out());
  // The last bone has no joint at its end, the others end where the next one is: none is stretched.
  test::expect_near(out, expected);
}

// A cylinder along x round one bone from 0 to 2, with a joint at its end; endpoint weights by projection.
Shaped cylinder() {
  Shaped shaped;
  Rig& rig = shaped.sample.rig;
  rig.skeleton = test::chain(2, Vec3(2, 0, 0));
  for (int ring = -4; ring <= 14; ++ring)
    for (int k = 0; k < 8; ++k) {
      const double x = 0.2 * ring, angle = k * std::numbers::pi / 4;
      test::add_vertex(shaped.sample, Vec3(x, 0.3 * std::cos(angle), 0.3 * std::sin(angle)),
                       Vec3(0, std::cos(angle), std::sin(angle)), {{0, 1.0}});
      rig.endpoint.values.push_back(static_cast<float>(std::clamp(x / 2, 0.0, 1.0)));
    }
  rig.endpoint.method = "projection";
  test::bind(shaped.sample);
  shaped.bones.resize(2);
  return shaped;
}

TEST_P(StretchForms, BeyondTheEndsTheOffsetIsConstant) {
  Shaped shaped = cylinder();
  std::vector<Affine3> local = rest_pose(shaped.sample.rig.skeleton).local;
  local[1].translation() = Vec3(5, 0, 0);  // the joint is dragged away
  test::set_pose(shaped.sample, local);
  const test::Output out = run(shaped, GetParam());
  for (std::size_t i = 0; i < out.positions.size(); ++i) {
    const Vec3 rest = shaped.sample.positions[i].cast<double>(), p = out.positions[i].cast<double>();
    const double e = std::clamp(rest.x() / 2, 0.0, 1.0);
    EXPECT_NEAR(p.x() - rest.x(), 3 * e, 1e-5);
    EXPECT_NEAR(p.y(), rest.y(), 1e-5);
    EXPECT_NEAR(p.z(), rest.z(), 1e-5);
  }
}

TEST_P(StretchForms, TheTailGoesWhereItsJointIs) {
  Shaped shaped = cylinder();
  test::add_vertex(shaped.sample, Vec3(2, 0, 0), Vec3::UnitY(), {{0, 1.0}});
  shaped.sample.rig.endpoint.values.push_back(1.0f);
  std::vector<Affine3> local = rest_pose(shaped.sample.rig.skeleton).local;
  local[0].rotate(Eigen::AngleAxisd(0.7, Vec3(1, 1, 1).normalized()));
  local[1].translation() = Vec3(1.5, 2, -1);
  test::set_pose(shaped.sample, local);
  const Vec3 tail = shaped.sample.globals[1].translation();
  EXPECT_LT((run(shaped, GetParam()).positions.back().cast<double>() - tail).norm(), 1e-5);
}

TEST_P(StretchForms, TwistIsLinearAlongTheBoneAndKeepsTheRadius) {
  for (const double turns : {0.5, 1.0, 3.25}) {  // more than one turn does not flip
    Shaped shaped = cylinder();
    shaped.bones[0].twist_head = -0.4;
    shaped.bones[0].twist_tail = 2 * std::numbers::pi * turns;
    const test::Output out = run(shaped, GetParam());
    for (std::size_t i = 0; i < out.positions.size(); ++i) {
      const Vec3 rest = shaped.sample.positions[i].cast<double>(), p = out.positions[i].cast<double>();
      const double e = std::clamp(rest.x() / 2, 0.0, 1.0);
      const double wanted = (1 - e) * -0.4 + e * 2 * std::numbers::pi * turns;
      const double turned = std::atan2(rest.y() * p.z() - rest.z() * p.y(), rest.tail<2>().dot(p.tail<2>()));
      EXPECT_NEAR(std::remainder(turned - wanted, 2 * std::numbers::pi), 0, 1e-4);
      EXPECT_NEAR(p.tail<2>().norm(), 0.3, 1e-5);
      EXPECT_NEAR(p.x(), rest.x(), 1e-5);
    }
  }
}

TEST_P(StretchForms, TwistMayRunOtherwiseThanStretch) {
  Shaped shaped = cylinder();
  for (const float e : shaped.sample.rig.endpoint.values) shaped.sample.rig.endpoint.twist.push_back(e * e);
  shaped.bones[0].twist_tail = 2;
  std::vector<Affine3> local = rest_pose(shaped.sample.rig.skeleton).local;
  local[1].translation() = Vec3(3, 0, 0);
  test::set_pose(shaped.sample, local);
  const test::Output out = run(shaped, GetParam());
  for (std::size_t i = 0; i < out.positions.size(); ++i) {
    const Vec3 rest = shaped.sample.positions[i].cast<double>(), p = out.positions[i].cast<double>();
    const double e = std::clamp(rest.x() / 2, 0.0, 1.0);
    const double turned = std::atan2(rest.y() * p.z() - rest.z() * p.y(), rest.tail<2>().dot(p.tail<2>()));
    EXPECT_NEAR(std::remainder(turned - 2 * e * e, 2 * std::numbers::pi), 0, 1e-4);
    EXPECT_NEAR(p.x() - rest.x(), e, 1e-5);
  }
}

// The same code in the plane: a flat figure that foreshortens stays flat.
TEST_P(StretchForms, FlatFiguresStayFlat) {
  Shaped shaped;
  shaped.sample.rig.skeleton = test::chain(3, Vec3(1, 0, 0));
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i) {
    const Vec3 p(test::uniform(random, -0.5, 3), test::uniform(random, -0.4, 0.4), 0);
    const double w = test::uniform(random, 0, 1);
    test::add_vertex(shaped.sample, p, Vec3::UnitZ(), {{0, w}, {1, 1 - w}});
  }
  add_endpoints(shaped.sample.rig, 4);
  test::bind(shaped.sample);
  std::vector<Affine3> local = rest_pose(shaped.sample.rig.skeleton).local;
  local[1].rotate(Eigen::AngleAxisd(0.9, Vec3::UnitZ()));
  local[1].translation() *= 0.4;
  local[2].translation() *= 1.7;
  test::set_pose(shaped.sample, local);
  for (const Vec3f& p : run(shaped, GetParam()).positions) EXPECT_NEAR(p.z(), 0, 1e-6);
}

TEST(Stretch, NeedsEndpointWeights) {
  const test::Sample sample = test::random_sample(60, 4, 2, Motion::kRigid);
  EXPECT_EQ(build_stretch(sample.rig, StretchForm::kLinear).error().code, ErrorCode::kImpossible);
}

}  // namespace
}  // namespace sinew
