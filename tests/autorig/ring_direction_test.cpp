// SPDX-License-Identifier: Apache-2.0
#include "autorig/ring_direction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

// A beam of six by one by one. Its sections are a square across and a rectangle along, and from the middle of its top
// all rays start at its centre: what they measure has a closed form.
struct Beam {
  PolyMesh mesh = test::box({0, 0, 0}, {6, 1, 1}, 4);
  std::vector<std::uint32_t> faces = std::vector<std::uint32_t>(mesh.face_count());
  std::uint32_t top = 0;

  Beam() {
    std::iota(faces.begin(), faces.end(), 0u);
    while ((mesh.positions[top] - Vec3(3, 1, 0.5)).norm() > 1e-9) ++top;
  }
  bool has(std::uint32_t face, std::uint32_t vertex) const {
    const auto corners = mesh.face(face);
    return std::find(corners.begin(), corners.end(), vertex) != corners.end();
  }
  // Whether the edge that leaves the vertex in this face runs across the beam.
  bool leaves_across(std::uint32_t face) const {
    const auto corners = mesh.face(face);
    std::size_t at = 0;
    while (corners[at] != top) ++at;
    const Vec3 edge = mesh.positions[corners[(at + 1) % corners.size()]] - mesh.positions[top];
    return std::abs(edge.z()) > std::abs(edge.x());
  }
};

TEST(RingDirection, TheSectionAcrossABeamIsTheEvenOne) {
  const Beam beam;
  // Ten lines, 18 degrees apart: the nearest points are half a side away, the farthest of a square at 36 degrees.
  const double across = 0.5 / std::cos(std::numbers::pi / 5) - 0.5, along = 3 - 0.5;
  int faces = 0, leaving = 0;
  for (const std::uint32_t f : beam.faces) {
    if (!beam.has(f, beam.top)) continue;
    const auto found = ring_direction(beam.mesh, beam.faces, f, beam.top);
    ASSERT_TRUE(found.has_value());
    const bool first = beam.leaves_across(f);
    EXPECT_NEAR(found->spread[first ? 0 : 1], across, 1e-9);
    EXPECT_NEAR(found->spread[first ? 1 : 0], along, 1e-9);
    EXPECT_EQ(found->leaving_is_around(), first);
    ++faces;
    leaving += first;
  }
  EXPECT_EQ(faces, 4);
  EXPECT_EQ(leaving, 2);
}

TEST(RingDirection, ALineThatLeavesALimbAtItsOpenEndIsNotAround) {
  const Beam beam;
  std::vector<std::uint32_t> sides;  // without the ends
  for (const std::uint32_t f : beam.faces) {
    const auto corners = beam.mesh.face(f);
    const Vec3 &a = beam.mesh.positions[corners[0]], &b = beam.mesh.positions[corners[2]];
    if (std::abs(a.x() - b.x()) > 1e-9) sides.push_back(f);
  }
  for (const std::uint32_t f : sides) {
    if (!beam.has(f, beam.top)) continue;
    const auto found = ring_direction(beam.mesh, sides, f, beam.top);
    ASSERT_TRUE(found.has_value());
    EXPECT_TRUE(std::isinf(found->spread[beam.leaves_across(f) ? 1 : 0]));
    EXPECT_FALSE(std::isinf(found->spread[beam.leaves_across(f) ? 0 : 1]));
  }
}

TEST(RingDirection, IsNotKnownWhereTheRayMeetsNothing) {
  const Beam beam;
  std::uint32_t f = 0;
  while (!beam.has(f, beam.top)) ++f;
  EXPECT_FALSE(ring_direction(beam.mesh, {&f, 1}, f, beam.top).has_value());
  std::uint32_t other = 0;
  while (beam.has(other, beam.top)) ++other;
  EXPECT_FALSE(ring_direction(beam.mesh, beam.faces, other, beam.top).has_value()) << "no corner of the face";
}

}  // namespace
}  // namespace sinew::autorig
