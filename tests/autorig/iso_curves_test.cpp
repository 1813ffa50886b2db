// SPDX-License-Identifier: Apache-2.0
#include "sinew/autorig/iso_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "support/shapes.h"

namespace sinew {
namespace {

// The rows of test::cylinder: vertex v lies on row v / around.
std::set<std::set<std::uint32_t>> closed_rings(const IsoCurves& curves) {
  std::set<std::set<std::uint32_t>> rings;
  for (std::size_t r = 0; r < curves.ring_count(); ++r)
    if (curves.is_closed(r)) rings.emplace(curves.ring(r).begin(), curves.ring(r).end());
  return rings;
}

std::set<std::set<std::uint32_t>> rows(std::uint32_t around, std::uint32_t count) {
  std::set<std::set<std::uint32_t>> rings;
  for (std::uint32_t r = 0; r < count; ++r) {
    std::set<std::uint32_t> row;
    for (std::uint32_t k = 0; k < around; ++k) row.insert(r * around + k);
    rings.insert(row);
  }
  return rings;
}

// Consecutive vertices of a ring are joined by an edge of a face.
void expect_along_edges(const PolyMesh& mesh, const IsoCurves& curves) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::size_t f = 0; f < mesh.face_count(); ++f)
    for (std::size_t k = 0; k < mesh.face(f).size(); ++k) {
      const std::uint32_t a = mesh.face(f)[k], b = mesh.face(f)[(k + 1) % mesh.face(f).size()];
      edges.insert({a, b});
      edges.insert({b, a});
    }
  for (std::size_t r = 0; r < curves.ring_count(); ++r) {
    const auto ring = curves.ring(r);
    for (std::size_t k = 0; k + 1 < ring.size(); ++k) EXPECT_TRUE(edges.count({ring[k], ring[k + 1]})) << r;
    EXPECT_TRUE(!curves.is_closed(r) || edges.count({ring.back(), ring.front()})) << r;
  }
}

PolyMesh bent(PolyMesh tube, const std::function<Vec3(const Vec3&)>& shape) {
  for (Vec3& p : tube.positions) p = shape(p);
  return tube;
}

TEST(IsoCurves, EveryRingOfAQuadTubeIsARingOfTheTube) {
  const std::vector<std::function<Vec3(const Vec3&)>> shapes = {
      [](const Vec3& p) { return p; },
      [](const Vec3& p) { return Vec3(p.x() + 0.9 * p.y(), p.y(), p.z()); },  // sheared rows
      [](const Vec3& p) {                                                     // twisted rows
        const double c = std::cos(p.x() / 2), s = std::sin(p.x() / 2);
        return Vec3(p.x(), c * p.y() - s * p.z(), s * p.y() + c * p.z());
      },
      [](const Vec3& p) {  // half a circle
        const double angle = p.x() / 3;
        return Vec3((3 + p.y()) * std::sin(angle), (3 + p.y()) * std::cos(angle), p.z());
      }};
  for (const auto& shape : shapes)
    for (const auto& [around, count] : {std::pair{6, 9}, {12, 40}, {40, 25}, {17, 31}})
      for (const bool capped : {false, true}) {
        const PolyMesh tube = bent(
            capped ? test::capped_cylinder(1, 9, around, count) : test::cylinder(1, 9, around, count), shape);
        const auto curves = iso_curves(tube);
        ASSERT_TRUE(curves.ok()) << curves.error().message;
        ASSERT_TRUE(validate(*curves, tube.vertex_count()).ok());
        EXPECT_EQ(curves->vertices.size(), tube.vertex_count());
        EXPECT_EQ(closed_rings(*curves),
                  rows(static_cast<std::uint32_t>(around), static_cast<std::uint32_t>(count)))
            << around << " x " << count << (capped ? " capped" : " open");
        expect_along_edges(tube, *curves);
      }
}

TEST(IsoCurves, RingsOfALimbRunInOrderFromItsTip) {
  const PolyMesh tube = test::capped_cylinder(1, 20, 16, 61);
  const auto curves = iso_curves(tube);
  ASSERT_TRUE(curves.ok());
  const auto centres = ring_centres(*curves, tube.positions);
  for (const IsoCurves::Limb& limb : curves->limbs) {
    const double towards = tube.positions[limb.tip].x() < 10 ? 1 : -1;
    for (std::uint32_t r = limb.first_ring; r + 1 < limb.ring_end; ++r)
      EXPECT_GT(towards * (centres[r + 1].x() - centres[r].x()), 0);
  }
}

