// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/mesh/index_lists.h"
#include "sinew/mesh/poly_mesh.h"

namespace sinew {

/// Gradients of functions that are linear on each triangle, and the matching divergence. Built once for a mesh
/// of n vertices and m triangles; keeps no view of it. Triangles without area have gradient 0. Results have
/// the same bits for any thread count.
class GradientOperator {
 public:
  explicit GradientOperator(MeshView mesh);

  std::size_t vertex_count() const { return corners_.size(); }
  std::size_t triangle_count() const { return hats_.size(); }
  std::span<const double> areas() const { return areas_; }  // m

  /// values: n, gradients: m; a vector in the plane of each triangle.
  void gradient(std::span<const double> values, std::span<Vec3> gradients) const;
  /// The same for three functions at once; row r of a matrix is the gradient of coordinate r.
  void gradient(std::span<const Vec3> values, std::span<Mat3> gradients) const;

  /// Integrated against the hat function of each vertex: out_i = sum over triangles of area * (grad hat_i .
  /// field). The sign is that of the stiffness matrix L: divergence(gradient(u)) = L u, and the u whose
  /// gradient is nearest to a field solves L u = divergence(field). fields: m, out: n.
  void divergence(std::span<const Vec3> field, std::span<double> out) const;
  void divergence(std::span<const Mat3> field, std::span<Vec3> out) const;

 private:
  std::vector<Triangle> triangles_;
  std::vector<std::array<Vec3, 3>> hats_;  ///< gradients of the three hat functions
  std::vector<double> areas_;
  IndexLists corners_;  ///< per vertex
};

}  // namespace sinew
