// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/rig/rig.h"

namespace sinew {

/// Which copy of a body each vertex is of: 0 for the first part of the rig with its vertices, 1 for the next
/// part with the same vertices at the same places and other weights, and so on. A body may be bound several
/// times, each copy to joints of its own; at rest they lie in one place and are still not one surface: what
/// welds vertices keeps them apart (the groups of mesh/weld.h). Empty where there are no copies. O(n).
std::vector<std::uint32_t> copies_of(const Rig& rig);

}  // namespace sinew
