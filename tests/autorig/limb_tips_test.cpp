// SPDX-License-Identifier: Apache-2.0
#include "autorig/limb_tips.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

// A long body with a finger on its side, `depth` along y: a hole where that is negative.
PolyMesh body_with_finger(int around, double depth) {
  PolyMesh body = test::uv_sphere(Vec3::Zero(), 1, around, around / 2);
  for (Vec3& p : body.positions) {
    const double off = std::hypot(p.x() - 0.3, p.z());
    if (p.y() > 0) p.y() += depth / 1.5 * std::clamp((0.3 - off) / 0.08, 0.0, 1.0);
    p = p.cwiseProduct(Vec3(4, 1.5, 1.5));
  }
  return body;
}

std::vector<LimbTip> tips_of(const PolyMesh& mesh) {
  const HalfEdges edges(mesh);
  TipFinder finder(mesh, edges);
  return finder.find(0, {}).tips;
}

bool has_tip_on_finger(const PolyMesh& mesh, double depth) {
  const auto tips = tips_of(mesh);
  return std::any_of(tips.begin(), tips.end(), [&](const LimbTip& tip) {
    const Vec3& p = mesh.positions[tip.vertex];
    return std::hypot(p.x() - 1.2, p.z()) < 1 && std::abs(p.y() - (1.4 + depth)) < 0.3;
  });
}

TEST(LimbTips, AFingerIsALimbAndAHoleIsNone) {
  for (const int around : {60, 140})  // each vertex a cluster, and thinned
    for (const double depth : {2.4, 2.7}) {
      const PolyMesh finger = body_with_finger(around, depth), hole = body_with_finger(around, -depth);
      EXPECT_TRUE(has_tip_on_finger(finger, depth)) << around << " " << depth;
      EXPECT_FALSE(has_tip_on_finger(hole, -depth)) << around << " " << depth;
      EXPECT_TRUE(has_tip_on_finger(test::flipped(finger), depth)) << around << " " << depth;
      EXPECT_FALSE(has_tip_on_finger(test::flipped(hole), -depth)) << around << " " << depth;
    }
}

TEST(LimbTips, TheWayInwardEndsAtTheMiddle) {
  for (const int rings : {60, 400}) {
    const PolyMesh tube = test::capped_cylinder(1, 40, 24, rings);
    const HalfEdges edges(tube);
    TipFinder finder(tube, edges);
    const TipField field = finder.find(0, {});
    ASSERT_EQ(field.tips.size(), 2u) << rings;
    for (const LimbTip& tip : field.tips) {
      const double x = tube.positions[tip.vertex].x();
      EXPECT_LT(std::min(x, 40 - x), 2) << rings;
      double last = x, farthest = 0;
      for (WayInward way = finder.way_inward(tip.vertex); way.vertex() != kNone; way.next()) {
        const double now = tube.positions[way.vertex()].x();
        farthest = std::max(farthest, std::abs(now - last));
        last = now;
      }
      EXPECT_NEAR(last, 20, 8) << rings;
      EXPECT_LT(farthest, 2) << "no leaps, " << rings;
    }
  }
}

}  // namespace
}  // namespace sinew::autorig
