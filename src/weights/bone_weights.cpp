// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/bone_weights.h"

#include "sinew/core/parallel.h"

namespace sinew {

void normalise_rows(BoneWeights& weights) {
  const auto n = static_cast<std::size_t>(weights.values.rows());
  weights.bound.resize(n);
  parallel_for(n, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      auto row = weights.values.row(static_cast<Eigen::Index>(i));
      const double sum = row.sum();
      weights.bound[i] = sum > 0 && std::isfinite(sum);
      if (weights.bound[i])
        row /= sum;
      else
        row.setZero();
    }
  });
}

}  // namespace sinew