TEST(IsoCurves, TextureSeamsDoNotCutRings) {
  const PolyMesh tube = test::capped_cylinder(1, 9, 12, 21), torn = test::soup(tube);
  const auto whole = iso_curves(tube), mended = iso_curves(torn);
  ASSERT_TRUE(whole.ok() && mended.ok());
  const auto places = [](const PolyMesh& mesh, const IsoCurves& curves) {
    std::multiset<std::size_t> sizes;
    std::size_t count = 0;
    for (std::size_t r = 0; r < curves.ring_count(); ++r)
      if (curves.is_closed(r)) {
        sizes.insert(curves.ring(r).size());
        double low = 1e9, high = -1e9;
        for (const std::uint32_t v : curves.ring(r)) {
          low = std::min(low, mesh.positions[v].x());
          high = std::max(high, mesh.positions[v].x());
        }
        EXPECT_LT(high - low, 1e-12);
        ++count;
      }
    return std::pair(count, sizes);
  };
  EXPECT_EQ(places(tube, *whole), places(torn, *mended));
  EXPECT_TRUE(validate(*mended, torn.vertex_count()).ok());
}

// Squares of lengths overflow there, and distances that are not finite lead nowhere.
TEST(IsoCurves, MeshesWithoutASizeAreRefused) {
  for (const double x : {1e308, 1e20}) {
    PolyMesh tube = test::capped_cylinder(1, 4, 12, 10);
    tube.positions[5].x() = x;
    const auto curves = iso_curves(tube);
    ASSERT_FALSE(curves.ok());
    EXPECT_NE(curves.error().message.find("too large"), std::string::npos) << curves.error().message;
  }
}

TEST(IsoCurves, NamedTipsAreUsed) {
  const PolyMesh tube = test::capped_cylinder(1, 9, 12, 21);
  IsoCurveOptions options;
  options.tips = {0};
  const auto curves = iso_curves(tube, options);
  ASSERT_TRUE(curves.ok()) << curves.error().message;
  EXPECT_EQ(std::count_if(curves->limbs.begin(), curves->limbs.end(),
                          [](const IsoCurves::Limb& limb) { return limb.has_tip(); }),
            1);
  EXPECT_EQ(curves->limbs[0].tip, 0u);
  EXPECT_EQ(curves->vertices.size(), tube.vertex_count());
  options.tips = {5000};
  const auto wrong = iso_curves(tube, options);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::kUsage);
}

TEST(IsoCurves, MeshesWithoutQuadsAreRefusedWithASentence) {
  for (const PolyMesh& mesh : {PolyMesh{}, test::one_triangle(), test::bow_tie(), test::concave_polygon()}) {
    const auto curves = iso_curves(mesh);
    ASSERT_FALSE(curves.ok());
    EXPECT_EQ(curves.error().code, ErrorCode::kImpossible);
    EXPECT_NE(curves.error().message.find("quads"), std::string::npos);
  }
  PolyMesh triangles = test::capped_cylinder(1, 9, 12, 21);
  const TriangleView view = triangulate(triangles);
  triangles.face_offsets.clear();
  triangles.face_vertices.clear();
  for (const Triangle& t : view.triangles) triangles.add_face({t[0], t[1], t[2]});
  EXPECT_FALSE(iso_curves(triangles).ok());
}

TEST(IsoCurves, ABorderThatMeetsItselfIsNoRing) {
  // Two sheets of 2 x 2 quads through one edge: four faces on it, and a border that comes by twice.
  PolyMesh mesh = test::grid(2, 2, 2, 2);
  const auto at = [&](double x, double y, double z) {
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v)
      if ((mesh.positions[v] - Vec3(x, y, z)).norm() < 1e-9) return v;
    mesh.positions.emplace_back(x, y, z);
    return static_cast<std::uint32_t>(mesh.vertex_count() - 1);
  };
  for (const double x : {1.0, 2.0})
    for (const double z : {-1.0, 0.0}) {
      const std::uint32_t corners[] = {at(x, 1, z), at(x + 1, 1, z), at(x + 1, 1, z + 1), at(x, 1, z + 1)};
      mesh.add_face(corners);
    }
  const auto curves = iso_curves(mesh);
  EXPECT_TRUE(!curves.ok() || validate(*curves, mesh.vertex_count()).ok());
}

TEST(IsoCurves, AnyMeshGivesCurvesThatKeepTheirPromisesOrARefusal) {
  for (const test::NamedShape& shape : test::all_shapes()) {
    const auto curves = iso_curves(shape.mesh);
    if (!curves.ok()) continue;
    const auto valid = validate(*curves, shape.mesh.vertex_count());
    EXPECT_TRUE(valid.ok()) << shape.name << ": " << (valid.ok() ? "" : valid.error().message);
  }
}

}  // namespace
}  // namespace sinew
