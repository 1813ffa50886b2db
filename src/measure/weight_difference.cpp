// SPDX-License-Identifier: Apache-2.0
#include "sinew/measure/weight_difference.h"

#include <cmath>
#include <map>

namespace sinew {

WeightDifference weight_difference(const SkinWeights& weights, const SkinWeights& reference,
                                   std::span<const std::uint32_t> joint_of) {
  constexpr double kInfluential = 1e-4;
  WeightDifference result;
  std::size_t found = 0, both = 0, wanted = 0;
  std::map<std::uint32_t, std::pair<double, double>> row;
  for (std::size_t i = 0; i < weights.vertex_count(); ++i) {
    row.clear();
    for (const Influence& influence : weights.row(i))
      row[joint_of[influence.joint]].first += influence.weight;
    for (const Influence& influence : reference.row(i)) row[influence.joint].second += influence.weight;
    for (const auto& [joint, pair] : row) {
      result.l1 += std::abs(pair.first - pair.second);
      found += pair.first > kInfluential;
      wanted += pair.second > kInfluential;
      both += pair.first > kInfluential && pair.second > kInfluential;
    }
  }
  if (weights.vertex_count() > 0) result.l1 /= static_cast<double>(weights.vertex_count());
  if (found > 0) result.precision = static_cast<double>(both) / static_cast<double>(found);
  if (wanted > 0) result.recall = static_cast<double>(both) / static_cast<double>(wanted);
  return result;
}

}  // namespace sinew
