// SPDX-License-Identifier: Apache-2.0
#include "autorig/match.h"

#include <gtest/gtest.h>

#include "autorig/place.h"
#include "autorig/template_data.h"
#include "sinew/autorig/skeleton_template.h"
#include "sinew/characters/characters.h"

namespace sinew::autorig {
namespace {

// A built-in character, turned, scaled and moved as a whole.
struct Body {
  PolyMesh mesh;
  Skeleton skeleton;
  Eigen::Affine3d moved = Eigen::Affine3d::Identity();
  BodyMap map;

  explicit Body(const char* name, double scale = 1, double yaw = 0, const Vec3& shift = Vec3::Zero()) {
    auto character = make_character(name, {.resolution = 3000});
    EXPECT_TRUE(character.ok());
    mesh = std::move(character->mesh);
    skeleton = std::move(character->skeleton);
    moved = Eigen::Translation3d(shift) * Eigen::AngleAxisd(yaw, Vec3::UnitY()) * Eigen::Scaling(scale);
    for (Vec3& p : mesh.positions) p = moved * p;
    const TriangleView cut = triangulate(mesh);
    auto graph = surface_graph({mesh.positions, cut.triangles});
    EXPECT_TRUE(graph.ok());
    auto body = map_body(std::move(*graph), nullptr);
    EXPECT_TRUE(body.ok());
    map = std::move(*body);
  }
};

class MatchTest : public testing::Test {
 protected:
  void SetUp() override {
    const Body own("quadruped");
    auto learned = learn_template("own", own.mesh, own.skeleton);
    ASSERT_TRUE(learned.ok());
    model_ = std::make_unique<SkeletonTemplate>(*learned);
  }
  const TemplateData& model() const { return model_->data(); }
  std::unique_ptr<SkeletonTemplate> model_;
};

TEST_F(MatchTest, ATemplateCostsLittleOnItsOwnBodyHoweverThatIsMoved) {
  const Body as_is("quadruped"), moved("quadruped", 30, 2.1, {5, -40, 8});
  Matcher first(as_is.map), second(moved.map);
  const Match a = first.best(model()), b = second.best(model());
  EXPECT_LT(a.cost, 0.05);
  EXPECT_NEAR(b.cost, a.cost, 0.02);
  EXPECT_NEAR(b.scale, 30 * a.scale, 0.3);
  for (const int tip : a.tips) EXPECT_GE(tip, 0);
  const Mat3 turned = Eigen::AngleAxisd(2.1, Vec3::UnitY()).toRotationMatrix() * a.rotation;
  EXPECT_LT((b.rotation - turned).norm(), 0.1);
}

TEST_F(MatchTest, AnotherBodyCostsMoreAndTheBoundHolds) {
  const Body own("quadruped"), other("biped");
  Matcher on_own(own.map), on_other(other.map);
  const double cost = on_own.best(model()).cost, foreign = on_other.best(model()).cost;
  EXPECT_GT(foreign, 4 * cost);
  EXPECT_LE(on_own.least_cost(model()), cost + 1e-9);
  EXPECT_LE(on_other.least_cost(model()), foreign + 1e-9);
}

TEST_F(MatchTest, JointsArePlacedWhereTheBodyHasThem) {
  const Body body("quadruped", 12, 0.8, {3, 0, -7});
  Matcher matcher(body.map);
  Match match = matcher.best(model());
  matcher.add_minors(match);
  const std::vector<PlacedJoint> placed = place_joints(match);
  ASSERT_EQ(placed.size(), model().joints.size());
  double sum = 0;
  for (std::size_t j = 0; j < placed.size(); ++j) {
    EXPECT_TRUE(placed[j].present) << model().joints[j].name;
    sum += (placed[j].head - body.moved * model().joints[j].head).norm();
  }
  EXPECT_LT(sum / static_cast<double>(placed.size()), 0.01 * body.map.graph.size);
}

}  // namespace
}  // namespace sinew::autorig
