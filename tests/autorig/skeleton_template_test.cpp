// SPDX-License-Identifier: Apache-2.0
#include "sinew/autorig/skeleton_template.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "autorig/template_data.h"
#include "support/shapes.h"

namespace sinew::autorig {
namespace {

Curve corner_curve(const std::vector<Vec3>& corners, double radius, double step = 0.1) {
  Curve curve;
  for (std::size_t k = 0; k + 1 < corners.size(); ++k) {
    const Vec3 way = corners[k + 1] - corners[k];
    const int pieces = static_cast<int>(std::lround(way.norm() / step));
    for (int i = 0; i < pieces; ++i) curve.points.push_back(corners[k] + i * way / pieces);
  }
  curve.points.push_back(corners.back());
  curve.radii.assign(curve.points.size(), radius);
  curve.measure();
  curve.levels = curve.along;
  return curve;
}

TEST(SkeletonTemplate, BendsWhereALimbLeavesTheBodyAreNotItsOwn) {
  Part limb;
  limb.curve = corner_curve({{0, 0, 0}, {3, 0, 0}, {3, 4, 0}}, 0.2);
  const std::vector<Bend> bends = own_bends(limb);
  ASSERT_EQ(bends.size(), 1u);
  EXPECT_NEAR(bends[0].s, 3, 0.11);
  limb.stems = {{0, 2.9}};
  EXPECT_TRUE(own_bends(limb).empty()) << "nearer than a radius to the fork";
  limb.stems = {{0, 1}};
  EXPECT_EQ(own_bends(limb).size(), 1u);
}

TEST(SkeletonTemplate, DirectionsAreTakenOverARadiusAndOfThinCurvesOverMore) {
  EXPECT_DOUBLE_EQ(direction_window(corner_curve({{0, 0, 0}, {4, 0, 0}}, 0.5)), 0.5);
  EXPECT_DOUBLE_EQ(direction_window(corner_curve({{0, 0, 0}, {4, 0, 0}}, 0.01)), 0.2);
}

TEST(SkeletonTemplate, TheNeckIsTheThinnestRingBehindAThickerHead) {
  Curve trunk = corner_curve({{0, 0, 0}, {0, -10, 0}}, 1);
  for (std::size_t k = 0; k < trunk.points.size(); ++k) {
    const double s = trunk.along[k];
    trunk.radii[k] = s < 2 ? 1 : s < 4 ? 1 - 0.3 * (s - 2) : s < 6 ? 0.4 + 0.8 * (s - 4) : 2;
  }
  const auto neck = find_neck(trunk, 8);
  ASSERT_TRUE(neck.has_value());
  EXPECT_NEAR(*neck, 4, 0.11);
  EXPECT_FALSE(find_neck(trunk, 3.95).has_value()) << "it still gets thinner there";
  trunk.radii.assign(trunk.points.size(), 1);
  EXPECT_FALSE(find_neck(trunk, 8).has_value()) << "a tube has none";
}

TEST(SkeletonTemplate, LimbsAreImagesWhereTheirJointsAre) {
  TemplateData data;
  data.parts.limbs.resize(3);
  data.joints.resize(4);
  for (std::size_t j = 0; j < 3; ++j) data.joints[j].anchor = {Anchor::Kind::kLimb, j};
  data.joints[0].mirror = 2, data.joints[2].mirror = 0, data.joints[1].mirror = 1;
  data.joints[3].mirror = 3;  // on the trunk
  find_mirror_limbs(data);
  EXPECT_EQ(data.mirror_limbs, (std::vector<int>{2, 1, 0}));
  data.two_sided = true;
  EXPECT_EQ(data.image_of(0), 0) << "the root is on the middle";
  EXPECT_EQ(data.image_of(1), 3);
}

// A cross of capsules: a trunk along y, arms along x.
struct CrossRig {
  PolyMesh mesh =
      test::joined({test::capsule({0, -3, 0}, {0, 2, 0}, 0.4), test::capsule({0, 0.5, 0}, {3, 0.5, 0}, 0.25),
                    test::capsule({0, 0.5, 0}, {-3, 0.5, 0}, 0.25)});
  std::vector<std::pair<std::string, Vec3>> joints = {
      {"Hips", {0, -2, 0}},          {"Chest", {0, 0.5, 0}},      {"Head", {0, 1.5, 0}},
      {"LeftArm", {0.8, 0.5, 0}},    {"LeftHand", {2.2, 0.5, 0}}, {"RightArm", {-0.8, 0.5, 0}},
      {"RightHand", {-2.2, 0.5, 0}}, {"Tail", {0, -2.6, 0}}};
  std::vector<int> parents = {-1, 0, 1, 1, 3, 1, 5, 0};

