// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/skeleton/clip.h"

namespace sinew {

// The channel at `time`, clamped to its keys, by glTF's rules; rotations are normalised x, y, z, w. `value`
// has as many numbers as the path asks for (3, 4, 3, or channel.width). False, and `value` is meaningless,
// where the channel has no whole key or another width, or where the result is not finite or no rotation.
bool sample_channel(const Channel& channel, double time, std::span<double> value);

}  // namespace sinew
