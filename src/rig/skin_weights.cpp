// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/skin_weights.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sinew {

void SkinWeights::add_row(std::span<const Influence> row) {
  if (offsets.empty()) offsets.push_back(0);
  const auto first = static_cast<std::ptrdiff_t>(entries.size());
  entries.insert(entries.end(), row.begin(), row.end());
  const auto begin = entries.begin() + first;

  // Stable, so that equal joints are summed in the caller's order.
  std::stable_sort(begin, entries.end(),
                   [](const Influence& a, const Influence& b) { return a.joint < b.joint; });
  auto last = begin;  // one behind the merged entries
  for (auto entry = begin; entry != entries.end(); ++entry) {
    if (last != begin && std::prev(last)->joint == entry->joint)
      std::prev(last)->weight += entry->weight;
    else
      *last++ = *entry;
  }
  last = std::remove_if(begin, last, [](const Influence& entry) { return entry.weight == 0; });
  entries.erase(last, entries.end());
  std::sort(entries.begin() + first, entries.end(), [](const Influence& a, const Influence& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
  });
  offsets.push_back(static_cast<std::uint32_t>(entries.size()));
}

std::size_t SkinWeights::max_influences() const {
  std::size_t most = 0;
  for (std::size_t i = 0; i < vertex_count(); ++i) most = std::max(most, row(i).size());
  return most;
}

WeightStats weight_stats(const SkinWeights& weights, std::size_t begin, std::size_t end) {
  assert(begin <= end && end <= weights.vertex_count());
  WeightStats stats;
  bool first = true;
  for (std::size_t i = begin; i < end; ++i) {
    double sum = 0;
    for (const Influence& entry : weights.row(i)) {
      sum += entry.weight;
      stats.min = first ? entry.weight : std::min(stats.min, entry.weight);
      stats.max = first ? entry.weight : std::max(stats.max, entry.weight);
      first = false;
    }
    if (sum == 0)
      ++stats.unweighted;
    else
      stats.max_row_error = std::max(stats.max_row_error, std::abs(sum - 1));
  }
  return stats;
}

}  // namespace sinew
