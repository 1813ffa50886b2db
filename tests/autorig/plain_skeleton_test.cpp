// SPDX-License-Identifier: Apache-2.0
#include "autorig/plain_skeleton.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "sinew/autorig/find_skeleton.h"
#include "sinew/skeleton/pose.h"
#include "support/shapes.h"

namespace sinew::autorig {
namespace {

FoundSkeleton found_in(const PolyMesh& mesh) {
  FindOptions options;
  options.plain = true;
  auto found = find_skeleton(mesh, {}, options);
  EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.error().message);
  return found.ok() ? *found : FoundSkeleton{};
}

// Where loose triangles touch at corners only, limbs have no curve, and so may the trunk.
TEST(PlainSkeleton, LooseTrianglesGetFiniteJointsOrNone) {
  std::mt19937 random(31);
  int found_some = 0;
  for (int trial = 0; trial < 40; ++trial) {
    PolyMesh soup;
    for (int v = 0; v < 14; ++v) soup.positions.emplace_back(random() % 4, random() % 8, random() % 4);
    for (int f = 0; f < 8; ++f) {
      const auto corner = [&] { return static_cast<std::uint32_t>(random() % 14); };
      const std::uint32_t a = corner(), b = corner(), c = corner();
      if (a != b && b != c && c != a) soup.add_face(std::vector<std::uint32_t>{a, b, c});
    }
    FindOptions options;
    options.plain = true;
    const auto found = find_skeleton(soup, {}, options);
    if (!found.ok()) continue;
    found_some += !found->skeleton.empty();
    for (const Affine3& one : global_transforms(found->skeleton, rest_pose(found->skeleton).local))
      EXPECT_TRUE(one.matrix().allFinite()) << trial;
  }
  EXPECT_GT(found_some, 0);
}

// A ball with eight bent legs, four on either side of x = 0, none of them like its neighbour, and a tail.
PolyMesh spider() {
  std::vector<PolyMesh> parts = {test::uv_sphere(Vec3::Zero(), 0.5),
                                 test::capsule({0, 0, 0}, {0, 0, -1.6}, 0.12)};
  for (const double side : {-1.0, 1.0})
    for (int leg = 0; leg < 4; ++leg) {
      const double z = 0.55 * leg - 0.7;
      const Vec3 knee(side * (1.1 + 0.1 * leg), 0.6, 1.5 * z), foot(side * (1.9 + 0.1 * leg), -0.5, 2 * z);
      parts.push_back(test::capsule({0, 0, 0.3 * z}, knee, 0.09));
      parts.push_back(test::capsule(knee, foot, 0.08));
    }
  return test::joined(parts);
}

TEST(PlainSkeleton, EightLegsGetBonesThatBendAtTheirKneesAndAreImages) {
  const FoundSkeleton found = found_in(spider());
  EXPECT_EQ(found.name, "none");
  EXPECT_LT(found.confidence, 0.5);
  EXPECT_TRUE(found.symmetric);
  const auto globals = global_transforms(found.skeleton, rest_pose(found.skeleton).local);
  std::map<std::string, Vec3> at;
  std::set<std::string> limbs;
  int roots = 0;
  for (std::size_t j = 0; j < found.skeleton.size(); ++j) {
    const std::string& name = found.skeleton[j].name;
    at[name] = globals[j].translation();
    limbs.insert(name.substr(0, name.find('_')));
    roots += found.skeleton[j].parent < 0;
  }
  EXPECT_EQ(roots, 1);
  EXPECT_EQ(at.size(), found.skeleton.size()) << "names are all different";
  int pairs = 0;
  for (const std::string& limb : limbs)
    pairs += limb.starts_with("Left") && limbs.contains("Right" + limb.substr(4));
  EXPECT_EQ(pairs, 4);
  int compared = 0;
  for (const auto& [name, p] : at)
    if (name.starts_with("Left")) {
      const Vec3& q = at["Right" + name.substr(4)];
      EXPECT_NEAR(p.x(), -q.x(), 0.02) << name;
      EXPECT_NEAR(p.y(), q.y(), 0.02) << name;
      EXPECT_NEAR(p.z(), q.z(), 0.02) << name;
      EXPECT_GT(p.x(), 0) << "left is where x is positive, as the body looks along z: " << name;
      ++compared;
    }
  EXPECT_GE(compared, 8);
  for (const double side : {-1.0, 1.0})
    for (int leg = 0; leg < 4; ++leg) {
      const Vec3 knee(side * (1.1 + 0.1 * leg), 0.6, 1.5 * (0.55 * leg - 0.7));
      double nearest = 1;
      for (const auto& [name, p] : at) nearest = std::min(nearest, (p - knee).norm());
      EXPECT_LT(nearest, 0.15) << leg;
    }
}

TEST(PlainSkeleton, LegsEndInFeetAndMeetInTheMiddleOfTheBody) {
  const FoundSkeleton found = found_in(spider());
  const auto globals = global_transforms(found.skeleton, rest_pose(found.skeleton).local);
  std::map<std::string, int> count;
  for (std::size_t j = 0; j < found.skeleton.size(); ++j) {
    const std::string& name = found.skeleton[j].name;
    if (name == "Root") {
      EXPECT_LT(globals[j].translation().norm(), 0.25) << "of a ball of radius 0.5";
    }
    if (name.find("Limb") != std::string::npos) ++count[name.substr(0, name.find('_'))];
  }
  int legs = 0;
  for (const auto& [name, joints] : count)
    if (name.starts_with("Left") || name.starts_with("Right")) {
      EXPECT_EQ(joints, 4) << name << ": the shin is longer than half of the leg, and cut in two";
      ++legs;
    }
  EXPECT_EQ(legs, 8);
  for (const double side : {-1.0, 1.0})
    for (int leg = 0; leg < 4; ++leg) {
      const Vec3 foot(side * (1.9 + 0.1 * leg), -0.5, 2 * (0.55 * leg - 0.7));
      double nearest = 1;
      for (const Affine3& one : globals) nearest = std::min(nearest, (one.translation() - foot).norm());
      EXPECT_LT(nearest, 0.15) << leg;
    }
}

TEST(PlainSkeleton, LimbsBeginInsideTheBodyAndFeelersAreOneBone) {
  std::vector<PolyMesh> parts = {test::uv_sphere(Vec3::Zero(), 0.5),
                                 test::capsule({0, 0, 0}, {0, 0, -2}, 0.15)};
  for (const double side : {-1.0, 1.0}) {
    const Vec3 bend(0.3 * side, 0.35, 0.65), end(0.45 * side, 0.05, 0.7);
    parts.push_back(test::capsule({0, 0, 0}, {2.8 * side, 0, 0}, 0.12));
    parts.push_back(test::capsule({0.1 * side, 0.1, 0.3}, bend, 0.04));
    parts.push_back(test::capsule(bend, end, 0.04));
  }
  const FoundSkeleton found = found_in(test::joined(parts));
  const auto globals = global_transforms(found.skeleton, rest_pose(found.skeleton).local);
  int on_feelers = 0, arms = 0;
  for (std::size_t j = 0; j < found.skeleton.size(); ++j) {
    const Vec3 p = globals[j].translation();
    on_feelers += p.z() > 0.35 && p.y() > 0.05 && std::abs(p.x()) > 0.03;
    if (!found.skeleton[j].name.ends_with("Limb1_1")) continue;
    EXPECT_LT(std::abs(p.x()), 0.68) << "the seam is at 0.73";
    ++arms;
  }
  EXPECT_EQ(arms, 2);
  EXPECT_EQ(on_feelers, 2) << "one joint each, though they bend";
}

// An insect: a body with six legs, a waist, and a head with two feelers nearly as long as the legs.
PolyMesh insect(double feeler_radius, double feeler_end) {
  std::vector<PolyMesh> parts = {
      test::uv_sphere(Vec3::Zero(), 0.45), test::capsule({0, 0, 0}, {0, 0, -2}, 0.35),
      test::capsule({0, 0, 0}, {0, 0, 0.9}, 0.18), test::uv_sphere({0, 0, 1.1}, 0.3)};
  for (const double side : {-1.0, 1.0}) {
    for (int leg = 0; leg < 3; ++leg) {
      const Vec3 knee(side * (0.9 + 0.1 * leg), 0.3, 0.5 * leg - 0.6),
          foot(side * 1.6, -0.6, 0.8 * leg - 0.8);
      parts.push_back(test::capsule({0, 0, 0.2 * leg - 0.2}, knee, 0.06));
      parts.push_back(test::capsule(knee, foot, 0.06));
    }
    const Vec3 bend(side * 0.6, 0.6, 1.6);
    parts.push_back(test::capsule({0, 0, 1.1}, bend, feeler_radius));
    parts.push_back(test::capsule(bend, {side * 0.8, feeler_end, 2.4}, feeler_radius));
  }
  return test::joined(parts);
}

// Joints on the pair that the head has; legs end before it.
int joints_beside_the_head(const FoundSkeleton& found) {
  const auto globals = global_transforms(found.skeleton, rest_pose(found.skeleton).local);
  int beside = 0;
  for (std::size_t j = 0; j < found.skeleton.size(); ++j)
    beside += globals[j].translation().z() > 0.9 &&
              found.skeleton[j].name.find("Limb") != std::string::npos &&
              !found.skeleton[j].name.starts_with("Limb");
  return beside;
}

TEST(PlainSkeleton, ThinPairsOnAHeadAreOneBoneHoweverLongTheyAre) {
  EXPECT_EQ(joints_beside_the_head(found_in(insect(0.04, 0.3))), 2) << "feelers";
  EXPECT_GT(joints_beside_the_head(found_in(insect(0.13, 0.3))), 2) << "limbs that bend";
  EXPECT_GT(joints_beside_the_head(found_in(insect(0.04, -0.6))), 4) << "legs that bend: they stand";
}

double nearest_end(const FoundSkeleton& found, const Vec3& p) {
  const auto globals = global_transforms(found.skeleton, rest_pose(found.skeleton).local);
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < globals.size(); ++j)
    if (found.skeleton[j].tail)
      nearest = std::min(nearest, (globals[j] * *found.skeleton[j].tail - p).norm());
  return nearest;
}

