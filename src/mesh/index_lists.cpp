// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/index_lists.h"

namespace sinew {

IndexLists group_by_key(std::size_t key_count, std::span<const std::uint32_t> keys) {
  IndexLists lists;
  lists.offsets.assign(key_count + 1, 0);
  lists.items.resize(keys.size());
  for (const std::uint32_t key : keys) ++lists.offsets[key];
  // Running ends first; filling from the back then leaves each list ascending and its offset at its begin.
  std::uint32_t end = 0;
  for (std::uint32_t& offset : lists.offsets) offset = end += offset;
  for (std::size_t k = keys.size(); k-- > 0;)
    lists.items[--lists.offsets[keys[k]]] = static_cast<std::uint32_t>(k);
  return lists;
}

}  // namespace sinew
