// SPDX-License-Identifier: Apache-2.0
#include "autorig/limb_tips.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

// A box of quads whose face at x = 1 has a finger in its middle: outward where `depth` is positive, else a
// hole.
PolyMesh box_with_finger(int cells, double depth) {
  PolyMesh box = test::box({-1, -1, -1}, {1, 1, 1}, cells);
  for (Vec3& p : box.positions) {
    const double r = p.tail<2>().norm();
    if (p.x() < 1 - 1e-9 || r > 0.5) continue;
    p.tail<2>() *= 0.5 + r;  // room for the walls
    p.x() += depth * std::clamp((0.5 - r) / 0.3, 0.0, 1.0);
  }
  return box;
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
    return p.tail<2>().norm() < 0.3 && std::abs(p.x() - (1 + depth)) < 0.3;
  });
}

TEST(LimbTips, AFingerIsALimbAndAHoleIsNone) {
  for (const int cells : {20, 60})  // each vertex a patch, and thinned
    for (const double depth : {1.2, 1.6}) {
      const PolyMesh finger = box_with_finger(cells, depth), hole = box_with_finger(cells, -depth);
      EXPECT_TRUE(has_tip_on_finger(finger, depth)) << cells << " " << depth;
      EXPECT_FALSE(has_tip_on_finger(hole, -depth)) << cells << " " << depth;
      // Inside out it is the other way round for none of them.
      EXPECT_TRUE(has_tip_on_finger(test::flipped(finger), depth)) << cells << " " << depth;
      EXPECT_FALSE(has_tip_on_finger(test::flipped(hole), -depth)) << cells << " " << depth;
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
