// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/mesh/poly_mesh.h"

namespace sinew {

/// A sparse matrix with one row per new vertex: new value = sum of weight * old value. Rows sum to 1.
struct Stencils {
  std::vector<std::uint32_t> offsets;  ///< rows + 1
  std::vector<std::uint32_t> sources;  ///< columns: indices of old vertices
  std::vector<double> weights;

  std::size_t row_count() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  /// new_values has row_count() elements. T: anything with +=, * double and a zero given as `zero`.
  template <class T>
  void apply(std::span<const T> old_values, const T& zero, std::span<T> new_values) const {
    for (std::size_t row = 0; row < new_values.size(); ++row) {
      T sum = zero;
      for (std::uint32_t k = offsets[row]; k < offsets[row + 1]; ++k)
        sum += old_values[sources[k]] * weights[k];
      new_values[row] = sum;
    }
  }
};

/// One step of Catmull-Clark subdivision, as topology and as stencils, so that positions, weights and anything
/// else that lives on vertices can be refined alike. New vertices: the V old ones, then one per edge, then one
/// per face.
struct Refinement {
  PolyMesh mesh;                                    ///< refined positions and quads, nothing else
  std::vector<std::array<std::uint32_t, 2>> edges;  ///< of the old mesh, (smaller, larger), in rising order
  Stencils stencils;                                ///< from old vertices to new ones
};

/// Faces of any size; boundaries become cubic B-spline curves. kBadInput: an edge with more than two faces, or
/// two faces that run along an edge in the same direction. Cost: one sort of the edges.
Result<Refinement> refine_catmull_clark(const PolyMesh& mesh);

/// Where the vertices of a mesh of quads lie after infinitely many steps. kBadInput: as above, or a face that
/// is no quad.
Result<Stencils> catmull_clark_limit(const PolyMesh& mesh);

}  // namespace sinew
