// SPDX-License-Identifier: Apache-2.0
// The edges of a cell run along the axes, so that its covariance sum e' e^T is made of three sums of edges,
// and what its rotation adds to a corner is the rotated diagonal (+-1, +-1, +-1) of that corner.
#include "sinew/volume/corotational.h"

#include <algorithm>
#include <cassert>

#include "sinew/core/parallel.h"
#include "sinew/math/rotation_fit.h"
#include "sinew/volume/grid_laplacian.h"

namespace sinew {
namespace {

constexpr std::size_t kCellsPerPiece = 2048;
constexpr std::size_t kCellsPerFit = 64;

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// Edges from corner `first` along x, y, z.
constexpr std::array<std::array<std::uint8_t, 4>, 3> kEdgeStarts{{{0, 2, 4, 6}, {0, 1, 4, 5}, {0, 1, 2, 3}}};

// The rotation times the diagonal (+-1, +-1, +-1) of corner K.
template <std::size_t K>
Eigen::Vector3f turned_diagonal(const Eigen::Matrix3f& R) {
  Eigen::Vector3f sum = K & 1 ? Eigen::Vector3f(R.col(0)) : Eigen::Vector3f(-R.col(0));
  if constexpr (K & 2)
    sum += R.col(1);
  else
    sum -= R.col(1);
  if constexpr (K & 4)
    sum += R.col(2);
  else
    sum -= R.col(2);
  return sum;
}

RowMatrix stiffness_matrix(const VoxelGrid& grid, std::span<const std::array<std::uint32_t, 8>> corners,
                           std::span<const float> stiffness) {
  RowMatrix matrix = grid_stiffness(grid);
  if (stiffness.empty()) return matrix;
  for (Eigen::Index k = 0; k < matrix.nonZeros(); ++k) matrix.valuePtr()[k] = 0;
  for (std::size_t c = 0; c < corners.size(); ++c)
    for (const auto& [a, b] : kCellEdges) {
      const double weight = grid.cell_size() / 4 * static_cast<double>(stiffness[c]);
      const Eigen::Index i = corners[c][a], j = corners[c][b];
      matrix.coeffRef(i, i) += weight;
      matrix.coeffRef(j, j) += weight;
      matrix.coeffRef(i, j) -= weight;
      matrix.coeffRef(j, i) -= weight;
    }
  return matrix;
}

}  // namespace

Corotational::Corotational(const VoxelGrid& grid, std::span<const float> stiffness)
    : grid_(&grid), stiffness_(stiffness.begin(), stiffness.end()), corners_(grid.all_cell_vertices()) {
  assert(stiffness.empty() || stiffness.size() == grid.cell_count());
  matrix_ = stiffness_matrix(grid, corners_, stiffness);
  rest_.resize(static_cast<Eigen::Index>(grid.vertex_count()), 3);
  for (const LatticeSet::Run& run : grid.vertices().runs()) {
    Vec3i v = grid.vertices().run_start(run);
    for (Eigen::Index i = run.first; v.x() < run.end; ++v.x(), ++i) rest_.row(i) = grid.vertex_position(v);
  }
  std::array<std::uint32_t, 8> none{};
  none.fill(kNoIndex);
  cells_around_.assign(grid.vertex_count(), none);
  for (std::size_t c = 0; c < corners_.size(); ++c)
    for (std::size_t k = 0; k < 8; ++k) cells_around_[corners_[c][k]][k] = static_cast<std::uint32_t>(c);
}

// |e - h r|^2 over the edges of a cell is sum |e|^2 - 2 h r . sum e + 4 h^2 |r|^2 for each axis: the sums that
// the covariance is made of give the energy, too.
double Corotational::fit(const GridPositions& v, CellRotations& rotations) const {
  rotations.resize(corners_.size());
  const double size = grid_->cell_size(), scale = 1 / size;
  const auto fit_piece = [&](std::size_t begin, std::size_t end) {
    std::array<Mat3, kCellsPerFit> sums;
    std::array<double, kCellsPerFit> squares;
    std::array<Eigen::Matrix3f, kCellsPerFit> covariances;
    std::array<Eigen::Quaternionf, kCellsPerFit> fits;
    double energy = 0;
    for (std::size_t first = begin; first < end; first += kCellsPerFit) {
      const std::size_t count = std::min(kCellsPerFit, end - first);
      for (std::size_t i = 0; i < count; ++i) {
        const auto& corners = corners_[first + i];
        squares[i] = 0;
        for (Eigen::Index axis = 0; axis < 3; ++axis) {
          Eigen::RowVector3d sum = Eigen::RowVector3d::Zero();
          for (const std::uint8_t a : kEdgeStarts[static_cast<std::size_t>(axis)]) {
            const Eigen::RowVector3d edge = v.row(corners[a + (std::size_t{1} << axis)]) - v.row(corners[a]);
            sum += edge;
            squares[i] += edge.squaredNorm();
          }
          sums[i].col(axis) = sum.transpose();
          covariances[i].col(axis) = (scale * sum).transpose().cast<float>();
        }
      }
      fit_rotations(std::span(covariances).first(count), std::span(fits).first(count));
      for (std::size_t i = 0; i < count; ++i) {
        rotations[first + i] = fits[i].toRotationMatrix();
        const Mat3 turned = size * rotations[first + i].cast<double>();
        const double cell = squares[i] - 2 * sums[i].cwiseProduct(turned).sum() + 4 * turned.squaredNorm();
        energy += stiffness_.empty() ? cell : static_cast<double>(stiffness_[first + i]) * cell;
      }
    }
    return energy;
  };
  return size / 8 * parallel_reduce(corners_.size(), kCellsPerPiece, 0.0, fit_piece, [](double a, double b) {
           return a + b;
         });
}

void Corotational::pull(const CellRotations& rotations, GridPositions& out) const {
  out.resize(rest_.rows(), 3);
  const double scale = grid_->cell_size() * grid_->cell_size() / 4;
  parallel_for(cells_around_.size(), kCellsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3 sum = Vec3::Zero();
      const auto add = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
        const std::uint32_t cell = cells_around_[i][K];
        if (cell == kNoIndex) return;
        const Vec3 turned = turned_diagonal<K>(rotations[cell]).template cast<double>();
        sum += stiffness_.empty() ? turned : Vec3(static_cast<double>(stiffness_[cell]) * turned);
      };
      [&]<std::size_t... K>(std::index_sequence<K...>) {
        (add(std::integral_constant<std::size_t, K>()), ...);
      }
      (std::make_index_sequence<8>());
      out.row(static_cast<Eigen::Index>(i)) = scale * sum.transpose();
    }
  });
}

