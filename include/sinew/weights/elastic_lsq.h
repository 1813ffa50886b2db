// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/weights/elastic.h"

namespace sinew {

/// Options of least_squares_weight().
struct LeastSquaresOptions {
  bool non_negative = false;  ///< each value within [0, 1]
  double tolerance = 1e-5;    ///< of the elastic examples
  const Progress* progress = nullptr;
};

/// The baseline that elastic weights are measured against [kavan2012, Sec. 4]: the elastic reference of every
/// sample first, then at each vertex the w for which p + w (S p - p) is nearest to those examples. Vertices
/// that no sample moves keep their start. The energy given is that of linear blending with the result.
Result<GridWeight> least_squares_weight(const VoxelGrid& grid, std::span<const std::uint8_t> fixed,
                                        const Eigen::VectorXd& start, const Vec3& origin,
                                        std::span<const Mat3> samples,
                                        const LeastSquaresOptions& options = {});

}  // namespace sinew
