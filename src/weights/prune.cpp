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

std::vector<JointLoss> joint_losses(const SkinWeights& before, const SkinWeights& after,
                                    std::size_t joint_count, double little) {
  std::vector<JointLoss> losses(joint_count);
  for (std::size_t i = 0; i < before.vertex_count(); ++i) {
    double total = 0;
    for (const Influence& entry : before.row(i)) total += entry.weight;
    for (const Influence& entry : before.row(i)) {
      double lost = entry.weight / total;
      for (const Influence& kept : after.row(i))
        if (kept.joint == entry.joint) lost -= kept.weight;
      JointLoss& loss = losses[entry.joint];
      loss.joint = entry.joint;
      loss.largest = std::max(loss.largest, lost);
      loss.vertices += lost > little;
    }
  }
  std::erase_if(losses, [](const JointLoss& loss) { return loss.vertices == 0; });
  std::stable_sort(losses.begin(), losses.end(),
                   [](const JointLoss& a, const JointLoss& b) { return a.largest > b.largest; });
  return losses;
}

}  // namespace sinew
