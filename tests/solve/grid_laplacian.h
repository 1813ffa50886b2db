// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/SparseCore>
#include <cmath>
#include <vector>

namespace sinew::test {

// The 5-point Laplacian on m x m inner points of the unit square with zero values on its border, times h^2.
// Its eigenvectors are sin(a pi i h) sin(b pi j h), its eigenvalues 4 - 2 cos(a pi h) - 2 cos(b pi h), h = 1
// / (m + 1). `closed`: without the border, so that constants are mapped to zero.
inline Eigen::SparseMatrix<double> grid_laplacian(int m, bool closed = false) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) {
      double degree = 0;
      for (const auto& [di, dj] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
        const bool inside = i + di >= 0 && i + di < m && j + dj >= 0 && j + dj < m;
        if (inside) entries.emplace_back(i * m + j, (i + di) * m + j + dj, -1.0);
        if (inside || !closed) ++degree;
      }
      entries.emplace_back(i * m + j, i * m + j, degree);
    }
  Eigen::SparseMatrix<double> L(m * m, m * m);
  L.setFromTriplets(entries.begin(), entries.end());
  return L;
}

inline Eigen::VectorXd grid_mode(int m, int a, int b) {
  const double h = std::acos(-1.0) / (m + 1);
  Eigen::VectorXd mode(m * m);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) mode[i * m + j] = std::sin(a * h * (i + 1)) * std::sin(b * h * (j + 1));
  return mode;
}

inline double grid_eigenvalue(int m, int a, int b) {
  const double h = std::acos(-1.0) / (m + 1);
  return 4 - 2 * std::cos(a * h) - 2 * std::cos(b * h);
}

}  // namespace sinew::test
