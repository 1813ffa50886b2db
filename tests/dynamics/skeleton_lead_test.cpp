// SPDX-License-Identifier: Apache-2.0
#include "sinew/dynamics/skeleton_lead.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

namespace sinew {
namespace {

constexpr double kLeadPi = std::numbers::pi;

Quat about(const Vec3& axis, double degrees) {
  return Quat(Eigen::AngleAxisd(degrees * kLeadPi / 180, axis.normalized()));
}

// Two bones along x, from 0 to 1 and from 1 to 2, and vertices around them that follow one each.
struct TwoBones {
  Skeleton skeleton;
  std::vector<Vec3> heads = {Vec3::Zero(), Vec3::UnitX()};
  SkinWeights weights;
  std::vector<Vec3> points;

  TwoBones() {
    std::vector<Joint> joints(2);
    joints[0].name = "upper";
    joints[1].name = "lower";
    joints[1].parent = 0;
    joints[1].rest_local.translation() = Vec3::UnitX();
    skeleton = *Skeleton::create(joints);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (int i = 0; i < 60; ++i) {
      const bool lower = i % 2 == 1;
      points.push_back(
          Vec3((lower ? 1.5 : 0.5) + 0.5 * unit(random), 0.2 * unit(random), 0.2 * unit(random)));
      weights.add_row(std::vector<Influence>{{lower ? 1u : 0u, 1.0}});
    }
  }

  std::vector<Vec3> posed(const Quat& upper, const Quat& lower, const Vec3& shift) const {
    std::vector<Vec3> out;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool low = weights.row(i)[0].joint == 1;
      const Vec3 p = low ? Vec3(Vec3::UnitX() + lower * (points[i] - Vec3::UnitX())) : points[i];
      out.push_back(shift + upper * p);
    }
    return out;
  }
};

TEST(SkeletonLead, HalfWayIsTheSkeletonWithHalfTheAngles) {
  const TwoBones body;
  const auto shape = [&](double share) {
    return body.posed(about(Vec3(0, 0, 1), 120 * share), about(Vec3(0, 1, 0.3), -90 * share),
                      Vec3(share, 0, 2 * share));
  };
  const std::vector<Vec3> first = shape(0), last = shape(1);
  const std::vector<std::span<const Vec3>> shapes = {first, last};
  const auto lead = SkeletonLead::build(body.skeleton, body.heads, body.weights, shapes);
  ASSERT_TRUE(lead.ok());
  std::vector<DualQuat> frames(first.size());
  for (const double share : {0.0, 0.25, 0.5, 1.0}) {
    lead->frames(0, share, frames);
    const std::vector<Vec3> expected = shape(share);
    for (std::size_t i = 0; i < first.size(); ++i)
      EXPECT_LT((transform_point(frames[i], first[i]) - expected[i]).norm(), 1e-9) << share;
  }
}

TEST(SkeletonLead, FindsWhereAJointTurnsAlthoughItWasPutBesideIt) {
  TwoBones body;
  body.heads[1] += Vec3(0.1, 0.08, -0.05);
  const std::vector<Vec3> first = body.points,
                          second = body.posed(Quat::Identity(), about(Vec3::UnitZ(), 80), Vec3::Zero()),
                          third = body.posed(Quat::Identity(), about(Vec3::UnitY(), 80), Vec3::Zero());
  const std::vector<std::span<const Vec3>> shapes = {first, second, third};
  const auto lead = SkeletonLead::build(body.skeleton, body.heads, body.weights, shapes);
  ASSERT_TRUE(lead.ok());
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_LT((lead->places(s)[1] - Vec3::UnitX()).norm(), 0.01);
    EXPECT_NEAR((lead->places(s)[1] - lead->places(s)[0]).norm(), 1, 0.01);
  }
}

TEST(SkeletonLead, FromShapeToShapeNeverJumps) {
  // 170 degrees and again 170: more than half a turn between the joints' motions, and no shorter way is
  // taken.
  const TwoBones body;
  const std::vector<Vec3> first = body.points, last = body.posed(about(Vec3::UnitZ(), 170),
                                                                 about(Vec3::UnitZ(), 170), Vec3::Zero());
  SkinWeights blended;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double w = 0.97;
    const std::uint32_t own = body.weights.row(i)[0].joint;
    blended.add_row(std::vector<Influence>{{own, w}, {1 - own, 1 - w}});
  }
  const std::vector<std::span<const Vec3>> shapes = {first, last};
  const auto lead = SkeletonLead::build(body.skeleton, body.heads, blended, shapes);
  ASSERT_TRUE(lead.ok());
  std::vector<DualQuat> frames(first.size());
  std::vector<Vec3> before = first;
  for (int k = 1; k <= 200; ++k) {
    lead->frames(0, k / 200.0, frames);
    for (std::size_t i = 0; i < first.size(); ++i) {
      const Vec3 now = transform_point(frames[i], first[i]);
      EXPECT_LT((now - before[i]).norm(), 0.12) << k;
      before[i] = now;
    }
  }
}

TEST(SkeletonLead, RefusesSizesThatDoNotFit) {
  const TwoBones body;
  const std::vector<std::span<const Vec3>> shapes = {body.points, body.points};
  const std::vector<Vec3> one(1, Vec3::Zero());
  EXPECT_FALSE(SkeletonLead::build(body.skeleton, one, body.weights, shapes).ok());
  EXPECT_FALSE(SkeletonLead::build(body.skeleton, body.heads, body.weights, shapes, 2).ok());
  const std::vector<std::span<const Vec3>> short_one = {body.points, one};
  EXPECT_FALSE(SkeletonLead::build(body.skeleton, body.heads, body.weights, short_one).ok());
  SkinWeights far = body.weights;
  far.entries[0].joint = 9;
  EXPECT_FALSE(SkeletonLead::build(body.skeleton, body.heads, far, shapes).ok());
}

}  // namespace
}  // namespace sinew
