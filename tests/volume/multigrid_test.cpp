// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/multigrid.h"

#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <random>

#include "grids.h"
#include "sinew/core/parallel.h"
#include "sinew/volume/grid_laplacian.h"

namespace sinew {
namespace {

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// The same matrix, cell by cell and edge by edge.
Eigen::MatrixXd stiffness_by_definition(const VoxelGrid& grid) {
  const auto n = static_cast<Eigen::Index>(grid.vertex_count());
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  for (const auto& corners : grid.all_cell_vertices())
    for (const auto& [a, b] : kCellEdges) {
      const double w = grid.cell_size() / 4;
      matrix(corners[a], corners[a]) += w;
      matrix(corners[b], corners[b]) += w;
      matrix(corners[a], corners[b]) -= w;
      matrix(corners[b], corners[a]) -= w;
    }
  return matrix;
}

std::vector<std::uint8_t> fix_low_x(const VoxelGrid& grid, Eigen::MatrixXd& start) {
  std::vector<std::uint8_t> fixed(grid.vertex_count(), 0);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(0, 1);
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v)
    if (grid.vertices()[v].x() <= 3) {
      fixed[v] = 1;
      for (Eigen::Index c = 0; c < start.cols(); ++c) start(v, c) = number(random);
    }
  return fixed;
}

// Direct solution with the fixed values eliminated.
Eigen::MatrixXd solve_directly(const RowMatrix& A, const std::vector<std::uint8_t>& fixed,
                               const Eigen::MatrixXd& start) {
  Eigen::SparseMatrix<double> system = A;
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(start.rows(), start.cols());
  for (Eigen::Index c = 0; c < system.outerSize(); ++c)
    for (Eigen::SparseMatrix<double>::InnerIterator it(system, c); it; ++it) {
      const bool row = fixed[static_cast<std::size_t>(it.row())] != 0,
                 column = fixed[static_cast<std::size_t>(c)] != 0;
      if (!row && column) right.row(it.row()) -= it.value() * start.row(c);
      if (row || column) it.valueRef() = it.row() == c ? 1 : 0;
    }
  for (Eigen::Index i = 0; i < start.rows(); ++i)
    if (fixed[static_cast<std::size_t>(i)]) right.row(i) = start.row(i);
  return Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>(system).solve(right);
}

TEST(GridLaplacian, IsTheSumOverTheEdgesOfAllCells) {
  const VoxelGrid grid = test::ragged_grid(9);
  EXPECT_LT((Eigen::MatrixXd(grid_stiffness(grid)) - stiffness_by_definition(grid)).cwiseAbs().maxCoeff(),
            1e-12);
}

TEST(GridLaplacian, MassesSumToTheVolume) {
  const VoxelGrid grid = test::make_grid(Vec3i(5, 4, 3), 0.5);
  EXPECT_NEAR(grid_masses(grid).sum(), 60 * 0.125, 1e-12);
}

TEST(GridLaplacian, LinearFunctionsAreHarmonicInside) {
  const VoxelGrid grid = test::make_grid(Vec3i(6, 6, 6), 0.25);
  Eigen::VectorXd u(static_cast<Eigen::Index>(grid.vertex_count()));
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v)
    u[v] = Vec3(1, -2, 3).dot(grid.vertex_position(v)) + 7;
  const Eigen::VectorXd flow = grid_stiffness(grid) * u;
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
    const Vec3i p = grid.vertices()[v];
    if (p.minCoeff() > 0 && p.maxCoeff() < 6) {
      EXPECT_NEAR(flow[v], 0, 1e-12);
    }
  }
  // The energy is the integral of the squared gradient: |g|^2 V.
  EXPECT_NEAR(u.dot(flow), 14 * 1.5 * 1.5 * 1.5, 1e-9);
}

