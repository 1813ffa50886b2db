// SPDX-License-Identifier: Apache-2.0
#include "sinew/measure/weight_faults.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/shapes.h"

namespace sinew {
namespace {

// A strip of quads, bent to a hairpin: two legs at a distance of 0.1, joined at x = 0.
struct Hairpin {
  std::vector<Vec3> positions;
  std::vector<Triangle> triangles;
  std::size_t columns = 0;
};
Hairpin hairpin() {
  Hairpin strip;
  const auto add = [&](double x, double y) {
    for (const double z : {0.0, 0.1}) strip.positions.emplace_back(x, y, z);
    const auto n = static_cast<std::uint32_t>(strip.positions.size());
    if (n >= 4) {
      strip.triangles.push_back({n - 4, n - 3, n - 2});
      strip.triangles.push_back({n - 3, n - 1, n - 2});
    }
    ++strip.columns;
  };
  for (int k = 10; k >= 0; --k) add(0.1 * k, 0);
  for (int k = 0; k <= 10; ++k) add(0.1 * k, 0.1);
  return strip;
}

SkinWeights rows_of(const Hairpin& strip, const std::vector<double>& of_column) {
  SkinWeights rows;
  for (const double w : of_column)
    for (int z = 0; z < 2; ++z) {
      const std::vector<Influence> row{{0, w}, {1, 1 - w}};
      rows.add_row(row);
    }
  EXPECT_EQ(rows.vertex_count(), strip.positions.size());
  return rows;
}

TEST(StrayWeights, WeightOnTheOtherLegIsAcrossAGap) {
  const Hairpin strip = hairpin();
  std::vector<double> weights(strip.columns, 0);
  for (std::size_t k = 0; k < 5; ++k) weights[k] = 1;  // the end of the first leg
  const MeshView mesh{strip.positions, strip.triangles};
  EXPECT_TRUE(stray_weights(mesh, rows_of(strip, weights), 1).empty());
  weights[strip.columns - 2] = weights[strip.columns - 3] = 0.4;  // beside it, on the second
  const auto found = stray_weights(mesh, rows_of(strip, weights), 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].joint, 0u);
  EXPECT_TRUE(found[0].near);
  EXPECT_EQ(found[0].vertices.size(), 4u);
  EXPECT_DOUBLE_EQ(found[0].largest, 0.4);
}

TEST(StrayWeights, APatchFarFromTheRestIsElsewhere) {
  Hairpin strip = hairpin();
  for (std::size_t i = 0; i < strip.positions.size(); ++i)  // straight
    strip.positions[i].x() = 0.1 * static_cast<double>(i / 2);
  std::vector<double> weights(strip.columns, 0);
  for (std::size_t k = 0; k < 5; ++k) weights[k] = 1;
  weights[strip.columns - 2] = weights[strip.columns - 3] = 0.4;
  const MeshView mesh{strip.positions, strip.triangles};
  const auto found = stray_weights(mesh, rows_of(strip, weights), 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].near);
  // A long smooth ramp is none: it hangs together with what the joint carries.
  for (std::size_t k = 0; k < strip.columns; ++k) weights[k] = 1 - 0.045 * static_cast<double>(k);
  EXPECT_TRUE(stray_weights(mesh, rows_of(strip, weights), 1).empty());
}

TEST(IslandContacts, AreFoundWhereIslandsTouchAndNowhereElse) {
  PolyMesh mesh = test::box(Vec3(0, 0, 0), Vec3(1, 1, 1));
  const PolyMesh near = test::box(Vec3(0.4, 1.001, 0.4), Vec3(0.6, 1.2, 0.6));
  const PolyMesh far = test::box(Vec3(0, 3, 0), Vec3(1, 4, 1));
  for (const PolyMesh* other : {&near, &far}) {
    const auto first = static_cast<std::uint32_t>(mesh.vertex_count());
    mesh.positions.insert(mesh.positions.end(), other->positions.begin(), other->positions.end());
    for (std::size_t f = 0; f < other->face_count(); ++f) {
      std::vector<std::uint32_t> corners;
      for (const std::uint32_t i : other->face(f)) corners.push_back(first + i);
      mesh.add_face(corners);
    }
  }
  const TriangleView view = triangulate(mesh);
  const auto contacts = island_contacts({mesh.positions, view.triangles});
  ASSERT_EQ(contacts.size(), 4u);  // the lower corners of the small box
  for (const IslandContact& contact : contacts) {
    EXPECT_NEAR(mesh.positions[contact.vertex].y(), 1.001, 1e-12);
    Vec3 point = Vec3::Zero();
    for (int k = 0; k < 3; ++k)
      point += contact.barycentric[k] *
               mesh.positions[view.triangles[contact.triangle][static_cast<std::size_t>(k)]];
    EXPECT_NEAR((point - mesh.positions[contact.vertex]).norm(), 0.001, 1e-12);
  }
}

TEST(MirrorPlane, IsFoundAcrossTheMiddleOrNotAtAll) {
  std::vector<Vec3> points;
  for (int k = 0; k < 40; ++k) {
    const Vec3 p(0.3 + std::sin(k), 2 * std::cos(1.7 * k), std::sin(0.3 * k * k));
    points.push_back(p + Vec3(5, 0, 0));
    points.push_back(Vec3(-p.x(), p.y(), p.z()) + Vec3(5, 0, 0));
  }
  const auto plane = mirror_plane(points);
  ASSERT_TRUE(plane.has_value());
  EXPECT_EQ(plane->axis, 0);
  EXPECT_NEAR(plane->centre, 5, 1e-12);
  for (std::uint32_t i = 0; i < points.size(); ++i) EXPECT_EQ(plane->partner[i], i ^ 1u);
  for (std::size_t i = 0; i < points.size(); i += 2) points[i].y() += 0.05 * static_cast<double>(i);
  EXPECT_FALSE(mirror_plane(points).has_value());
}

}  // namespace
}  // namespace sinew
