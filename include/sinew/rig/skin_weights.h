// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sinew {

/// A joint and its weight at a vertex.
struct Influence {
  std::uint32_t joint = 0;
  double weight = 0;
};

/// Rows of (joint, weight), one a vertex, in compressed form. Within a row: each joint once, largest weight
/// first (ties by joint index), no zeros. An empty row belongs to a vertex that nothing carries.
struct SkinWeights {
  std::vector<std::uint32_t> offsets;  ///< vertices + 1, or empty: no vertices
  std::vector<Influence> entries;

  std::size_t vertex_count() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::span<const Influence> row(std::size_t i) const {
    return {entries.data() + offsets[i], entries.data() + offsets[i + 1]};
  }
  /// Puts `row` behind the last one: merges equal joints, drops zeros, sorts. Does not normalise.
  void add_row(std::span<const Influence> row);
  std::size_t max_influences() const;
};

/// Figures that tell whether weights are whole. Rows [begin, end).
struct WeightStats {
  std::size_t unweighted = 0;  ///< rows that sum to 0
  double max_row_error = 0;    ///< largest |sum - 1| over the other rows
  double min = 0, max = 0;     ///< over all stored weights
};
WeightStats weight_stats(const SkinWeights& weights, std::size_t begin, std::size_t end);

}  // namespace sinew
