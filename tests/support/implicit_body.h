// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew::test {

// A part of a body: round about a line, with a radius at each of its points.
struct BodyPart {
  struct At {
    Vec3 point;
    double radius;
  };
  std::string name;
  std::vector<At> line;
  // How far inside the part a point is, negative outside.
  double depth(const Vec3& p) const;
  double length() const;
  Vec3 at(double share) const;  // of the length
};

// The part and its image in the plane x = 0; names get "Left" (x > 0) and "Right".
std::vector<BodyPart> both_sides(const BodyPart& left);

// How far inside the union of all parts a point is; parts run into each other within about `blend`.
double depth_in(const std::vector<BodyPart>& parts, const Vec3& p, double blend);

// The surface of that union as a closed mesh of triangles (surface nets), `cells` along the longest side of the box.
PolyMesh surface_of(const std::vector<BodyPart>& parts, double blend, int cells = 100);

}  // namespace sinew::test
