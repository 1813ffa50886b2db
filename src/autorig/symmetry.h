// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "sinew/mesh/bvh.h"

namespace sinew::autorig {

struct Mirror {
  Vec3 normal = Vec3::UnitX(), centre = Vec3::Zero();
  double error = 0;  // how far images are from the mesh, on average
  Vec3 operator()(const Vec3& p) const { return p - 2 * (p - centre).dot(normal) * normal; }
};

// The plane near `guess` in which the body is its own image to within 1 % of `size` on average.
std::optional<Mirror> find_mirror(std::span<const Vec3> points, const Bvh& surface, double size,
                                  Mirror guess);

}  // namespace sinew::autorig
