// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "autorig/match.h"
#include "autorig/symmetry.h"
#include "autorig/tip_symmetry.h"

namespace sinew::autorig {

// The planes that make a mesh its own image. What a guess led to is kept: a body that is looked at in several ways asks
// for the same ones again.
class MirrorPlanes {
 public:
  explicit MirrorPlanes(MeshView mesh) : mesh_(mesh) {}
  // From the first of some guesses that leads to one. By its vertices: cells inside of a body lie on no surface.
  std::optional<Mirror> first(const BodyMap& body, std::span<const std::optional<Mirror>> guesses);
  // The plane in which images are nearest to the mesh, the first of several that fit alike: what is nearly round has some
  // that fit less well.
  std::optional<Mirror> best(const BodyMap& body, std::span<const std::optional<Mirror>> guesses);

 private:
  struct Asked {
    Mirror guess;
    std::optional<Mirror> found;
  };
  MeshView mesh_;
  std::optional<Bvh> surface_;
  std::vector<Asked> asked_;
};
// Bodies face along z, or along x.
std::array<std::optional<Mirror>, 2> axis_mirrors(const BodyMap& body);
// The plane that tips left and right lie beside, and those of the axes.
std::array<std::optional<Mirror>, 3> plain_mirrors(const BodyMap& body);
// Which tips are left and right, as a template says.
TipPairs sides_of(const Match& match);

// A tip on the mirror plane sees left and right alike. Of these, or of all, the one that sticks out most; where
// none is there, as of a stout body with short limbs, the point of the plane that is farthest from all tips.
std::size_t root_on_plane(BodyMap& body, const std::optional<Mirror>& mirror);

}  // namespace sinew::autorig