TEST(Multigrid, SolvesAsADirectSolverDoes) {
  const VoxelGrid grid = test::ragged_grid(16);
  Eigen::MatrixXd start = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(grid.vertex_count()), 3);
  const auto fixed = fix_low_x(grid, start);
  for (const RowMatrix& A : {grid_stiffness(grid), grid_bilaplacian(grid)}) {
    const auto multigrid = Multigrid::build(grid, A, fixed, {.coarsest = 50});
    ASSERT_TRUE(multigrid.ok());
    EXPECT_GE(multigrid->levels(), 3u);
    const auto solution = multigrid->solve({}, start, 1e-10, 500);
    EXPECT_LT(solution.residual, 1e-10);
    EXPECT_LT((solution.x - solve_directly(A, fixed, start)).cwiseAbs().maxCoeff(), 1e-6);
  }
}

// Built from the grid alone or from the sparse matrix: one operator. A body with holes and bones inside, deep
// enough that most rows are recognised as repeats and not computed.
TEST(Multigrid, StencilsAreTheSparseMatrices) {
  const VoxelGrid grid = test::ragged_grid(18);
  Eigen::MatrixXd start = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(grid.vertex_count()), 2);
  auto fixed = fix_low_x(grid, start);
  for (std::uint32_t v = 0; v < grid.vertex_count(); v += 97) fixed[v] = 1;
  const auto compare = [&](const RowMatrix& A, const Result<Multigrid>& stencils) {
    const auto sparse = Multigrid::build(grid, A, fixed);
    ASSERT_TRUE(sparse.ok() && stencils.ok());
    const auto a = sparse->solve({}, start, 1e-9, 300), b = stencils->solve({}, start, 1e-9, 300);
    EXPECT_EQ(a.iterations, b.iterations);
    EXPECT_LT((a.x - b.x).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((b.x - solve_directly(A, fixed, start)).cwiseAbs().maxCoeff(), 1e-6);
  };
  compare(grid_stiffness(grid), Multigrid::build_laplacian(grid, fixed));
  compare(grid_bilaplacian(grid), Multigrid::build_bilaplacian(grid, fixed));
}

TEST(Multigrid, MemoryFollowsTheSurfaceInsideSolidBodies) {
  std::vector<double> bytes;
  for (const int n : {16, 32, 64}) {
    const VoxelGrid grid = test::make_grid(Vec3i(n, n, n));
    std::vector<std::uint8_t> fixed(grid.vertex_count(), 0);
    fixed[0] = 1;
    const auto multigrid = Multigrid::build_bilaplacian(grid, fixed);
    ASSERT_TRUE(multigrid.ok());
    bytes.push_back(static_cast<double>(multigrid->memory_bytes()));
  }
  EXPECT_LT(bytes[2] / bytes[1], 6.5);  // 8 for a general matrix
  EXPECT_LT(bytes[2], 65 * 65 * 65 * 60.0) << "a sparse matrix needs 300 bytes a vertex";
}

TEST(Multigrid, IterationsDoNotGrowWithTheGrid) {
  int previous = 0;
  for (const int n : {12, 24, 48}) {
    const VoxelGrid grid = test::ragged_grid(n);
    Eigen::MatrixXd start = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(grid.vertex_count()), 1);
    const auto fixed = fix_low_x(grid, start);
    const auto multigrid = Multigrid::build(grid, grid_stiffness(grid), fixed);
    ASSERT_TRUE(multigrid.ok());
    const int iterations = multigrid->solve({}, start, 1e-8, 200).iterations;
    EXPECT_LE(iterations, 16) << n;
    if (previous > 0) {
      EXPECT_LE(iterations, previous + 4) << n;
    }
    previous = iterations;
  }
}

TEST(Multigrid, ARightHandSideIsHonoured) {
  // -u'' = 2 between two fixed ends of a bar: u = t (n - t).
  const int n = 20;
  const VoxelGrid grid = test::make_grid(Vec3i(n, 2, 2));
  std::vector<std::uint8_t> fixed;
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) fixed.push_back(grid.vertices()[v].x() % n == 0);
  const auto multigrid = Multigrid::build(grid, grid_stiffness(grid), fixed, {.coarsest = 20});
  ASSERT_TRUE(multigrid.ok());
  const auto solution =
      multigrid->solve(2 * grid_masses(grid),
                       Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(grid.vertex_count()), 1), 1e-11, 300);
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
    const int t = grid.vertices()[v].x();
    EXPECT_NEAR(solution.x(v, 0), t * (n - t), 1e-6);
  }
}

