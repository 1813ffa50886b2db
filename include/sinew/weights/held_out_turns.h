// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/rig/turn_functions.h"

namespace sinew {

/// Rotations of a joint (JointMove::turn) by which fields are judged that were fitted to motion_samples: spread
/// at random over the range, the same for the same seed, at least 30 degrees from rest and 10 from every
/// sample. Where a range holds no such rotations, both distances shrink until it does; none for an empty
/// range.
std::vector<Vec3> held_out_turns(const MotionRange& range, std::size_t count, std::uint32_t seed);

}  // namespace sinew
