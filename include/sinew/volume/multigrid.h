// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/result.h"
#include "sinew/volume/voxel_grid.h"

namespace sinew {

/// Options of Multigrid::build().
struct MultigridOptions {
  int sweeps = 2;      ///< Gauss-Seidel sweeps before and after each coarse correction
  int coarsest = 100;  ///< unknowns below which the system is factored
};

/// A hierarchy of ever coarser grids for one symmetric positive definite matrix on the vertices of a voxel
/// grid, in which some vertices are fixed. Coarse matrices are P' A P with trilinear P from the lattice of
/// cells twice as wide, rows of fixed vertices dropped: so the ragged boundary and the fixed vertices are seen
/// on every level. Used as a preconditioner of conjugate gradients; cost and memory are linear in the grid.
/// Columns (right-hand sides) go through in blocks; bits do not depend on threads.
class Multigrid {
 public:
  /// A: n x n, n = grid.vertex_count(), entries at most two vertices away along an axis; rows and columns of
  /// fixed vertices are ignored. kImpossible: the coarsest matrix is singular.
  static Result<Multigrid> build(const VoxelGrid& grid, const Eigen::SparseMatrix<double, Eigen::RowMajor>& A,
                                 std::span<const std::uint8_t> fixed, const MultigridOptions& options = {});

  /// The same for grid_stiffness(grid) and grid_bilaplacian(grid), in far less memory: rows that are alike are
  /// stored once, and no sparse matrix is made on the way.
  static Result<Multigrid> build_laplacian(const VoxelGrid& grid, std::span<const std::uint8_t> fixed,
                                           const MultigridOptions& options = {});
  static Result<Multigrid> build_bilaplacian(const VoxelGrid& grid, std::span<const std::uint8_t> fixed,
                                             const MultigridOptions& options = {});

  struct Solution {
    Eigen::MatrixXd x;    ///< n x columns; fixed rows as given
    int iterations = 0;   ///< of the slowest column
    double residual = 0;  ///< largest |r| / |b| of a column
  };
  /// Minimises 1/2 x' A x - b' x, with x as given at fixed vertices; `start` holds those values, and guesses
  /// elsewhere. b may have no rows: zero.
  Solution solve(const Eigen::MatrixXd& b, const Eigen::MatrixXd& start, double tolerance = 1e-8,
                 int max_iterations = 200) const;

  /// One V-cycle for each column of b: a cheap approximate inverse of A, linear, symmetric and positive
  /// definite on the free vertices, which descent methods use as their metric. 0 at fixed vertices.
  using Columns = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Columns precondition(const Eigen::Ref<const Columns>& b) const;

  /// `solve` within low <= x <= high (fixed values must lie there): projected conjugate gradients, the
  /// hierarchy correcting what is not held by a bound. `energy_tolerance` bounds the estimated distance of the
  /// energy to its minimum, relative.
  struct BoundedSolution {
    Eigen::MatrixXd x;
    int iterations = 0;
    double residual = 0;          ///< largest estimate of (energy - minimum) / energy over the columns
    std::vector<double> history;  ///< that estimate after every iteration
  };
  BoundedSolution solve_bounded(const Eigen::MatrixXd& start, double low, double high,
                                double energy_tolerance = 1e-4, int max_iterations = 200,
                                const Progress* progress = nullptr) const;

  std::size_t levels() const;
  std::size_t memory_bytes() const;

  struct Hierarchy;

 private:
  explicit Multigrid(std::shared_ptr<const Hierarchy> hierarchy);
  std::shared_ptr<const Hierarchy> hierarchy_;
};

}  // namespace sinew
