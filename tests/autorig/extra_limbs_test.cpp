// SPDX-License-Identifier: Apache-2.0
#include "autorig/extra_limbs.h"

#include <gtest/gtest.h>

#include <map>

#include "sinew/autorig/find_skeleton.h"
#include "sinew/skeleton/pose.h"
#include "support/shapes.h"

namespace sinew::autorig {
namespace {

// A body along z with a fin on either side and one on its back.
PolyMesh fish() {
  return test::joined(
      {test::capsule({0, 0, -3}, {0, 0, 3}, 0.3), test::capsule({0, 0, 0.8}, {1.6, -0.3, 0.4}, 0.12),
       test::capsule({0, 0, 0.8}, {-1.6, -0.3, 0.4}, 0.12), test::capsule({0, 0, 0}, {0, 1.4, -0.6}, 0.12)});
}

TEST(ExtraLimbs, FinsOfAChainGetBonesOfTheirOwn) {
  const auto snake = built_in_template("snake");
  ASSERT_TRUE(snake.ok()) << snake.error().message;
  FindOptions options;
  options.most_cost = options.most_chain_cost = 1.2;
  const auto found = find_skeleton(fish(), {&*snake, 1}, options);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->name, "snake");
  EXPECT_TRUE(found->symmetric);
  const auto globals = global_transforms(found->skeleton, rest_pose(found->skeleton).local);
  std::map<std::string, Vec3> at;
  for (std::size_t j = 0; j < found->skeleton.size(); ++j) {
    at[found->skeleton[j].name] = globals[j].translation();
    if (found->skeleton[j].name.find("Limb") == std::string::npos) {
      EXPECT_NEAR(globals[j].translation().x(), 0, 0.03) << "the spine is in the middle";
    }
  }
  int left = 0, single = 0;
  for (const auto& [name, p] : at) {
    if (name.starts_with("Limb")) ++single;
    if (!name.starts_with("LeftLimb")) continue;
    ++left;
    ASSERT_TRUE(at.contains("Right" + name.substr(4))) << name;
    const Vec3& q = at["Right" + name.substr(4)];
    EXPECT_NEAR(p.x(), -q.x(), 0.03);
    EXPECT_GT(p.x(), 0.2);
    EXPECT_NEAR(p.z(), q.z(), 0.03);
  }
  EXPECT_GE(left, 1);
  EXPECT_GE(single, 1) << "the fin on the back";
}

// A flat fin: thin across `thin`.
PolyMesh fin(const Vec3& base, const Vec3& tip, double chord, int thin) {
  PolyMesh mesh = test::capsule(Vec3::Zero(), tip - base, chord);
  const Vec3 along = (tip - base).normalized();
  for (Vec3& p : mesh.positions) {
    const Vec3 middle = p.dot(along) * along;
    p[thin] = middle[thin] + (p - middle)[thin] / 4;
    p += base;
  }
  return mesh;
}

// Seen from nose and tail a fin that lies back is no limb: its tip is hardly farther than the body beside it. Nor may the
// one on the back draw the spine up.
TEST(ExtraLimbs, FinsThatAreSweptBackHaveABoneEachAndTheSpineStaysStraight) {
  const PolyMesh shark = test::joined(
      {test::capsule({0, 0, -3.5}, {0, 0, 3.5}, 0.55), fin({0.3, -0.2, 1.6}, {1.5, -0.5, 0.3}, 0.4, 1),
       fin({-0.3, -0.2, 1.6}, {-1.5, -0.5, 0.3}, 0.4, 1), fin({0, 0.3, 0.7}, {0, 1.7, -0.8}, 0.5, 0)});
  const auto snake = built_in_template("snake");
  ASSERT_TRUE(snake.ok()) << snake.error().message;
  FindOptions options;
  options.most_cost = options.most_chain_cost = 1.2;
  const auto found = find_skeleton(shark, {&*snake, 1}, options);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->name, "snake");
  const auto globals = global_transforms(found->skeleton, rest_pose(found->skeleton).local);
  std::map<std::string, Vec3> ends;
  for (std::size_t j = 0; j < found->skeleton.size(); ++j) {
    const Joint& joint = found->skeleton[j];
    if (joint.name.find("Limb") == std::string::npos) {
      EXPECT_LT(globals[j].translation().head<2>().norm(), 0.12) << joint.name;
    } else {
      ASSERT_TRUE(joint.tail) << joint.name;
      ends[joint.name] = globals[j] * *joint.tail;
    }
  }
  ASSERT_EQ(ends.size(), 3u);
  for (const auto& [name, p] : ends) {
    const double side = name.starts_with("Left") ? 1 : name.starts_with("Right") ? -1 : 0;
    const Vec3 tip = side == 0 ? Vec3(0, 1.7, -0.8) : Vec3(side * 1.5, -0.5, 0.3);
    EXPECT_LT((p - tip).norm(), 0.6) << name << ' ' << p.transpose();
  }
}

// The tongue is the longest way, and no head.
TEST(ExtraLimbs, AChainBeginsInTheHeadAndTheTongueHangsOnIt) {
  const PolyMesh snake_mesh = test::joined({test::capsule({0, 0, -5}, {0, 0, 2}, 0.35),
                                            test::capsule({0, 0.15, 2}, {0, 0.5, 3.2}, 0.25),
                                            test::capsule({0, -0.1, 2}, {0, -0.1, 4}, 0.05)});
  const auto snake = built_in_template("snake");
  ASSERT_TRUE(snake.ok()) << snake.error().message;
  FindOptions options;
  options.most_cost = options.most_chain_cost = 1.2;
  const auto found = find_skeleton(snake_mesh, {&*snake, 1}, options);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->name, "snake");
  const auto globals = global_transforms(found->skeleton, rest_pose(found->skeleton).local);
  std::size_t on_tongue = 0;
  for (std::size_t j = 0; j < found->skeleton.size(); ++j) {
    const Joint& joint = found->skeleton[j];
    const Vec3 p = globals[j].translation();
    if (joint.name.starts_with("Limb")) {
      EXPECT_LT(std::abs(p.y() + 0.1), 0.15) << joint.name;
      ++on_tongue;
    } else if (p.z() > 2.8) {
      EXPECT_GT(p.y(), 0.2) << joint.name;
    }
    const double above =
        joint.parent < 0 ? 0 : globals[static_cast<std::size_t>(joint.parent)].translation().z();
    if (joint.name == "Limb1_1") {
      EXPECT_LT(above, 2.9);
    }
    if (joint.name == "Head") {
      EXPECT_GT(p.z(), 2.5);
    }
  }
  EXPECT_GE(on_tongue, 1u);
}

}  // namespace
}  // namespace sinew::autorig
