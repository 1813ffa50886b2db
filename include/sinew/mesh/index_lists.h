// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sinew {

/// One list of indices for each of n things, packed: the faces at each vertex, say.
struct IndexLists {
  std::vector<std::uint32_t> offsets;  ///< n + 1, or empty: no lists
  std::vector<std::uint32_t> items;

  std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t k) const {
    return {items.data() + offsets[k], items.data() + offsets[k + 1]};
  }
};

/// Turns a list of keys, each below key_count, around: for each key the positions in `keys` that hold it,
/// ascending.
IndexLists group_by_key(std::size_t key_count, std::span<const std::uint32_t> keys);

}  // namespace sinew
