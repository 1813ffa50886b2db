// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/prune.h"

#include <algorithm>

namespace sinew {

Pruned prune_weights(const SkinWeights& weights, int influences) {
  const auto most = static_cast<std::size_t>(std::max(influences, 1));
  Pruned pruned;
  pruned.weights.offsets.reserve(weights.offsets.size());
  if (!weights.offsets.empty()) pruned.weights.offsets.push_back(0);
  for (std::size_t i = 0; i < weights.vertex_count(); ++i) {
    const auto row = weights.row(i);  // sorted, largest first
    const std::size_t kept = std::min(most, row.size());
    double sum = 0, total = 0;
    for (std::size_t k = 0; k < row.size(); ++k) (k < kept ? sum : total) += row[k].weight;
    total += sum;
    if (total > 0) pruned.error = std::max(pruned.error, 1 - sum / total);
    for (std::size_t k = 0; k < kept; ++k)
      pruned.weights.entries.push_back({row[k].joint, sum > 0 ? row[k].weight / sum : row[k].weight});
    pruned.weights.offsets.push_back(static_cast<std::uint32_t>(pruned.weights.entries.size()));
  }
  return pruned;
}

}  // namespace sinew
