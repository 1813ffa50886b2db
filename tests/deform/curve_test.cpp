// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/curve.h"

#include <gtest/gtest.h>

#include "deform/methods.h"
#include "deform/rig_samples.h"

namespace sinew {
namespace {

// A straight tail along x of three bones of length 1 with rings of vertices, each on the bone that it lies
// at.
struct Tail {
  test::Sample sample;
  std::vector<BoneShape> bones = std::vector<BoneShape>(3);

  Tail() {
    sample.rig.skeleton = test::chain(3, Vec3(1, 0, 0));
    for (int ring = 0; ring <= 60; ++ring)
      for (int k = 0; k < 6; ++k) {
        const double x = ring / 20.0, angle = k * std::numbers::pi / 3;
        const auto bone = static_cast<std::uint32_t>(std::min(2, ring / 20));
        test::add_vertex(sample, Vec3(x, 0.1 * std::cos(angle), 0.1 * std::sin(angle)),
                         Vec3(0, std::cos(angle), std::sin(angle)), {{bone, 1.0}});
        sample.rig.endpoint.values.push_back(static_cast<float>(std::clamp(x - bone, 0.0, 1.0)));
      }
    sample.rig.endpoint.method = "projection";
    test::bind(sample);
  }
  void bend(double angle) {
    std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
    for (std::size_t j = 1; j < 3; ++j) local[j].rotate(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
    test::set_pose(sample, local);
  }
  test::Output run(const CurveOptions& options) const {
    auto deformer = build_curve(sample.rig, options);
    EXPECT_TRUE(deformer.ok());
    test::Output out{std::vector<Vec3f>(sample.positions.size()),
                     std::vector<Vec3f>(sample.positions.size())};
    FrameInput input = sample.input();
    input.bones = bones;
    const auto workspace = (*deformer)->make_workspace();
    (*deformer)->deform(input, *workspace, out.positions, out.normals);
    return out;
  }
};

TEST(Curve, OneSegmentIsThePlainBone) {
  Tail tail;
  tail.bend(0.8);
  test::Expected expected(tail.sample);
  reference_lbs(tail.sample.rig, tail.sample.input(), expected.out());
  test::expect_near(tail.run({.segments = 1}), expected);
}

TEST(Curve, RestIsTheIdentityAlsoWhereBonesAreBent) {
  test::Sample sample = test::random_sample(300, 9, 4, test::Motion::kRigid);
  sample.rig = test::with_endpoints(sample.rig);
  test::bind(sample);
  const test::Output out = test::run(build_curve(sample.rig), sample);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_LT((out.positions[i] - sample.positions[i]).norm(), 1e-5f);
}

// A twist of a joint is spread over the bones at both sides of it: no ring is narrower than before, whereas
// linear blending of plain bones that are 170 degrees apart closes the tube to cos(85 degrees) of its radius.
TEST(Curve, ATwistIsSpreadAndCollapsesNothing) {
  Tail tail;
  // Skin weights that go over from one bone to the next around the joint at x = 1, as real ones do.
  tail.sample.rig.weights = {};
  tail.sample.rig.endpoint.values.clear();
  for (const Vec3& p : tail.sample.rig.mesh.positions) {
    const double share = std::clamp((p.x() - 0.5) / 1.0, 0.0, 1.0);
    const Influence row[] = {{0, 1 - share}, {1, share}};
    tail.sample.rig.weights.add_row(row);
    for (const Influence& one : tail.sample.rig.weights.row(tail.sample.rig.weights.vertex_count() - 1))
      tail.sample.rig.endpoint.values.push_back(
          static_cast<float>(std::clamp(p.x() - static_cast<double>(one.joint), 0.0, 1.0)));
  }
  std::vector<Affine3> local = rest_pose(tail.sample.rig.skeleton).local;
  local[1].rotate(Eigen::AngleAxisd(170 * std::numbers::pi / 180, Vec3::UnitX()));
  test::set_pose(tail.sample, local);
  const auto narrowest = [](const test::Output& out) {
    double least = 1;
    for (const Vec3f& p : out.positions) least = std::min(least, std::hypot(double(p.y()), double(p.z())));
    return least / 0.1;
  };
  EXPECT_LT(narrowest(tail.run({.segments = 1})), 0.1);
  EXPECT_GT(narrowest(tail.run({.segments = 8})), 0.85);
  EXPECT_GT(narrowest(tail.run({.segments = 32})), 0.85);
}

// A joint that is scaled scales its flesh, at any number of segments.
TEST(Curve, TheScaleOfAJointGoesAlong) {
  Tail tail;
  std::vector<Affine3> local = rest_pose(tail.sample.rig.skeleton).local;
  local[0].scale(Vec3(1, 2, 0.5));
  test::set_pose(tail.sample, local);
  test::Expected expected(tail.sample);
  reference_lbs(tail.sample.rig, tail.sample.input(), expected.out());
  test::expect_near(tail.run({.segments = 1}), expected);
  test::expect_near(tail.run({.segments = 6}), expected);
}

// Turns between neighbouring rings: a plain bone has them all at the joints, a curve spreads them.
TEST(Curve, SpreadsTheBendAlongTheBones) {
  Tail tail;
  tail.bend(0.9);
  const auto sharpest = [](const test::Output& out) {
    std::vector<Vec3> centres;
    for (std::size_t ring = 0; ring <= 60; ++ring) {
      Vec3 sum = Vec3::Zero();
      for (std::size_t k = 0; k < 6; ++k) sum += out.positions[6 * ring + k].cast<double>() / 6;
      centres.push_back(sum);
    }
    double most = 0;
    for (std::size_t r = 2; r + 2 < centres.size(); ++r) {
      const Vec3 a = centres[r] - centres[r - 2], b = centres[r + 2] - centres[r];
      most = std::max(most, std::acos(std::clamp(a.normalized().dot(b.normalized()), -1.0, 1.0)));
    }
    return most;
  };
  EXPECT_GT(sharpest(tail.run({.segments = 1})), 0.7);
  EXPECT_LT(sharpest(tail.run({.segments = 8})), 0.35);
}

TEST(Curve, GoesThroughTheJoints) {
  Tail tail;
  tail.bend(0.9);
  test::add_vertex(tail.sample, Vec3(1, 0, 0), Vec3::UnitY(), {{0, 1.0}});
  tail.sample.rig.endpoint.values.push_back(1.0f);
  const Vec3 joint = tail.sample.globals[1].translation();
  // Beyond the middle of the last segment a vertex is rigid with it: half a segment from the joint, near
  // enough.
  EXPECT_LT((tail.run({.segments = 32}).positions.back().cast<double>() - joint).norm(), 0.01);
}

TEST(Curve, RollTurnsTheSegmentsOneByOne) {
  Tail tail;
  tail.bones[1].twist_tail = 2.0;
  const test::Output out = tail.run({.segments = 16});
  const auto turned = [&](std::size_t ring) {
    const Vec3 rest = tail.sample.positions[6 * ring].cast<double>(),
               p = out.positions[6 * ring].cast<double>();
    return std::atan2(rest.y() * p.z() - rest.z() * p.y(), rest.tail<2>().dot(p.tail<2>()));
  };
  EXPECT_NEAR(turned(10), 0, 1e-6);
  EXPECT_NEAR(turned(30), 1.0, 0.08);
  EXPECT_NEAR(turned(25), 0.5, 0.08);
}

TEST(Curve, RefusesWhatItCannotUse) {
  Tail tail;
  EXPECT_EQ(build_curve(tail.sample.rig, {.segments = 0}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(build_curve(tail.sample.rig, {.ease = -1}).error().code, ErrorCode::kUsage);
  tail.sample.rig.endpoint = {};
  EXPECT_EQ(build_curve(tail.sample.rig).error().code, ErrorCode::kImpossible);
}

}  // namespace
}  // namespace sinew
