// SPDX-License-Identifier: Apache-2.0
#include "sinew/autorig/find_skeleton.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/skeleton/pose.h"
#include "support/cell_body.h"
#include "support/shapes.h"

namespace sinew {
namespace {

struct TBody {
  // A stem along -y and an arm to either side of a cube, in quads with rings.
  static PolyMesh mesh() {
    test::CellBody body;
    body.fill({-3, -3, -3}, {3, 3, 3}).fill({-1, -24, -1}, {1, -3, 1});
    body.fill({3, -1, -1}, {20, 1, 1}).fill({-20, -1, -1}, {-3, 1, 1});
    return body.mesh();
  }
  static std::vector<std::pair<std::string, Vec3>> joints() {
    return {{"Root", {0, 0, 0}},       {"Stem", {0, -8, 0}},     {"Head", {0, -16, 0}},
            {"LeftArm", {6, 0, 0}},    {"LeftHand", {13, 0, 0}}, {"RightArm", {-6, 0, 0}},
            {"RightHand", {-13, 0, 0}}};
  }
  static Skeleton skeleton() {
    const std::vector<int> parents = {-1, 0, 1, 0, 3, 0, 5};
    std::vector<Joint> made;
    for (std::size_t j = 0; j < joints().size(); ++j) {
      Joint one;
      one.name = joints()[j].first;
      one.parent = parents[j];
      one.rest_local.translation() =
          joints()[j].second -
          (parents[j] < 0 ? Vec3(0, 0, 0) : joints()[static_cast<std::size_t>(parents[j])].second);
      made.push_back(one);
    }
    return *Skeleton::create(std::move(made));
  }
};

// A body gets back the joints of the template that was learned from it, wherever it stands, at any size.
TEST(FindSkeleton, MovesAndScalesTheJointsWithTheBody) {
  const auto model = learn_template("y", TBody::mesh(), TBody::skeleton());
  ASSERT_TRUE(model.ok()) << model.error().message;
  Affine3 moved = Affine3::Identity();
  moved.linear() = 0.03 * Mat3::Identity();
  moved.translation() = Vec3(4, -2, 7);
  const PolyMesh body = test::transformed(TBody::mesh(), moved);
  for (const bool rings : {true, false}) {
    FindOptions options;
    options.rings = rings;
    const auto found = find_skeleton(body, {&*model, 1}, options);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->method, rings ? SkeletonMethod::kRings : SkeletonMethod::kSurface) << found->no_rings;
    EXPECT_EQ(found->name, "y") << found->problem;
    ASSERT_EQ(found->skeleton.size(), TBody::joints().size());
    EXPECT_TRUE(found->symmetric);
    EXPECT_GT(found->confidence, 0.8);
    const auto globals = global_transforms(found->skeleton, rest_pose(found->skeleton).local);
    for (const auto& [name, place] : TBody::joints()) {
      const auto j = found->skeleton.find(name);
      ASSERT_TRUE(j.has_value()) << name;
      EXPECT_LT((globals[*j].translation() - moved * place).norm(), 0.03 * 1.0)
          << name << ": half a limb's side";
    }
  }
}

TEST(FindSkeleton, WithoutTemplatesJointsLieInTheLimbs) {
  FindOptions options;
  options.plain = true;
  const auto found = find_skeleton(TBody::mesh(), {}, options);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->name, "none");
  EXPECT_LT(found->confidence, 0.5);
  ASSERT_GE(found->skeleton.size(), 4u);
  const auto globals = global_transforms(found->skeleton, rest_pose(found->skeleton).local);
  bool left = false, right = false, below = false;
  for (const Affine3& joint : globals) {
    const Vec3 p = joint.translation();
    const int outside = (std::abs(p.x()) > 3) + (std::abs(p.y()) > 3) + (std::abs(p.z()) > 3);
    EXPECT_LE(outside, 1) << p.transpose();
    left = left || p.x() > 4, right = right || p.x() < -4, below = below || p.y() < -4;
  }
  EXPECT_TRUE(left && right && below);
}

TEST(FindSkeleton, RefusesWhatIsNoVertexAndWhatHasNoLimbs) {
  FindOptions options;
  options.tips = {0, 1'000'000};
  const auto no_vertex = find_skeleton(TBody::mesh(), {}, options);
  ASSERT_FALSE(no_vertex.ok());
  EXPECT_EQ(no_vertex.error().code, ErrorCode::kBadInput);
  options = {};
  options.plain = true;
  const auto ball = find_skeleton(test::uv_sphere({0, 0, 0}, 1), {}, options);
  EXPECT_TRUE(!ball.ok() || (ball->skeleton.empty() && !ball->problem.empty()));
}

TEST(FindSkeleton, RefusesAMeshWhoseLengthsOverflow) {
  for (const bool plain : {true, false}) {
    PolyMesh mesh = TBody::mesh();
    mesh.positions[7].y() = 1e308;
    FindOptions options;
    options.plain = plain;
    const auto found = find_skeleton(mesh, {}, options);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().code, ErrorCode::kImpossible);
    EXPECT_NE(found.error().message.find("scale it"), std::string::npos);
  }
}

TEST(FindSkeleton, NamesTheWays) {
  EXPECT_STREQ(name_of(SkeletonMethod::kRings), "rings");
  EXPECT_STREQ(name_of(SkeletonMethod::kSurface), "surface");
  EXPECT_STREQ(name_of(SkeletonMethod::kVolume), "volume");
}

}  // namespace
}  // namespace sinew
