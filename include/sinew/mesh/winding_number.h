// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew {

/// The generalised winding number of any triangles [jacobson2013]: how often they run around a point. 1 inside
/// a closed mesh and 0 outside, in between near holes, negative inside an inverted one, sums where parts
/// overlap. Far triangles are summed as one [barill2018]; the error stays below about 0.01. Keeps its own copy
/// of the triangles. Queries may run in parallel.
class WindingNumber {
 public:
  WindingNumber() = default;
  /// Triangles that are not finite are left out. O(n log n).
  explicit WindingNumber(MeshView mesh);

  double operator()(const Vec3& point) const;

  struct Node {
    Vec3 centre;         ///< of the area
    Vec3 area;           ///< sum of area vectors
    double radius;       ///< of a ball about the centre that holds all triangles below
    std::uint32_t skip;  ///< the node behind this subtree
    std::uint32_t pack;  ///< of a leaf
    bool leaf;
  };
  /// Four triangles: per corner four x, four y, four z.
  using Pack = std::array<double, 36>;

 private:
  std::vector<Node> nodes_;  ///< depth first
  std::vector<Pack> packs_;
};

/// The part of the full sphere that triangle a b c covers as seen from `point`, positive where it is seen from
/// its back.
double solid_angle_fraction(const Vec3& point, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace sinew
