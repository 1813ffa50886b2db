// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "deform/palette.h"

namespace sinew {

// Pairs of palette entries that meet in a vertex as its first influence and another. A quaternion and its
// opposite are one rotation, and blending needs those of a vertex to agree with its first. In most frames one
// choice a joint serves all vertices, and kernels need not look at signs; only where joints that meet are
// turned far against each other it does not.
struct SignPairs {
  struct Pair {
    std::uint16_t first = 0, second = 0;
  };
  std::vector<Pair> all;
  std::vector<Pair> tree;  // those that reach every joint once, each `first` before it is needed
  bool usable = false;     // false: so many pairs that asking them all would cost more than it saves
};
SignPairs find_sign_pairs(const SkinTable& table);

// Gives the quaternions the signs that make those of every pair agree. False where there are none, or where
// floats cannot tell; the palette is then as good as before.
bool align_signs(const SignPairs& pairs, Palette<DualEntry>& palette) noexcept;
bool align_signs(const SignPairs& pairs, Palette<StretchedDualEntry>& palette) noexcept;

}  // namespace sinew
