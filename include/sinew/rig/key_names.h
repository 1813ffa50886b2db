// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "sinew/rig/rig.h"

namespace sinew {

/// The keys of that name, ascending. A character in several meshes has a key of each name in every mesh that
/// it moves, and what drives one drives all.
std::vector<std::size_t> keys_named(const Rig& rig, std::string_view name);

}  // namespace sinew