// A straight bone leaves a bent feeler on its way, and ends at its tip all the same.
TEST(PlainSkeleton, BonesOfBentLimbsEndAtTheirTips) {
  const FoundSkeleton found = found_in(insect(0.04, 0.3));
  for (const double side : {-1.0, 1.0}) EXPECT_LT(nearest_end(found, {side * 0.8, 0.3, 2.4}), 0.08);
}

TEST(PlainSkeleton, AWingIsOneBoneAndAnArmOfTheSameLengthIsTwo) {
  for (const bool flat : {true, false}) {
    std::vector<PolyMesh> parts = {test::uv_sphere(Vec3::Zero(), 0.5),
                                   test::capsule({0, 0, 0}, {0, 0, -2}, 0.15),
                                   test::capsule({0, 0, 0}, {0, -0.2, 1.6}, 0.2)};
    for (const double side : {-1.0, 1.0}) {
      PolyMesh limb = test::capsule({0.3 * side, 0, 0}, {2.2 * side, 0, 0}, 0.2);
      for (Vec3& p : limb.positions)
        if (flat) p.y() *= 0.15;
      parts.push_back(limb);
    }
    const FoundSkeleton found = found_in(test::joined(parts));
    const auto globals = global_transforms(found.skeleton, rest_pose(found.skeleton).local);
    int left = 0, right = 0;
    for (const Affine3& one : globals) {
      left += one.translation().x() > 0.2;
      right += one.translation().x() < -0.2;
    }
    EXPECT_EQ(left, flat ? 1 : 2);
    EXPECT_EQ(right, flat ? 1 : 2);
  }
}

