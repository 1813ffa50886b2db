// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>

#include "sinew/mesh/bvh.h"
#include "sinew/skeleton/bone_tree.h"
#include "sinew/weights/bone_weights.h"

namespace sinew {

// Whether nothing of the surface lies between a vertex of it and the nearest point of a bone.
class BoneVisibility {
 public:
  explicit BoneVisibility(const BindInput& input) : input_(input), bvh_(input.surface) {}

  bool sees(std::size_t vertex, std::size_t bone) const {
    constexpr double kStart = 1e-5;  // of the ray: the vertex's own triangles do not hide its bone
    constexpr double kEnd = 1 - 1e-6;
    const Vec3& from = input_.surface.positions[vertex];
    return !bvh_.any_hit(from, nearest_on_bone(input_.bones[bone], from).point - from, kStart, kEnd);
  }

  // The same by Blender's rule: only triangles that the ray enters from outside hide the bone.
  bool enters_nothing(std::size_t vertex, std::size_t bone) const {
    constexpr double kStart = 1e-5, kEnd = 1 - 1e-5, kStep = 1e-9;
    constexpr int kMost = 64;  // hits that are looked at: more than any limb has walls
    const auto& [positions, triangles] = input_.surface;
    const Vec3& from = positions[vertex];
    const Vec3 way = nearest_on_bone(input_.bones[bone], from).point - from;
    double start = kStart;
    for (int k = 0; k < kMost; ++k) {
      const RayHit hit = bvh_.first_hit(from, way, start, kEnd);
      if (!hit.found()) return true;
      const auto [a, b, c] = triangles[hit.triangle];
      if ((positions[b] - positions[a]).cross(positions[c] - positions[a]).dot(way) < 0) return false;
      start = hit.t + kStep;
    }
    return false;
  }

 private:
  BindInput input_;
  Bvh bvh_;
};

// Puts values into [0, 1]; the number of those that were outside by more than rounding.
inline std::size_t clamp_to_unit(Eigen::Ref<Eigen::MatrixXd> values) {
  constexpr double kRounding = 1e-9;
  std::size_t clamped = 0;
  for (Eigen::Index j = 0; j < values.cols(); ++j)
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      double& value = values(i, j);
      clamped += value < -kRounding || value > 1 + kRounding;
      value = std::clamp(value, 0.0, 1.0);
    }
  return clamped;
}

}  // namespace sinew
