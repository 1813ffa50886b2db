// SPDX-License-Identifier: Apache-2.0
#include "autorig/poses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sinew::autorig {
namespace {

constexpr double kElbow = 3, kRadius = 0.3;

// A tube along x from 0 to 6, and the same bent about z to an arc around x = 3, as skin does.
struct Tube {
  std::vector<Vec3> rest, posed;
  TemplateData model;
  Match match;  // of the posed tube

  explicit Tube(double angle) {
    constexpr double kHalf = 0.5;  // of the arc
    const double bow = 2 * kHalf / angle;
    const auto bent = [&](const Vec3& p) {
      const double phi = angle * std::clamp((p.x() - kElbow + kHalf) / (2 * kHalf), 0.0, 1.0);
      const double straight = std::max(p.x() - kElbow - kHalf, std::min(p.x() - kElbow + kHalf, 0.0));
      const Vec3 along(std::cos(phi), std::sin(phi), 0), up(-std::sin(phi), std::cos(phi), 0);
      return Vec3(Vec3(kElbow - kHalf, bow, 0) + straight * along + (p.y() - bow) * up + Vec3(0, 0, p.z()));
    };
    Curve curve;
    for (int k = 0; k <= 60; ++k) {
      const Vec3 centre(0.1 * k, 0, 0);
      curve.points.push_back(bent(centre));
      curve.radii.push_back(kRadius);
      curve.levels.push_back(0.1 * k);
      for (int a = 0; a < 12; ++a) {
        const double phi = 2 * std::numbers::pi * a / 12;
        rest.push_back(centre + kRadius * Vec3(0, std::cos(phi), std::sin(phi)));
        posed.push_back(bent(rest.back()));
      }
    }
    curve.measure();
    TemplateJoint joint;
    joint.anchor.kind = Anchor::Kind::kLimb;
    model.joints = {joint};
    match.model = &model;
    match.parts.limbs.resize(1);
    match.parts.limbs[0].curve = curve;
  }

  PlacedJoint refined(double degrees_at_rest, double degrees_posed) const {
    std::vector<PlacedJoint> placed(1), other(1);
    placed[0].head = {2.2, 0, 0};
    placed[0].degrees = degrees_at_rest;
    other[0].head = match.parts.limbs[0].curve.at(kElbow);
    other[0].degrees = degrees_posed;
    refine_from_pose(rest, posed, match, other, placed);
    return placed[0];
  }
};

TEST(Poses, AJointGoesToTheRingThatTurns) {
  const PlacedJoint found = Tube(std::numbers::pi / 3).refined(0, 60);
  EXPECT_NEAR((found.head - Vec3(kElbow, 0, 0)).norm(), 0, 0.2 * kRadius);
  EXPECT_EQ(found.degrees, 60);
}

TEST(Poses, APoseThatTurnsNoMoreChangesNothing) {
  const PlacedJoint found = Tube(std::numbers::pi / 3).refined(58, 60);
  EXPECT_EQ(found.head, Vec3(2.2, 0, 0));
  EXPECT_EQ(found.degrees, 58);
}

}  // namespace
}  // namespace sinew::autorig