TEST(PlainSkeleton, PiecesThatDoNotTouchAreOneBody) {
  const FoundSkeleton found = found_in(
      test::joined({test::capsule({0, 0, 0}, {4, 0, 0}, 0.3), test::capsule({0, 1.2, 0}, {4, 1.2, 0}, 0.3),
                    test::capsule({0, 2.4, 0}, {4, 2.4, 0}, 0.3)}));
  ASSERT_FALSE(found.skeleton.empty());
  const auto globals = global_transforms(found.skeleton, rest_pose(found.skeleton).local);
  for (const double y : {0.0, 1.2, 2.4}) {
    int count = 0;
    for (const Affine3& one : globals) count += std::abs(one.translation().y() - y) < 0.3;
    EXPECT_GE(count, 1) << y;
  }
}

TEST(PlainSkeleton, WhatIsNoBodyHasNoSkeleton) {
  for (const PolyMesh& mesh :
       {test::uv_sphere(Vec3::Zero(), 1), test::torus(1, 0.3), test::box({0, 0, 0}, {1, 1, 1}, 8)}) {
    const FoundSkeleton found = found_in(mesh);
    EXPECT_TRUE(found.skeleton.empty()) << found.skeleton.size();
    EXPECT_FALSE(found.problem.empty());
  }
}

