// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew {

inline constexpr std::uint32_t kNoTriangle = 0xffffffffu;

/// The nearest point of a mesh.
struct NearestPoint {
  std::uint32_t triangle = kNoTriangle;  ///< kNoTriangle: nothing within the distance asked for
  Vec3 point = Vec3::Zero();
  Vec3 barycentric = Vec3::Zero();  ///< of the triangle's corners; >= 0, sums to 1
  double squared_distance = std::numeric_limits<double>::infinity();
  bool found() const { return triangle != kNoTriangle; }
};

/// The first hit of a ray.
struct RayHit {
  std::uint32_t triangle = kNoTriangle;
  double t = std::numeric_limits<double>::infinity();  ///< origin + t * direction
  Vec3 barycentric = Vec3::Zero();
  bool found() const { return triangle != kNoTriangle; }
};

/// Nearest points and rays on triangles, in double. Keeps its own copy of the triangles (about 100 bytes
/// each). Triangles with a corner that is not finite are left out; those without area have nearest points but
/// no ray hits. Among equals the lowest triangle wins, so answers do not depend on the tree, nor on threads.
/// Queries may run in parallel.
class Bvh {
 public:
  Bvh() = default;
  /// O(n log n), in parallel; 1 M triangles in about 0.3 s.
  explicit Bvh(MeshView mesh);

  bool empty() const { return nodes_.empty(); }
  const Box3& bounds() const { return bounds_; }

  NearestPoint nearest(const Vec3& point,
                       double max_distance = std::numeric_limits<double>::infinity()) const;

  /// Hits with t_min <= t <= t_max, from either side. Rays that meet an edge or a corner hit one of its
  /// triangles: none slips through. direction need not have unit length; a zero direction hits nothing.
  RayHit first_hit(const Vec3& origin, const Vec3& direction, double t_min = 0,
                   double t_max = std::numeric_limits<double>::infinity()) const;
  /// first_hit(...).found(), faster: whether something lies between two points, say (direction = b - a, t_max
  /// just below 1).
  bool any_hit(const Vec3& origin, const Vec3& direction, double t_min = 0,
               double t_max = std::numeric_limits<double>::infinity()) const;

 private:
  /// Inner node: count 0, children at this + 1 and at `first`. Leaf: triangles [first, first + count).
  struct Node {
    Vec3 low, high;
    std::uint32_t first, count;
  };
  struct Corners {
    Vec3 a, b, c;
  };
  struct Builder;
  struct Ray;
  template <class Visit>
  void walk_ray(const Ray& ray, double t_min, const double& t_max, Visit&& visit) const;

  std::vector<Node> nodes_;
  std::vector<Corners> corners_;         ///< in the order of the leaves
  std::vector<std::uint32_t> triangle_;  ///< per corners: its index in the mesh
  Box3 bounds_;
};

/// The point of the triangle a b c nearest to p, and its barycentric coordinates; any triangle, also without
/// area.
Vec3 nearest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, Vec3& barycentric);

}  // namespace sinew
