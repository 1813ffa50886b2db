// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sinew/mesh/poly_mesh.h"
#include "sinew/rig/skin_weights.h"

namespace sinew {

// Adds scale * row to a row under construction; equal joints are merged when the row is stored.
inline void add_scaled(std::span<const Influence> row, double scale, std::vector<Influence>& sum) {
  for (const Influence& influence : row) sum.push_back({influence.joint, scale * influence.weight});
}

// The row at a point of a triangle.
inline std::vector<Influence> interpolate(const SkinWeights& weights, const Triangle& triangle,
                                          const Vec3& barycentric) {
  std::vector<Influence> sum;
  for (int k = 0; k < 3; ++k)
    add_scaled(weights.row(triangle[static_cast<std::size_t>(k)]), barycentric[k], sum);
  return sum;
}

// Scales a row to sum to 1; false where it has no positive sum.
inline bool normalise(std::vector<Influence>& row) {
  double sum = 0;
  for (const Influence& influence : row) sum += influence.weight;
  if (!(sum > 0)) return false;
  for (Influence& influence : row) influence.weight /= sum;
  return true;
}

}  // namespace sinew
