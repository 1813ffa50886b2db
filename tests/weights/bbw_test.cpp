// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/bbw.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bone_problem.h"
#include "sinew/volume/grid_laplacian.h"
#include "volume/grids.h"

namespace sinew {
namespace {

// Handles at the two end faces of a bar along x.
HandleMap end_faces(const VoxelGrid& grid, int n) {
  HandleMap map;
  map.cells.resize(2);
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
    const int x = grid.vertices()[v].x();
    map.of_vertex.push_back(x == 0 ? 0 : x == n ? 1 : -1);
  }
  return map;
}

TEST(Bbw, ABarBetweenItsEndFacesGivesTheCubic) {
  for (const int n : {8, 16, 32}) {
    const VoxelGrid grid = test::make_grid(Vec3i(n, 2, 2));
    const auto bbw = grid_bbw(grid, end_faces(grid, n), {.tolerance = 1e-12, .max_iterations = 1000});
    ASSERT_TRUE(bbw.ok());
    for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
      const double t = grid.vertices()[v].x() / static_cast<double>(n);
      EXPECT_NEAR(bbw->values(v, 1), t * t * (3 - 2 * t), 0.25 / (n * n)) << n;
      EXPECT_NEAR(bbw->values(v, 0) + bbw->values(v, 1), 1, 1e-4);
    }
  }
}

// Three bones in an L-shaped body, so that bounds do hold.
struct SmallProblem {
  VoxelGrid grid =
      test::make_grid(Vec3i(12, 9, 3), 1.0, [](const Vec3i& c) { return c.x() < 4 || c.y() < 3; });
  HandleMap handles = map_handles(grid, std::vector<Handle>{{Vec3(1.5, 6.5, 1.5), Vec3(1.5, 8.5, 1.5)},
                                                            {Vec3(1.5, 1.5, 1.5), Vec3(1.5, 3.5, 1.5)},
                                                            {Vec3(7.5, 1.5, 1.5), Vec3(11, 1.5, 1.5)}});
};

TEST(Bbw, BoundsAreExactAndHandlesKeepTheirs) {
  const SmallProblem problem;
  const auto bbw = grid_bbw(problem.grid, problem.handles);
  ASSERT_TRUE(bbw.ok());
  EXPECT_GE(bbw->values.minCoeff(), 0);
  EXPECT_LE(bbw->values.maxCoeff(), 1);
  for (std::uint32_t v = 0; v < problem.grid.vertex_count(); ++v) {
    const int owner = problem.handles.of_vertex[v];
    for (int j = 0; owner >= 0 && j < 3; ++j) EXPECT_EQ(bbw->values(v, j), j == owner ? 1 : 0);
  }
}

// scipy's L-BFGS-B on the same quadratic program, written out for it.
TEST(Bbw, TheObjectiveIsThatOfAnIndependentSolver) {
  if (std::system("/usr/bin/python3 -c 'import scipy' 2>/dev/null") != 0)
    GTEST_SKIP() << "no scipy here (python3-scipy)";
  const SmallProblem problem;
  const auto A = grid_bilaplacian(problem.grid);
  const auto bbw = grid_bbw(problem.grid, problem.handles, {.tolerance = 1e-6});
  ASSERT_TRUE(bbw.ok());
  const auto folder = std::filesystem::temp_directory_path() / ("sinew-bbw-" + std::to_string(std::rand()));
  std::filesystem::create_directory(folder);
  {
    std::ofstream matrix(folder / "a.txt"), fixed(folder / "fixed.txt");
    matrix.precision(17);
    for (Eigen::Index r = 0; r < A.outerSize(); ++r)
      for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(A, r); it; ++it)
        matrix << r << ' ' << it.col() << ' ' << it.value() << '\n';
    for (const int owner : problem.handles.of_vertex) fixed << owner << '\n';
    std::ofstream(folder / "solve.py") << R"(
import numpy as np, scipy.sparse as sp, scipy.optimize as so, sys
t = np.loadtxt('a.txt'); owner = np.loadtxt('fixed.txt').astype(int); n = len(owner)
A = sp.csr_matrix((t[:, 2], (t[:, 0].astype(int), t[:, 1].astype(int))), shape=(n, n))
free = owner < 0
for j in range(3):
    w = np.where(owner == j, 1.0, 0.0)
    def f(x):
        w[free] = x
        g = A @ w
        return 0.5 * w @ g, g[free]
    x = np.full(free.sum(), 0.3)
    for _ in range(20):
        x = so.minimize(f, x, jac=True, bounds=[(0, 1)] * len(x), method='L-BFGS-B', options=dict(maxiter=20000, maxfun=40000, ftol=1e-16, gtol=1e-12, maxcor=50)).x
    print(repr(float(f(x)[0])), file=open('out.txt', 'a'))
)";
  }
  ASSERT_EQ(std::system(("cd " + folder.string() + " && /usr/bin/python3 solve.py").c_str()), 0);
  std::ifstream out(folder / "out.txt");
  int held = 0;
  for (int j = 0; j < 3; ++j) {
    double expected = 0;
    ASSERT_TRUE(out >> expected);
    const double energy = 0.5 * bbw->values.col(j).dot(A * bbw->values.col(j));
    EXPECT_NEAR(energy / expected, 1, 1e-3);
    for (std::uint32_t v = 0; v < problem.grid.vertex_count(); ++v)
      held += problem.handles.of_vertex[v] < 0 && (bbw->values(v, j) == 0 || bbw->values(v, j) == 1);
  }
  EXPECT_GT(held, 10) << "a problem whose bounds never hold proves nothing";
  std::filesystem::remove_all(folder);
}

TEST(Bbw, SurfaceWeightsArePartitionsOfUnity) {
  const test::BoneProblem problem = test::two_bone_bar();
  const auto bbw = bbw_weights(problem.input());
  ASSERT_TRUE(bbw.ok());
  EXPECT_LT(test::partition_error(bbw->weights), 1e-9);
  for (std::size_t i = 0; i < problem.welded.weld.positions.size(); ++i) {
    const double x = problem.welded.weld.positions[i].x();
    EXPECT_TRUE(bbw->weights.bound[i]);
    if (x < 0.5) {
      EXPECT_GT(bbw->weights.values(static_cast<Eigen::Index>(i), 0), 0.95);
    }
    if (x > 3.5) {
      EXPECT_GT(bbw->weights.values(static_cast<Eigen::Index>(i), 1), 0.95);
    }
  }
}

}  // namespace
}  // namespace sinew
