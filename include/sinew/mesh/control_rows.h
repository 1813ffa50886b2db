// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sinew {

/// How much each of some points follows the control points of a cage, sparse.
struct ControlRows {
  struct Entry {
    std::uint32_t control;
    float weight;
  };
  std::vector<std::uint32_t> offsets;  ///< points + 1, or empty: no rows
  std::vector<Entry> entries;          ///< of a row: by ascending control, weights above 0

  std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::span<const Entry> operator[](std::size_t i) const {
    return {entries.data() + offsets[i], entries.data() + offsets[i + 1]};
  }
};

}  // namespace sinew
