// SPDX-License-Identifier: Apache-2.0
#include "volume/oriented_soup.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/shapes.h"

namespace sinew {
namespace {

OrientedSoup soup_of(const PolyMesh& mesh) {
  const TriangleView view = triangulate(mesh);
  return orient_soup({mesh.positions, view.triangles});
}

double volume_of(const OrientedSoup& soup) {
  double sum = 0;
  for (const Triangle& t : soup.triangles)
    sum += soup.positions[t[0]].dot(soup.positions[t[1]].cross(soup.positions[t[2]])) / 6;
  return sum;
}

bool every_edge_balances(const OrientedSoup& soup) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> sums;
  for (const Triangle& t : soup.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      sums[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
    }
  for (const auto& [edge, sum] : sums)
    if (sum != 0) return false;
  return true;
}

TEST(OrientedSoup, IsClosedByItsCapsUnlessTheWindingNumberIsNeeded) {
  for (const auto& shape : test::all_shapes()) {
    const OrientedSoup soup = soup_of(shape.mesh);
    if (!soup.needs_winding_number()) {
      EXPECT_TRUE(every_edge_balances(soup)) << shape.name;
    }
    EXPECT_EQ(soup.closed, soup.caps == 0 && every_edge_balances(soup)) << shape.name;
    if (shape.closed) {
      EXPECT_TRUE(soup.closed) << shape.name;
      EXPECT_NEAR(volume_of(soup), test::enclosed_volume(shape.mesh), 1e-9 * volume_of(soup)) << shape.name;
      EXPECT_EQ(soup.flipped, 0u) << shape.name;
    }
  }
}

TEST(OrientedSoup, TurnsPartsAndSingleTrianglesThatFaceInwards) {
  const PolyMesh ball = test::uv_sphere({0, 0, 0}, 1), far = test::uv_sphere({5, 0, 0}, 1);
  const OrientedSoup parts = soup_of(test::joined({ball, test::flipped(far)}));
  EXPECT_EQ(parts.patches, 2u);
  EXPECT_EQ(parts.flipped, triangulate(far).triangles.size());
  EXPECT_NEAR(volume_of(parts), 2 * test::enclosed_volume(ball), 1e-9);
  // Every third face the wrong way round.
  PolyMesh mixed;
  mixed.positions = ball.positions;
  for (std::size_t f = 0; f < ball.face_count(); ++f) {
    std::vector<std::uint32_t> corners(ball.face(f).begin(), ball.face(f).end());
    if (f % 3 == 0) std::reverse(corners.begin(), corners.end());
    mixed.add_face(corners);
  }
  const OrientedSoup mended = soup_of(mixed);
  EXPECT_TRUE(mended.closed);
  EXPECT_NEAR(volume_of(mended), test::enclosed_volume(ball), 1e-9);
}

TEST(OrientedSoup, LoosePiecesKeepTheirSideOrAreTurnedTogether) {
  PolyMesh loose = test::soup(test::uv_sphere({3, 2, 1}, 1, 48, 24));
  for (std::size_t i = 0; i < loose.positions.size(); ++i)
    loose.positions[i] += 1e-3 * std::sin(12.9898 * static_cast<double>(i)) * Vec3(1, 1, 1);
  const OrientedSoup upright = soup_of(loose);
  EXPECT_TRUE(upright.needs_winding_number());
  EXPECT_EQ(upright.flipped, 0u);
  const OrientedSoup turned = soup_of(test::flipped(loose));
  EXPECT_EQ(turned.flipped, turned.triangles.size());
}

TEST(OrientedSoup, CapsAnOpenCupToItsVolumeAndSeparateHolesApart) {
  const OrientedSoup cup = soup_of(test::open_cup(1, 2, 256, 3));
  EXPECT_NEAR(volume_of(cup), 2 * 3.14159, 0.01);
  EXPECT_NEAR(cup.volume, volume_of(cup), 1e-9);
  const OrientedSoup tube = soup_of(test::cylinder(1, 8, 256, 3));
  EXPECT_NEAR(volume_of(tube), 8 * 3.14159, 0.01);
  // Two holes that touch in a vertex: neighbours across a corner taken out of a box.
  PolyMesh box = test::box({0, 0, 0}, {1, 1, 1}, 4), holed;
  holed.positions = box.positions;
  const auto touches = [&](std::size_t f, const Vec3& low) {
    Vec3 middle = Vec3::Zero();
    for (const std::uint32_t v : box.face(f)) middle += box.positions[v] / 4;
    return (middle - low).norm() < 1e-9;
  };
  for (std::size_t f = 0; f < box.face_count(); ++f)
    if (!touches(f, {0.375, 0.375, 0}) && !touches(f, {0.625, 0.625, 0})) holed.add_face(box.face(f));
  ASSERT_EQ(holed.face_count() + 2, box.face_count());
  const OrientedSoup capped = soup_of(holed);
  EXPECT_EQ(capped.caps, 8u);
  EXPECT_NEAR(volume_of(capped), 1, 1e-9);
}

TEST(OrientedSoup, LeavesOutDuplicatesAndBrokenTriangles) {
  const PolyMesh cube = test::box({0, 0, 0}, {1, 1, 1});
  const OrientedSoup twice = soup_of(test::joined({cube, test::flipped(cube)}));
  EXPECT_EQ(twice.duplicates, 12u);
  EXPECT_TRUE(twice.closed);
  EXPECT_NEAR(volume_of(twice), 1, 1e-12);
  PolyMesh broken = cube;
  broken.positions.emplace_back(std::nan(""), 0, 0);
  broken.add_face({0, 1, 8});
  EXPECT_EQ(soup_of(broken).triangles.size(), 12u);
}

}  // namespace
}  // namespace sinew