double Corotational::cell_energy(const GridPositions& v, const Eigen::Matrix3f& rotation,
                                 std::size_t cell) const {
  const auto& corners = corners_[cell];
  double sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Eigen::RowVector3d edge =
        grid_->cell_size() * rotation.col(static_cast<Eigen::Index>(axis)).cast<double>().transpose();
    for (const std::uint8_t a : kEdgeStarts[axis])
      sum += (v.row(corners[a + (std::size_t{1} << axis)]) - v.row(corners[a]) - edge).squaredNorm();
  }
  const double scale = grid_->cell_size() / 8;
  return stiffness_.empty() ? scale * sum : scale * static_cast<double>(stiffness_[cell]) * sum;
}

double Corotational::energy(const GridPositions& v, const CellRotations& rotations) const {
  return parallel_reduce(
      corners_.size(), kCellsPerPiece, 0.0,
      [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t c = begin; c < end; ++c) sum += cell_energy(v, rotations[c], c);
        return sum;
      },
      [](double a, double b) { return a + b; });
}

double Corotational::energy(const GridPositions& v) const {
  CellRotations rotations;
  fit(v, rotations);
  return energy(v, rotations);
}

std::vector<double> Corotational::cell_energies(const GridPositions& v,
                                                const CellRotations& rotations) const {
  std::vector<double> energies(corners_.size());
  parallel_for(corners_.size(), kCellsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) energies[c] = cell_energy(v, rotations[c], c);
  });
  return energies;
}

}  // namespace sinew
