// SPDX-License-Identifier: Apache-2.0
#include "autorig/long_tails.h"

#include <gtest/gtest.h>

namespace sinew::autorig {
namespace {

// A tail of two joints along x, from 0 to 4, and two ears that follow it in the list.
struct Tailed {
  TemplateData model;
  Match match;
  std::vector<PlacedJoint> placed;

  explicit Tailed(double radius, int image = 0) {
    model.two_sided = true;
    model.mirror_limbs = {image};
    add("Hips", -1, 0, {-1, 0, 0}, Anchor::Kind::kTrunk);
    add("Tail", 0, 1, {0, 0, 0}, Anchor::Kind::kLimb);
    add("Tail1", 1, 2, {2, 0, 0}, Anchor::Kind::kLimb);
    add("LeftEar", 0, 4, {-2, 0, 1}, Anchor::Kind::kMinor);
    add("RightEar", 0, 3, {-2, 0, -1}, Anchor::Kind::kMinor);
    placed[2].tail = Vec3(4, 0, 0);
    match.model = &model;
    match.parts.limbs.resize(1);
    Curve& tail = match.parts.limbs[0].curve;
    for (int k = 0; k <= 40; ++k) {
      tail.points.push_back({0.1 * k, 0, 0});
      tail.radii.push_back(radius);
      tail.levels.push_back(0.1 * k);
    }
    tail.measure();
  }
  void add(const char* name, int parent, int mirror, const Vec3& head, Anchor::Kind kind) {
    TemplateJoint joint;
    joint.name = name;
    joint.parent = parent;
    joint.mirror = mirror;
    joint.anchor.kind = kind;
    model.joints.push_back(joint);
    placed.emplace_back().head = head;
  }
  std::size_t find(const std::string& name) const {
    for (std::size_t j = 0; j < model.joints.size(); ++j)
      if (model.joints[j].name == name) return j;
    return model.joints.size();
  }
};

TEST(LongTails, BonesOfMoreThanFiveRadiiAreCutIntoEqualOnesAndNumberedAnew) {
  for (const auto& [radius, pieces] : {std::pair(0.3, 2), std::pair(0.15, 3)}) {
    Tailed body(radius);
    cut_long_tails(body.match, body.model, body.placed);
    const auto count = static_cast<std::size_t>(3 + 2 * pieces);
    ASSERT_EQ(body.model.joints.size(), count);
    ASSERT_EQ(body.placed.size(), count);
    std::size_t above = body.find("Hips");
    for (int k = 0; k < 2 * pieces; ++k) {
      const std::string name = k == 0 ? "Tail" : "Tail" + std::to_string(k);
      const std::size_t j = body.find(name);
      ASSERT_LT(j, count) << name;
      EXPECT_NEAR(body.placed[j].head.x(), 2.0 * k / pieces, 1e-9) << name;
      EXPECT_EQ(body.model.joints[j].parent, static_cast<int>(above)) << name;
      EXPECT_EQ(body.model.joints[j].mirror, static_cast<int>(j)) << name;
      EXPECT_EQ(body.placed[j].tail.has_value(), k == 2 * pieces - 1) << name;
      above = j;
    }
    const std::size_t left = body.find("LeftEar"), right = body.find("RightEar");
    EXPECT_EQ(body.model.joints[left].mirror, static_cast<int>(right));
    EXPECT_EQ(body.model.joints[right].mirror, static_cast<int>(left));
    EXPECT_EQ(body.model.joints[left].parent, 0);
  }
}

TEST(LongTails, StoutTailsAndLimbsBesideTheMiddleStayAsTheyAre) {
  Tailed stout(0.5), leg(0.1, -1);
  for (Tailed* body : {&stout, &leg}) {
    cut_long_tails(body->match, body->model, body->placed);
    EXPECT_EQ(body->model.joints.size(), 5u);
    EXPECT_EQ(body->model.joints[2].name, "Tail1");
  }
}

}  // namespace
}  // namespace sinew::autorig
