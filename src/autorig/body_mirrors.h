// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "autorig/match.h"
#include "autorig/symmetry.h"
#include "autorig/tip_symmetry.h"

namespace sinew::autorig {

// The plane that makes a mesh its own image, from the first of some guesses that leads to one. By its vertices: cells
// inside of a body lie on no surface.
std::optional<Mirror> first_mirror(MeshView mesh, const BodyMap& body,
                                   std::span<const std::optional<Mirror>> guesses);
// Bodies face along z, or along x.
std::array<std::optional<Mirror>, 2> axis_mirrors(const BodyMap& body);
// The plane that tips left and right lie beside, and those of the axes.
std::array<std::optional<Mirror>, 3> plain_mirrors(const BodyMap& body);
// Which tips are left and right, as a template says.
TipPairs sides_of(const Match& match);

}  // namespace sinew::autorig
