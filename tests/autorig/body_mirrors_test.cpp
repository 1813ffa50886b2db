// SPDX-License-Identifier: Apache-2.0
#include "autorig/body_mirrors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

// A body with arms and legs, its left and right alike.
PolyMesh body_facing(double yaw, const Vec3& middle) {
  PolyMesh mesh = test::joined(
      {test::capsule({0, -0.5, 0}, {0, 1, 0.2}, 0.3), test::capsule({0, -0.5, 0}, {0.5, -2, 0}, 0.2),
       test::capsule({0, -0.5, 0}, {-0.5, -2, 0}, 0.2), test::capsule({0, 0.6, 0}, {1.2, 0.4, 0.3}, 0.15),
       test::capsule({0, 0.6, 0}, {-1.2, 0.4, 0.3}, 0.15)});
  const Eigen::AngleAxisd turn(yaw, Vec3::UnitY());
  for (Vec3& p : mesh.positions) p = turn * p + middle;
  return mesh;
}

BodyMap map_of(const PolyMesh& mesh) {
  const TriangleView cut = triangulate(mesh);
  auto graph = surface_graph({mesh.positions, cut.triangles});
  EXPECT_TRUE(graph.ok());
  auto body = map_body(std::move(*graph), nullptr);
  EXPECT_TRUE(body.ok());
  return std::move(*body);
}

TEST(BodyMirrors, ABodyThatFacesAnywhereHasAPlane) {
  for (const double yaw : {0.0, 0.7}) {
    const Vec3 middle(3, 1, -2);
    const PolyMesh mesh = body_facing(yaw, middle);
    const TriangleView cut = triangulate(mesh);
    const BodyMap body = map_of(mesh);
    MirrorPlanes planes({mesh.positions, cut.triangles});
    const std::optional<Mirror> wrong[] = {Mirror{Vec3::UnitY(), middle}};
    EXPECT_FALSE(planes.first(body, wrong).has_value()) << yaw;
    EXPECT_FALSE(planes.first(body, wrong).has_value()) << "nor when it is asked again";
    const auto mirror = planes.first(body, plain_mirrors(body)),
               again = planes.first(body, plain_mirrors(body));
    ASSERT_TRUE(mirror.has_value()) << yaw;
    ASSERT_TRUE(again.has_value()) << yaw;
    EXPECT_EQ(mirror->normal, again->normal);
    const Vec3 across = Eigen::AngleAxisd(yaw, Vec3::UnitY()) * Vec3::UnitX();
    EXPECT_GT(std::abs(mirror->normal.dot(across)), 0.999) << yaw;
    EXPECT_NEAR((middle - mirror->centre).dot(mirror->normal), 0, 0.03) << yaw;
  }
}

// Nearly round: eight arms about y, and one lump that only one of the planes goes through.
TEST(BodyMirrors, OfSeveralPlanesTheBestOneIsWhereImagesAreNearest) {
  std::vector<PolyMesh> parts = {test::capsule({0, 0, 0}, {0, 0.3, 0.08}, 0.3)};
  for (int k = 0; k < 8; ++k) {
    const double turn = M_PI / 8 * (2 * k + 1);
    parts.push_back(test::capsule({0, 0, 0}, {2 * std::sin(turn), 0, 2 * std::cos(turn)}, 0.15));
  }
  const PolyMesh mesh = test::joined(parts);
  const TriangleView cut = triangulate(mesh);
  const BodyMap body = map_of(mesh);
  MirrorPlanes planes({mesh.positions, cut.triangles});
  const std::optional<Mirror> guesses[] = {Mirror{Vec3::UnitZ(), Vec3::Zero()},
                                           Mirror{Vec3::UnitX(), Vec3::Zero()}};
  ASSERT_TRUE(planes.first(body, guesses).has_value());
  EXPECT_GT(std::abs(planes.first(body, guesses)->normal.z()), 0.99);
  ASSERT_TRUE(planes.best(body, guesses).has_value());
  EXPECT_GT(std::abs(planes.best(body, guesses)->normal.x()), 0.999);
  EXPECT_LT(planes.best(body, guesses)->error, planes.first(body, guesses)->error);
}

TEST(BodyMirrors, AxesGoThroughTheMiddleOfTheBox) {
  const BodyMap body = map_of(body_facing(0, {3, 1, -2}));
  const auto mirrors = axis_mirrors(body);
  ASSERT_TRUE(mirrors[0] && mirrors[1]);
  EXPECT_EQ(mirrors[0]->normal, Vec3(Vec3::UnitX()));
  EXPECT_EQ(mirrors[1]->normal, Vec3(Vec3::UnitZ()));
  EXPECT_NEAR(mirrors[0]->centre.x(), 3, 0.02);
}

TEST(BodyMirrors, SidesAreThoseOfTheTemplate) {
  TemplateData model;
  model.two_sided = true;
  model.mirror_limbs = {1, 0, 2, 4, 3};  // arms, a tail, legs
  Match match;
  match.model = &model;
  match.tips = {7, 3, 5, 2, -1};  // one leg is missing
  match.features[kAsymmetry] = 0.25;
  const TipPairs sides = sides_of(match);
  EXPECT_EQ(sides.error, 0.25);
  ASSERT_EQ(sides.pairs.size(), 1u);
  EXPECT_EQ(std::max(sides.pairs[0].first, sides.pairs[0].second), 7u);
  EXPECT_EQ(std::min(sides.pairs[0].first, sides.pairs[0].second), 3u);
  EXPECT_EQ(sides.middle, std::vector<std::size_t>{5});
}

}  // namespace
}  // namespace sinew::autorig
