// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace sinew {

using Rgb8 = std::array<std::uint8_t, 3>;  ///< sRGB

/// The one colour map of all pictures: indigo, blue, teal, green, yellow. Lightness (OKLab) rises evenly with
/// t, so it reads the same in grey and for the colour-blind. t is clamped to [0, 1]; NaN is a neutral grey.
Rgb8 heat_colour(double t);

/// Colours for the series of a plot: told apart in any order by the colour-blind and in grey. Repeats after 8.
Rgb8 series_colour(std::size_t index);

/// OKLab lightness of an sRGB colour, 0 black to 1 white.
double lightness(const Rgb8& colour);

}  // namespace sinew
