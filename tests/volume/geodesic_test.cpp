// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/geodesic.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/math/segment.h"
#include "sinew/volume/handles.h"
#include "sinew/volume/voxelize.h"
#include "support/shapes.h"

namespace sinew {
namespace {

VoxelGrid grid_of(const PolyMesh& mesh, double cell_size) {
  const TriangleView view = triangulate(mesh);
  VoxelizeOptions options;
  options.cell_size = cell_size;
  return voxelize({mesh.positions, view.triangles}, options)->grid;
}

std::vector<float> from_point(const VoxelGrid& grid, const Vec3& point) {
  std::vector<float> distances(grid.cell_count());
  const GeodesicSeed seed{grid.cell_at(point), 0};
  GeodesicSolver(grid).solve(std::span(&seed, 1), distances);
  return distances;
}

std::vector<GeodesicSeed> seeds_of(const VoxelGrid& grid, const Handle& bone) {
  std::vector<GeodesicSeed> seeds;
  for (const std::uint32_t cell : cells_crossed(grid, bone))
    seeds.push_back({cell, distance_to_segment(grid.cell_centre(cell), bone.head, bone.ends[0])});
  return seeds;
}

TEST(Geodesic, IsExactAlongAxesAndSlightlyLongElsewhereInAConvexBody) {
  const VoxelGrid grid = grid_of(test::box({0, 0, 0}, {4, 4, 4}), 0.125);
  const Vec3 middle = grid.cell_centre(grid.cell_at({2.01, 2.01, 2.01}));
  const auto distances = from_point(grid, middle);
  double worst = 0;
  for (std::uint32_t c = 0; c < grid.cell_count(); ++c) {
    const Vec3 offset = grid.cell_centre(c) - middle;
    const double straight = offset.norm();
    EXPECT_GE(distances[c], straight * (1 - 1e-5));
    if (straight > 0.5) worst = std::max(worst, distances[c] / straight - 1);
    if ((offset.array().abs() > 1e-9).count() <= 1) {
      EXPECT_NEAR(distances[c], straight, 1e-5);
    }
  }
  EXPECT_LT(worst, 0.07);
  RecordProperty("worst_percent", std::to_string(100 * worst));
}

// Bodies a cell apart, so that rows have gaps, and cells that touch in an edge or a corner alone.
TEST(Geodesic, NeighboursAreAllCellsThatTouch) {
  const VoxelGrid grid =
      grid_of(test::joined({test::uv_sphere({0, 0, 0}, 0.9), test::uv_sphere({1.3, 0.9, 0.2}, 0.6),
                            test::box({-0.3, 1.0, -0.3}, {0.2, 1.4, 0.5})}),
              0.1);
  const GeodesicSolver solver(grid);
  for (std::uint32_t c = 0; c < grid.cell_count(); ++c) {
    std::vector<std::uint32_t> brute, found;
    const Vec3i at = grid.cells()[c];
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          if (const std::uint32_t other = grid.cells().find(at + Vec3i(dx, dy, dz));
              other != kNoIndex && other != c)
            brute.push_back(other);
    solver.visit_neighbours(c, [&](std::uint32_t other) { found.push_back(other); });
    ASSERT_EQ(found, brute) << at.transpose();
  }
}

TEST(Geodesic, GoesAroundTheBend) {
  // A horseshoe: two arms of length 4, one apart, joined at x = 0.
  const PolyMesh shape = test::joined(
      {test::box({0, 0, 0}, {4, 1, 1}), test::box({0, 2, 0}, {4, 3, 1}), test::box({0, 0, 0}, {1, 3, 1})});
  const VoxelGrid grid = grid_of(shape, 0.1);
  const auto distances = from_point(grid, {3.95, 0.5, 0.5});
  // Along the lower arm to the inner corner (1, 1), up to (1, 2), out along the upper one.
  const double expected = std::hypot(2.95, 0.5) + 1 + std::hypot(2.95, 0.5);
  EXPECT_NEAR(distances[grid.cell_at({3.95, 2.5, 0.5})], expected, 0.06 * expected);
}

TEST(Geodesic, AgreesWithASlowRelaxationOfEveryStep) {
  // Dijkstra's steps alone, to a fixed point, are an upper bound; the straight line a lower one.
  const VoxelGrid grid = grid_of(test::torus(2, 0.5), 0.2);
  const auto distances = from_point(grid, {2, 0, 0});
  std::vector<double> steps(grid.cell_count(), 1e30);
  steps[grid.cell_at({2, 0, 0})] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t c = 0; c < grid.cell_count(); ++c)
      for (int k = 0; k < 27; ++k) {
        const Vec3i step(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        const std::uint32_t other = grid.cells().find(grid.cells()[c] + step);
        if (other == kNoIndex) continue;
        const double offer = steps[other] + 0.2 * step.cast<double>().norm();
        if (offer < steps[c] - 1e-9) {
          steps[c] = offer;
          changed = true;
        }
      }
  }
  for (std::uint32_t c = 0; c < grid.cell_count(); ++c) {
    EXPECT_LE(distances[c], steps[c] + 1e-4);
    EXPECT_GE(distances[c], 0.85 * steps[c] - 1e-4);
  }
}

TEST(Geodesic, AHandTwoVoxelsFromAThighIsNotReachedFromIt) {
  const VoxelGrid grid = grid_of(test::hand_near_thigh(0.2), 0.1);
  const std::vector<float> from_thigh = geodesic_distances(grid, seeds_of(grid, {{0, 0, 0}, {0, 0, 3}}));
  const std::vector<float> from_hand = geodesic_distances(grid, seeds_of(grid, {{0.8, 0, 1}, {0.8, 0, 2}}));
  const std::uint32_t hand = grid.cell_at({0.8, 0, 1.5}), thigh = grid.cell_at({0, 0, 1.5});
  EXPECT_TRUE(std::isinf(from_thigh[hand]));
  EXPECT_TRUE(std::isinf(from_hand[thigh]));
  EXPECT_LT(from_thigh[thigh], 0.1);
  EXPECT_LT(from_hand[hand], 0.1);
}

TEST(Geodesic, FromABoneIsTheDistanceToItsSegmentInAStraightLimb) {
  const VoxelGrid grid = grid_of(test::capped_cylinder(1, 8, 48, 20), 0.125);
  const std::vector<float> distances = geodesic_distances(grid, seeds_of(grid, {{1, 0, 0}, {4, 0, 0}}));
  for (std::uint32_t c = 0; c < grid.cell_count(); ++c) {
    const Vec3 p = grid.cell_centre(c);
    const double straight = (p - Vec3(std::clamp(p.x(), 1.0, 4.0), 0, 0)).norm();
    EXPECT_NEAR(distances[c], straight, 0.13 + 0.08 * straight);
  }
}

TEST(Geodesic, HasTheSameBitsForAnyThreadCount) {
  const VoxelGrid grid = grid_of(test::random_blob(2), 0.08);
  const auto run = [&] {
    const GeodesicSolver solver(grid);
    std::vector<std::vector<float>> out(8, std::vector<float>(grid.cell_count()));
    parallel_for(out.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t j = begin; j < end; ++j)
        solver.solve(
            seeds_of(grid, {Vec3(0, 0, 0), 0.5 * Vec3(std::cos(double(j)), std::sin(double(j)), 0.3)}),
            out[j]);
    });
    return out;
  };
  set_thread_count(1);
  const auto one = run();
  set_thread_count(0);
  EXPECT_EQ(one, run());
}

TEST(Geodesic, WithoutSeedsEverythingIsInfinitelyFar) {
  const VoxelGrid grid = grid_of(test::box({0, 0, 0}, {1, 1, 1}), 0.25);
  for (const float d : geodesic_distances(grid, {})) EXPECT_TRUE(std::isinf(d));
  EXPECT_TRUE(geodesic_distances(VoxelGrid(), {}).empty());
}

}  // namespace
}  // namespace sinew