TEST(Multigrid, BoundedSolutionsObeyTheConditionsOfAMinimum) {
  const VoxelGrid grid = test::ragged_grid(14);
  Eigen::MatrixXd start = Eigen::MatrixXd::Constant(static_cast<Eigen::Index>(grid.vertex_count()), 2, 0.5);
  const auto fixed = fix_low_x(grid, start);
  const RowMatrix A = grid_bilaplacian(grid);
  const auto multigrid = Multigrid::build(grid, A, fixed, {.coarsest = 50});
  ASSERT_TRUE(multigrid.ok());
  // Bounds so tight that many of them hold.
  const double low = 0.3, high = 0.7;
  const Eigen::MatrixXd clamped = start.cwiseMax(low).cwiseMin(high);
  const auto solution = multigrid->solve_bounded(clamped, low, high, 1e-12, 600);
  EXPECT_GE(solution.x.minCoeff(), low);
  EXPECT_LE(solution.x.maxCoeff(), high);
  const Eigen::MatrixXd gradient = A * solution.x;
  const double scale = gradient.cwiseAbs().maxCoeff();
  int held = 0;
  for (Eigen::Index c = 0; c < 2; ++c)
    for (Eigen::Index i = 0; i < gradient.rows(); ++i) {
      if (fixed[static_cast<std::size_t>(i)]) continue;
      const double x = solution.x(i, c), g = gradient(i, c);
      held += x == low || x == high;
      if (x > low) {
        EXPECT_LT(g, 1e-4 * scale);
      }
      if (x < high) {
        EXPECT_GT(g, -1e-4 * scale);
      }
    }
  EXPECT_GT(held, 10);
}

// Two, four or eight right-hand sides go through together.
TEST(Multigrid, AColumnDoesNotDependOnThoseBesideIt) {
  const VoxelGrid grid = test::ragged_grid(12);
  const auto n = static_cast<Eigen::Index>(grid.vertex_count());
  Eigen::MatrixXd start = Eigen::MatrixXd::Zero(n, 1);
  const auto fixed = fix_low_x(grid, start);
  const auto multigrid = Multigrid::build(grid, grid_stiffness(grid), fixed, {.coarsest = 50});
  ASSERT_TRUE(multigrid.ok());
  std::mt19937 random(11);
  std::normal_distribution<float> number;
  Multigrid::Columns b(n, 17);
  for (Eigen::Index k = 0; k < b.size(); ++k) b.data()[k] = number(random);
  const Multigrid::Columns all = multigrid->precondition(b);
  for (const Eigen::Index count : {1, 2, 4, 7}) {
    const Multigrid::Columns some = b.rightCols(count);
    EXPECT_LT((multigrid->precondition(some) - all.rightCols(count)).cwiseAbs().maxCoeff(),
              1e-6f * all.cwiseAbs().maxCoeff())
        << count;
  }
}

TEST(Multigrid, TheSameBitsForAnyNumberOfThreads) {
  const VoxelGrid grid = test::ragged_grid(12);
  Eigen::MatrixXd start = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(grid.vertex_count()), 19);
  const auto fixed = fix_low_x(grid, start);
  const auto multigrid = Multigrid::build(grid, grid_bilaplacian(grid), fixed);
  ASSERT_TRUE(multigrid.ok());
  set_thread_count(1);
  const auto one = multigrid->solve_bounded(start, 0, 1, 1e-5, 60);
  set_thread_count(2);
  const auto two = multigrid->solve_bounded(start, 0, 1, 1e-5, 60);
  set_thread_count(0);
  EXPECT_TRUE((one.x.array() == two.x.array()).all());
}

}  // namespace
}  // namespace sinew
