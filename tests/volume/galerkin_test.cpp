// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "grids.h"
#include "sinew/volume/grid_laplacian.h"
#include "volume/coarsen.h"
#include "volume/grid_kernels.h"

namespace sinew {
namespace {

Eigen::MatrixXd dense(const SpanMatrix& A) {
  const auto n = static_cast<Eigen::Index>(A.rows);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  for (const SpanMatrix::Span& span : A.spans)
    for (std::uint32_t i = span.first; i < span.first + span.count; ++i)
      for (std::size_t e = span.entries; e < span.entries + span.width; ++e)
        matrix(i, static_cast<Eigen::Index>(i) + A.columns[e]) += A.values[e];
  return matrix;
}

// P by its definition: a product of hats around the coarse vertices, nothing at held vertices.
Eigen::MatrixXd hats(const LatticeSet& fine, const LatticeSet& coarse, std::span<const std::uint8_t> held) {
  Eigen::MatrixXd P(static_cast<Eigen::Index>(fine.size()), static_cast<Eigen::Index>(coarse.size()));
  for (std::uint32_t i = 0; i < fine.size(); ++i)
    for (std::uint32_t j = 0; j < coarse.size(); ++j) {
      const Vec3 d = (fine[i].cast<double>() / 2 - coarse[j].cast<double>()).cwiseAbs();
      P(i, j) = held[i] ? 0 : (1 - d.array()).max(0.0).prod();
    }
  return P;
}

struct Pair {
  VoxelGrid grid;
  std::vector<std::uint8_t> held;
  LatticeSet coarse;
  explicit Pair(VoxelGrid of) : grid(std::move(of)), held(grid.vertex_count(), 0) {
    for (std::uint32_t v = 0; v < held.size(); v += 61) held[v] = 1;
    coarse = corners_of_cells(coarsen_cells(grid.cells()));
  }
};
std::vector<Pair> pairs() {
  std::mt19937 random(3);
  return {Pair(test::ragged_grid(10)), Pair(test::make_grid(Vec3i(23, 6, 5))),
          Pair(test::make_grid(Vec3i(12, 7, 7), 1, [&](const Vec3i&) { return random() % 3 != 0; }))};
}

TEST(SpanMatrix, HoldsTheMatricesOfTheGrid) {
  for (const Pair& pair : pairs()) {
    const Eigen::MatrixXd L = grid_stiffness(pair.grid), B = grid_bilaplacian(pair.grid);
    EXPECT_LT((dense(laplacian_spans(pair.grid, pair.held)) - L).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((dense(bilaplacian_spans(pair.grid, pair.held)) - B).cwiseAbs().maxCoeff(),
              1e-12 * B.cwiseAbs().maxCoeff());
    EXPECT_EQ(dense(to_spans(pair.grid.vertices(), grid_bilaplacian(pair.grid), pair.held)), B);
  }
}

TEST(SpanMatrix, CoarseMatricesAreTheTripleProduct) {
  for (const Pair& pair : pairs()) {
    const SpanMatrix fine = bilaplacian_spans(pair.grid, pair.held);
    const SpanMatrix coarse = galerkin(pair.grid.vertices(), fine, pair.held, pair.coarse);
    const Eigen::MatrixXd P = hats(pair.grid.vertices(), pair.coarse, pair.held);
    const Eigen::MatrixXd expected = P.transpose() * dense(fine) * P;
    EXPECT_LT((dense(coarse) - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
    // And once more, from a matrix of the wider pattern.
    const LatticeSet third = corners_of_cells(coarsen_cells(coarsen_cells(pair.grid.cells())));
    const std::vector<std::uint8_t> none(pair.coarse.size(), 0);
    const Eigen::MatrixXd Q = hats(pair.coarse, third, none);
    const Eigen::MatrixXd next = Q.transpose() * expected * Q;
    EXPECT_LT((dense(galerkin(pair.coarse, coarse, none, third)) - next).cwiseAbs().maxCoeff(),
              1e-12 * next.cwiseAbs().maxCoeff());
  }
}

TEST(SpanMatrix, ALongBarIsMostlyRepeats) {
  const Pair pair(test::make_grid(Vec3i(200, 4, 4)));
  const std::vector<std::uint8_t> none(pair.grid.vertex_count(), 0);
  const SpanMatrix fine = bilaplacian_spans(pair.grid, none);
  const SpanMatrix coarse = galerkin(pair.grid.vertices(), fine, none, pair.coarse);
  EXPECT_LT(fine.spans.size() * 20, fine.rows);
  EXPECT_LT(coarse.spans.size() * 10, coarse.rows);
}

TEST(GridTransfer, IsTheProductOfHatsAndItsTranspose) {
  for (const Pair& pair : pairs()) {
    const GridTransfer transfer = make_transfer(pair.grid.vertices(), pair.coarse, pair.held);
    const Eigen::MatrixXd P = hats(pair.grid.vertices(), pair.coarse, pair.held);
    using Block = Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>;
    const Block c = Block::Random(P.cols(), 4);
    Block f = Block::Random(P.rows(), 4), mask = (Block::Random(P.rows(), 4).array() > 0).cast<double>();
    for (Eigen::Index i = 0; i < f.rows(); ++i)
      if (pair.held[static_cast<std::size_t>(i)]) f.row(i).setZero();
    Block restricted(P.cols(), 4), prolonged = f;
    restrict_to<4, double>(transfer, f.data(), restricted.data(), pair.coarse.size());
    prolong_add<4, double>(transfer, c.data(), mask.data(), prolonged.data());
    EXPECT_LT((restricted - P.transpose() * f).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((prolonged - f - mask.cwiseProduct(P * c)).cwiseAbs().maxCoeff(), 1e-12);
    for (Eigen::Index j = 0; j < P.cols(); ++j)
      EXPECT_NEAR(transfer.coverage[static_cast<std::size_t>(j)], P.col(j).sum(), 1e-12);
  }
}

}  // namespace
}  // namespace sinew
