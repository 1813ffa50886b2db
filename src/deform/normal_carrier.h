// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew {

// Turns normals the way the surface around them turns, for deformers that have no transform at a vertex.
// Creases stay: the normals of a vertex are turned, not made anew.
class NormalCarrier {
 public:
  explicit NormalCarrier(const PolyMesh& mesh);

  struct Scratch {
    std::vector<Eigen::Matrix3f> before, after;  // per welded vertex: normal, tangent and the third axis
  };
  Scratch make_scratch() const;
  // All of the mesh's vertex count. Never allocates.
  void carry(std::span<const Vec3f> before, std::span<const Vec3f> after, std::span<const Vec3f> normals,
             Scratch& scratch, std::span<Vec3f> out) const noexcept;

 private:
  void frames(std::span<const Vec3f> positions, std::span<Eigen::Matrix3f> out) const noexcept;
  std::vector<std::uint32_t> to_welded_;
  std::vector<Triangle> triangles_;                      // of stored vertices
  std::vector<std::uint32_t> corner_offsets_, corners_;  // triangle corners at each welded vertex
};

}  // namespace sinew