  Result<Skeleton> skeleton() const {
    std::vector<Joint> made;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      Joint one;
      one.name = joints[j].first;
      one.parent = parents[j];
      const Vec3 above = parents[j] < 0 ? Vec3(0, 0, 0) : joints[static_cast<std::size_t>(parents[j])].second;
      one.rest_local.translation() = joints[j].second - above;
      made.push_back(one);
    }
    return Skeleton::create(std::move(made));
  }
};

TEST(SkeletonTemplate, RemembersWhereOnItsPartEachJointLies) {
  const CrossRig rig;
  const auto learned = learn_template("cross", rig.mesh, *rig.skeleton());
  ASSERT_TRUE(learned.ok()) << learned.error().message;
  const TemplateData& data = learned->data();
  EXPECT_EQ(learned->name(), "cross");
  ASSERT_EQ(data.joints.size(), rig.joints.size());
  EXPECT_TRUE(data.two_sided);
  ASSERT_EQ(data.parts.limbs.size(), 3u) << "two arms and the other end, seen from the head";
  std::map<std::string, std::size_t> at;
  for (std::size_t j = 0; j < data.joints.size(); ++j) at[data.joints[j].name] = j;
  for (const auto& [name, place] : rig.joints) {
    ASSERT_TRUE(at.contains(name)) << name;
    const TemplateJoint& joint = data.joints[at[name]];
    const Curve& curve = joint.anchor.kind == Anchor::Kind::kTrunk
                             ? data.parts.trunk
                             : data.parts.limbs[joint.anchor.part].curve;
    EXPECT_NEAR((curve.at(joint.anchor.s) + joint.anchor.offset - place).norm(), 0, 1e-9);
    EXPECT_TRUE(joint.anchor.kind == Anchor::Kind::kTrunk || joint.anchor.offset.norm() < 0.2)
        << name << " lies on its limb's curve";
  }
  EXPECT_EQ(data.joints[at["LeftArm"]].mirror, static_cast<int>(at["RightArm"]));
  EXPECT_EQ(data.joints[at["RightHand"]].mirror, static_cast<int>(at["LeftHand"]));
  EXPECT_EQ(data.joints[at["Hips"]].mirror, static_cast<int>(at["Hips"])) << "on the middle";
  const Anchor &left = data.joints[at["LeftHand"]].anchor, &right = data.joints[at["RightHand"]].anchor;
  EXPECT_EQ(left.kind, Anchor::Kind::kLimb);
  EXPECT_EQ(data.mirror_limbs[left.part], static_cast<int>(right.part));
  // From tip to tip of the arms: straight, but for the way around the trunk and over the ends.
  EXPECT_NEAR(data.apart(static_cast<Eigen::Index>(left.part + 1), static_cast<Eigen::Index>(right.part + 1)),
              6.5, 0.65);
}

TEST(SkeletonTemplate, NeedsJointsAndTwoEnds) {
  const CrossRig rig;
  const auto none = learn_template("none", rig.mesh, Skeleton());
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kImpossible);
}

}  // namespace
}  // namespace sinew::autorig
