// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/SparseCore>
#include <array>
#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew {

/// What the triangles of a mesh add to its Laplacian. Sums over triangles need no manifold.
struct TriangleCotangents {
  std::vector<std::array<double, 3>> cotangents;  ///< per triangle and corner, of the angle there
  std::size_t mended = 0;   ///< triangles (nearly) without area: angles of the nearest triangle that has some
  std::size_t skipped = 0;  ///< a repeated vertex, no extent at all, or not finite: all three are 0
};
TriangleCotangents triangle_cotangents(MeshView mesh);

/// The cotangent stiffness matrix, n x n, symmetric to the bit: u' L u = sum over triangles of the integral of
/// |grad u|^2. L_ij = -1/2 (cot a + cot b + ...), L_ii = minus the rest of its row, so constants give 0.
/// Off-diagonals can be positive. Run it on welded vertices. The same bits for any thread count; 1 M vertices
/// in under a second.
struct CotangentStiffness {
  Eigen::SparseMatrix<double> matrix;
  std::size_t mended = 0, skipped = 0;  ///< as in TriangleCotangents
};
CotangentStiffness cotangent_stiffness(MeshView mesh);

/// The part of the surface that belongs to each vertex (the lumped mass matrix): Voronoi areas, made safe at
/// obtuse corners. Positive wherever a triangle with area is; they sum to the area of the mesh.
Eigen::VectorXd mixed_voronoi_areas(MeshView mesh);

}  // namespace sinew
