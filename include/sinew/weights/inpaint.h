// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "sinew/mesh/poly_mesh.h"

namespace sinew {

/// Continues known rows smoothly over the rest of a surface [abdrashitov2023]: those of least
/// squared Laplacian, clamped to [0, 1] and divided by their sum. Components without a known row are left as
/// they are. Where the mesh is too degenerate for that, a component takes the mean of its known rows.
/// @param mesh   n welded vertices
/// @param known  n; 1: the row is kept
/// @param rows   n x m; receives the others
void inpaint_rows(MeshView mesh, std::span<const std::uint8_t> known, Eigen::MatrixXd& rows);

}  // namespace sinew
