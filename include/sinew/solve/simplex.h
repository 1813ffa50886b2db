// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace sinew {

/// Small problems of skinning weights: one unknown for each joint that may carry a vertex.
inline constexpr int kMostSimplexUnknowns = 24;
using SimplexMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostSimplexUnknowns, kMostSimplexUnknowns>;
using SimplexVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostSimplexUnknowns, 1>;

/// The w that minimises w' G w with w >= 0 and sum w = 1. G is symmetric and positive semi-definite, of 1 to
/// kMostSimplexUnknowns rows, and finite: of residuals e_j that w blends it is G_jl = e_j . e_l. By active
/// sets [lawson1974, Sec. 23]: since the cost is homogeneous, non-negative least squares of (G + m 1 1') w = m 1
/// has the same direction for every m > 0. Allocates nothing.
SimplexVector simplex_minimum(const SimplexMatrix& G);

/// The same with at most `most` (at least 1) weights above 0: where the minimum has more, the one that costs
/// least is taken out and the others solved again, then those that went are exchanged for others while that helps. Not always
/// the best of all choices, which only trying all of them would find.
SimplexVector simplex_minimum(const SimplexMatrix& G, std::size_t most);

}  // namespace sinew
