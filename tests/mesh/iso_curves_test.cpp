// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/iso_curves.h"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>

#include "support/shapes.h"

namespace sinew {
namespace {

// An open quad tube along x: ring k holds the vertices [around * k, around * (k + 1)).
struct TubeCurves {
  PolyMesh mesh = test::cylinder(1, 4, 12, 5);
  IsoCurves curves;

  TubeCurves() {
    std::uint32_t level = 0;
    for (std::uint32_t first = 0; first < mesh.vertex_count(); first += 12) {
      std::vector<std::uint32_t> ring;
      for (std::uint32_t k = 0; k < 12; ++k) ring.push_back(first + k);
      curves.add_ring(ring, true, level++);
    }
    curves.limbs = {{0, level, 0, kNoLimb, level - 1}};
  }
};

TEST(IsoCurves, CentresOfATubeLieOnItsAxisAtEvenSteps) {
  const TubeCurves tube;
  ASSERT_TRUE(validate(tube.curves, tube.mesh.vertex_count()).ok());
  const auto centres = ring_centres(tube.curves, tube.mesh.positions);
  const double step = 4.0 / static_cast<double>(centres.size() - 1);
  for (std::size_t r = 0; r < centres.size(); ++r)
    EXPECT_LT((centres[r] - Vec3(step * static_cast<double>(r), 0, 0)).norm(), 1e-12);
}

TEST(IsoCurves, LengthsAreThoseOfInscribedPolygons) {
  const TubeCurves tube;
  for (const double length : ring_lengths(tube.curves, tube.mesh.positions))
    EXPECT_NEAR(length, 24 * std::sin(std::numbers::pi / 12), 1e-12);
}

TEST(IsoCurves, CentreDoesNotDependOnHowDenselyAnEdgeIsSampled) {
  // A unit square, one of its sides cut into 100: the mean of the vertices would lie near that side.
  std::vector<Vec3> positions = {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}};
  for (int k = 1; k < 100; ++k) positions.emplace_back(1 - k / 100.0, 0, 0);
  std::vector<std::uint32_t> ring(positions.size());
  for (std::size_t k = 0; k < ring.size(); ++k) ring[k] = static_cast<std::uint32_t>(k);
  IsoCurves curves;
  curves.add_ring(ring, true, 0);
  EXPECT_LT((ring_centres(curves, positions)[0] - Vec3(0.5, 0.5, 0)).norm(), 1e-12);
}

TEST(IsoCurves, RingsWithoutLengthHaveTheMeanOfTheirVertices) {
  IsoCurves curves;
  curves.add_ring(std::vector<std::uint32_t>{1}, false, 0);
  curves.add_ring(std::vector<std::uint32_t>{0, 2}, false, 1);
  const std::vector<Vec3> positions = {{1, 2, 3}, {4, 5, 6}, {1, 2, 3}};
  const auto centres = ring_centres(curves, positions);
  EXPECT_EQ(centres[0], Vec3(4, 5, 6));
  EXPECT_EQ(centres[1], Vec3(1, 2, 3));
}

TEST(IsoCurves, ValidationRefusesEveryBrokenPromise) {
  const TubeCurves good;
  const std::vector<std::function<void(IsoCurves&)>> faults = {
      [](IsoCurves& c) { c.vertices[3] = c.vertices[4]; }, [](IsoCurves& c) { c.vertices[3] = 1000; },
      [](IsoCurves& c) { c.closed.pop_back(); },           [](IsoCurves& c) { c.level.push_back(0); },
      [](IsoCurves& c) { c.ring_offsets[1] = 0; },         [](IsoCurves& c) { c.ring_offsets[1] = 2; },
      [](IsoCurves& c) { c.limbs[0].ring_end -= 1; },      [](IsoCurves& c) { c.limbs[0].tip = 5000; },
      [](IsoCurves& c) { c.limbs[0].meets = 1; },          [](IsoCurves& c) { c.limbs[0].seam = 77; },
      [](IsoCurves& c) { c.closed[c.limbs[0].seam] = 0; }, [](IsoCurves& c) { c.limbs.clear(); },
  };
  for (std::size_t k = 0; k < faults.size(); ++k) {
    IsoCurves bad = good.curves;
    faults[k](bad);
    const auto result = validate(bad, good.mesh.vertex_count());
    ASSERT_FALSE(result.ok()) << "fault " << k;
    EXPECT_EQ(result.error().code, ErrorCode::kBug);
  }
  EXPECT_TRUE(validate(IsoCurves{}, 0).ok());
}

}  // namespace
}  // namespace sinew
