// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/harmonic_volume.h"

#include <gtest/gtest.h>

#include "bone_problem.h"
#include "sinew/volume/grid_laplacian.h"
#include "volume/grids.h"

namespace sinew {
namespace {

TEST(HarmonicVolume, ABarBetweenItsEndFacesGivesTheStraightLine) {
  const int n = 24;
  const VoxelGrid grid = test::make_grid(Vec3i(n, 3, 2), 0.5);
  HandleMap ends;
  ends.cells.resize(2);
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
    const int x = grid.vertices()[v].x();
    ends.of_vertex.push_back(x == 0 ? 0 : x == n ? 1 : -1);
  }
  const auto harmonic = grid_harmonic(grid, ends);
  ASSERT_TRUE(harmonic.ok());
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v)
    EXPECT_NEAR(harmonic->values(v, 1), grid.vertices()[v].x() / static_cast<double>(n), 1e-6);
}

// Any linear function, held on the whole boundary, is reproduced inside: columns are combined as weights are.
TEST(HarmonicVolume, LinearFunctionsAreReproducedFromTheBoundary) {
  const int n = 7;
  const VoxelGrid grid = test::make_grid(Vec3i(n, n, n));
  HandleMap faces;
  Eigen::VectorXd f(static_cast<Eigen::Index>(grid.vertex_count()));
  std::vector<double> held;
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
    const Vec3i p = grid.vertices()[v];
    f[v] = Vec3(1, -2, 0.5).dot(p.cast<double>()) + 3;
    const bool boundary = p.minCoeff() == 0 || p.maxCoeff() == n;
    faces.of_vertex.push_back(boundary ? static_cast<int>(held.size()) : -1);
    if (boundary) held.push_back(f[v]);
  }
  faces.cells.resize(held.size());
  const auto harmonic = grid_harmonic(grid, faces);
  ASSERT_TRUE(harmonic.ok());
  const Eigen::VectorXd values = harmonic->values * Eigen::Map<const Eigen::VectorXd>(
                                                        held.data(), static_cast<Eigen::Index>(held.size()));
  EXPECT_LT((values - f).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(HarmonicVolume, TheMaximumPrincipleHoldsExactlyAndValuesAreMeans) {
  const VoxelGrid grid = test::ragged_grid(16);
  const std::vector<Handle> bones{{Vec3(3.5, 8, 3), Vec3(6.5, 8, 3)},
                                  {Vec3(8, 3.2, 8), Vec3(8, 3.9, 12)},
                                  {Vec3(11.5, 11.5, 8), Vec3(13, 11.5, 8)}};
  const HandleMap handles = map_handles(grid, bones);
  const auto harmonic = grid_harmonic(grid, handles);
  ASSERT_TRUE(harmonic.ok());
  EXPECT_GE(harmonic->values.minCoeff(), 0);
  EXPECT_LE(harmonic->values.maxCoeff(), 1);
  EXPECT_LT((harmonic->values.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-6);
  const auto L = grid_stiffness(grid);
  const Eigen::MatrixXd flow = L * harmonic->values;
  int free = 0;
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
    const int owner = handles.of_vertex[v];
    for (int j = 0; j < 3; ++j) {
      if (owner >= 0) {
        EXPECT_EQ(harmonic->values(v, j), j == owner ? 1 : 0);
        continue;
      }
      EXPECT_NEAR(flow(v, j), 0, 1e-6);
      // No value beyond its neighbours': the principle vertex by vertex.
      double low = 1, high = 0;
      for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(L, v); it; ++it)
        if (it.col() != v) {
          low = std::min(low, harmonic->values(it.col(), j));
          high = std::max(high, harmonic->values(it.col(), j));
        }
      EXPECT_GE(harmonic->values(v, j), low - 1e-6);
      EXPECT_LE(harmonic->values(v, j), high + 1e-6);
      ++free;
    }
  }
  EXPECT_GT(free, 1000);
}

TEST(HarmonicVolume, APartWithoutAHandleSaysNothing) {
  const VoxelGrid grid =
      test::make_grid(Vec3i(12, 2, 2), 1, [](const Vec3i& c) { return c.x() < 5 || c.x() > 6; });
  const HandleMap handles =
      map_handles(grid, std::vector<Handle>{{Vec3(0.5, 0.5, 0.5), Vec3(0.5, 0.5, 0.5)}});
  const auto harmonic = grid_harmonic(grid, handles);
  ASSERT_TRUE(harmonic.ok());
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v)
    EXPECT_NEAR(harmonic->values(v, 0), grid.vertices()[v].x() <= 5 ? 1 : 0, 1e-6);
}

TEST(HarmonicVolume, SurfaceWeightsArePartitionsOfUnity) {
  const test::BoneProblem problem = test::two_bone_bar();
  const auto harmonic = harmonic_volume_weights(problem.input());
  ASSERT_TRUE(harmonic.ok());
  EXPECT_LT(test::partition_error(harmonic->weights), 1e-9);
  for (std::size_t i = 0; i < problem.welded.weld.positions.size(); ++i) {
    EXPECT_TRUE(harmonic->weights.bound[i]);
    const double x = problem.welded.weld.positions[i].x(),
                 w = harmonic->weights.values(static_cast<Eigen::Index>(i), 0);
    if (x < 1.9) {
      EXPECT_GT(w, 0.5);
    }
    if (x > 2.1) {
      EXPECT_LT(w, 0.5);
    }
  }
}

}  // namespace
}  // namespace sinew
