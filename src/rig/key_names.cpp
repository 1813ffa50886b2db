// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/key_names.h"

namespace sinew {

std::vector<std::size_t> keys_named(const Rig& rig, std::string_view name) {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < rig.keys.size(); ++k)
    if (rig.keys[k].name == name) found.push_back(k);
  return found;
}

}  // namespace sinew