// A toy like a barrel with arms and feet that are hardly longer than thick. From one arm the other is the only tip, and a
// plane that begins along an axis is not the one between them.
TEST(PlainSkeleton, StoutToysHaveArmsAndFeetWhicheverWayTheyFace) {
  std::vector<PolyMesh> parts = {test::capsule({0, 0, 0}, {0, 1.2, 0}, 1)};
  for (const double side : {-1.0, 1.0}) {
    parts.push_back(test::capsule({0, 0.6, 0}, {side * 1.7, 0.5, 0}, 0.3));
    parts.push_back(test::capsule({side * 0.5, 0, 0}, {side * 0.5, -1, 0.1}, 0.35));
  }
  for (const double yaw : {0.0, 0.6}) {
    Affine3 turned = Affine3::Identity();
    turned.rotate(Eigen::AngleAxisd(yaw, Vec3::UnitY()));
    const FoundSkeleton found = found_in(test::transformed(test::joined(parts), turned));
    EXPECT_GE(found.skeleton.size(), 4u) << yaw << ": " << found.problem;
  }
  EXPECT_TRUE(found_in(parts[0]).skeleton.empty()) << "a barrel alone has none";
}

// Arms that hardly show from the head, as they stand off sideways, and no feet: limbs thinner than the body.
TEST(PlainSkeleton, AStoutBodyWithNothingButThinArmsIsNoBarrel) {
  const FoundSkeleton found = found_in(test::joined({test::capsule({0, 0, 0}, {0, 0.6, 0}, 1),
                                                     test::capsule({0, 0.3, 0}, {1.25, 0.2, 0.1}, 0.2),
                                                     test::capsule({0, 0.3, 0}, {-1.25, 0.3, -0.1}, 0.2)}));
  EXPECT_GE(found.skeleton.size(), 3u) << found.problem;
}

// Beside a broad body only the rim of a short arm shows from the top: its bone would be there.
TEST(PlainSkeleton, StubsOfArmsHaveABoneInTheirMiddleFromWithinTheBody) {
  std::vector<PolyMesh> parts = {test::capsule({0, 0, 0}, {0, 0.6, 0}, 1)};
  for (const double side : {-1.0, 1.0})
    parts.push_back(test::capsule({0, 0.3, 0}, {side * 1.5, 0.1, 0}, 0.3));
  const FoundSkeleton found = found_in(test::joined(parts));
  const auto globals = global_transforms(found.skeleton, rest_pose(found.skeleton).local);
  for (const double side : {-1.0, 1.0}) {
    EXPECT_LT(nearest_end(found, {side * 1.75, 0.07, 0}), 0.2) << side;
    double nearest = 1;
    for (const Affine3& one : globals)
      nearest = std::min(nearest, (one.translation() - Vec3(side * 0.7, 0.2, 0)).norm());
    EXPECT_LT(nearest, 0.3) << side;
  }
}

// Two feet hardly apart: the longer one alone must not pull a bone of the body's middle to its side.
TEST(PlainSkeleton, FeetThatAreBumpsLeaveASymmetricBodySymmetric) {
  std::vector<PolyMesh> parts = {test::capsule({0, 0, 0}, {0, 0.6, 0}, 1)};
  for (const double side : {-1.0, 1.0}) {
    parts.push_back(test::capsule({0, 0.3, 0}, {side * 1.5, 0.2, 0}, 0.2));
    parts.push_back(test::capsule({side * 0.8, 0, 0}, {side * 0.8, -0.75, 0}, 0.5));
  }
  const FoundSkeleton found = found_in(test::joined(parts));
  ASSERT_GE(found.skeleton.size(), 3u) << found.problem;
  EXPECT_TRUE(found.symmetric);
  const auto globals = global_transforms(found.skeleton, rest_pose(found.skeleton).local);
  std::vector<Vec3> ends;
  for (std::size_t j = 0; j < globals.size(); ++j) {
    ends.push_back(globals[j].translation());
    if (found.skeleton[j].tail) ends.push_back(globals[j] * *found.skeleton[j].tail);
  }
  for (const Vec3& p : ends) {
    double nearest = 1;
    for (const Vec3& q : ends) nearest = std::min(nearest, (q - Vec3(-p.x(), p.y(), p.z())).norm());
    EXPECT_LT(nearest, 0.05) << p.transpose();
  }
}

}  // namespace
}  // namespace sinew::autorig
