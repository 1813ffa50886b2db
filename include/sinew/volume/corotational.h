// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/volume/voxel_grid.h"

namespace sinew {

using GridPositions = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;  ///< a row a grid vertex
using CellRotations = std::vector<Eigen::Matrix3f>;                               ///< one a cell

/// The corotational energy of a grid [chao2010, kavan2012]:
///   E(v) = 1/2 sum_c k_c min_R sum_(a, b) |v_b - v_a - R (p_b - p_a)|^2
/// over the cells c, rotations R and the 12 edges of a cell, times a quarter of the cell size, so that its
/// matrix is that of grid_stiffness. k_c is 1 without stiffnesses. Rest and its rigid motions have energy 0.
/// What the elastic reference minimises over positions, and elastic weights over weights.
class Corotational {
 public:
  /// stiffness: per cell, above 0, or empty.
  explicit Corotational(const VoxelGrid& grid, std::span<const float> stiffness = {});

  const VoxelGrid& grid() const { return *grid_; }
  const GridPositions& rest() const { return rest_; }
  /// L: E(v) is quadratic with this matrix, per coordinate, while the rotations stay.
  const Eigen::SparseMatrix<double, Eigen::RowMajor>& matrix() const { return matrix_; }

  /// Per cell: its eight vertices, and its stiffness (empty: all 1).
  std::span<const std::array<std::uint32_t, 8>> corners() const { return corners_; }
  std::span<const float> stiffness() const { return stiffness_; }

  /// The best rotation of every cell. Returns the energy; where that is tiny beside |v|^2, energy() is more
  /// exact.
  double fit(const GridPositions& v, CellRotations& rotations) const;
  /// K' r: minus the part of the gradient that does not depend on v, so that the gradient is L v - pull.
  void pull(const CellRotations& rotations, GridPositions& out) const;
  double energy(const GridPositions& v, const CellRotations& rotations) const;
  double energy(const GridPositions& v) const;
  /// The energy of every cell, for pictures of where a deformation hurts.
  std::vector<double> cell_energies(const GridPositions& v, const CellRotations& rotations) const;

 private:
  double cell_energy(const GridPositions& v, const Eigen::Matrix3f& rotation, std::size_t cell) const;

  const VoxelGrid* grid_;
  std::vector<float> stiffness_;
  GridPositions rest_;
  Eigen::SparseMatrix<double, Eigen::RowMajor> matrix_;
  std::vector<std::array<std::uint32_t, 8>> corners_;       ///< of a cell
  std::vector<std::array<std::uint32_t, 8>> cells_around_;  ///< a vertex: the cell of which it is corner k
};

}  // namespace sinew
