// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/inpaint.h"

#include <Eigen/SparseCore>
#include <vector>

#include "sinew/mesh/laplacian.h"
#include "sinew/mesh/topology.h"
#include "sinew/solve/sparse_cholesky.h"
#include "weights/visibility.h"

namespace sinew {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

constexpr double kStiff = 1e-6;  // of the Laplacian added to its square: keeps the system definite

// The squared Laplacian, in units of the mean area of a vertex.
Sparse bilaplacian(MeshView mesh) {
  const Sparse stiffness = cotangent_stiffness(mesh).matrix;
  const Eigen::VectorXd areas = mixed_voronoi_areas(mesh);
  const double mean = areas.sum() / static_cast<double>(areas.size());
  Eigen::VectorXd inverse(areas.size());
  for (Eigen::Index i = 0; i < areas.size(); ++i) inverse[i] = mean / std::max(areas[i], 1e-3 * mean);
  return Sparse(stiffness.transpose() * inverse.asDiagonal() * stiffness) + kStiff * stiffness;
}

// Unknown vertices of components that hold a known one are numbered from 0, all others are -1.
std::vector<Eigen::Index> number_unknown(const Components& components, std::span<const std::uint8_t> known,
                                         Eigen::Index& count) {
  std::vector<std::uint8_t> holds(components.count, 0);
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i] && components.of_vertex[i] != kNoComponent) holds[components.of_vertex[i]] = 1;
  std::vector<Eigen::Index> number(known.size(), -1);
  count = 0;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (!known[i] && components.of_vertex[i] != kNoComponent && holds[components.of_vertex[i]])
      number[i] = count++;
  return number;
}

void take_means(const Components& components, std::span<const std::uint8_t> known,
                std::span<const Eigen::Index> number, Eigen::MatrixXd& rows) {
  Eigen::MatrixXd means = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(components.count), rows.cols());
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i] && components.of_vertex[i] != kNoComponent)
      means.row(components.of_vertex[i]) += rows.row(static_cast<Eigen::Index>(i));
  for (std::size_t i = 0; i < known.size(); ++i)
    if (number[i] >= 0) {
      const auto mean = means.row(components.of_vertex[i]);
      rows.row(static_cast<Eigen::Index>(i)) = mean / mean.sum();
    }
}

}  // namespace

void inpaint_rows(MeshView mesh, std::span<const std::uint8_t> known, Eigen::MatrixXd& rows) {
  const Components components = connected_components(known.size(), FaceList(mesh.triangles));
  Eigen::Index count = 0;
  const std::vector<Eigen::Index> number = number_unknown(components, known, count);
  if (count == 0) return;
  take_means(components, known, number, rows);
  const Sparse matrix = bilaplacian(mesh);
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(count, rows.cols());
  for (Eigen::Index column = 0; column < matrix.outerSize(); ++column)
    for (Sparse::InnerIterator it(matrix, column); it; ++it) {
      const Eigen::Index r = number[static_cast<std::size_t>(it.row())];
      const Eigen::Index c = number[static_cast<std::size_t>(column)];
      if (r >= 0 && c >= 0) entries.emplace_back(static_cast<int>(r), static_cast<int>(c), it.value());
      if (r >= 0 && known[static_cast<std::size_t>(column)]) right.row(r) -= it.value() * rows.row(column);
    }
  Sparse system(count, count);
  system.setFromTriplets(entries.begin(), entries.end());
  const auto factor = SparseCholesky::factor(system);
  if (!factor.ok()) return;
  Eigen::MatrixXd solved = factor->solve(right);
  clamp_to_unit(solved);
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (number[i] < 0) continue;
    const auto row = solved.row(number[i]);
    if (const double sum = row.sum(); sum > 0.5 && std::isfinite(sum))
      rows.row(static_cast<Eigen::Index>(i)) = row / sum;
  }
}

}  // namespace sinew
