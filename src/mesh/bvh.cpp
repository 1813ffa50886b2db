// SPDX-License-Identifier: Apache-2.0
// Splits by the surface area heuristic over bins [wald2007]; rays test edges in the sheared frame of Woop,
// Benthin and Wald 2013 [woop2013], in which neighbours see the same numbers on their common edge.
#include "sinew/mesh/bvh.h"

#include <algorithm>
#include <cmath>

#include "mesh/bvh_builder.h"
#include "sinew/core/parallel.h"
#include "sinew/math/segment.h"

namespace sinew {

// Widest tree that the builder makes: it halves by count from this depth on.
constexpr std::size_t kStack = 2 * kBvhMaxDepth;

namespace {

// The nearest point of the outline, for triangles whose inside is not reached or does not exist.
Vec3 nearest_on_outline(const Vec3& p, const std::array<Vec3, 3>& corner, Vec3& barycentric) {
  double best = std::numeric_limits<double>::infinity(), best_t = 0;
  std::size_t best_k = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3& next = corner[(k + 1) % 3];
    const double t = nearest_on_segment(p, corner[k], next);
    const double squared = (corner[k] + t * (next - corner[k]) - p).squaredNorm();
    if (squared >= best) continue;
    best = squared;
    best_t = t;
    best_k = k;
  }
  const std::size_t next = (best_k + 1) % 3;
  barycentric.setZero();
  barycentric[static_cast<int>(best_k)] = 1 - best_t;
  barycentric[static_cast<int>(next)] = best_t;
  // From the nearer end, so that an end is hit to the bit.
  if (best_t < 0.5) return corner[best_k] + best_t * (corner[next] - corner[best_k]);
  return corner[next] + (1 - best_t) * (corner[best_k] - corner[next]);
}

}  // namespace

Vec3 nearest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, Vec3& barycentric) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  if (ab.dot(ap) <= 0 && ac.dot(ap) <= 0) {
    barycentric = Vec3::UnitX();
    return a;
  }
  const Vec3 normal = ab.cross(ac);
  const double squared = normal.squaredNorm();
  // Below this the normal is rounding alone.
  if (squared > 1e-28 * ab.squaredNorm() * ac.squaredNorm()) {
    const double v = normal.dot(ap.cross(ac)) / squared, w = normal.dot(ab.cross(ap)) / squared;
    if (v >= 0 && w >= 0 && v + w <= 1) {
      barycentric = Vec3(std::max(0.0, 1 - v - w), v, w);  // v + w <= 1 may still round above it
      return a + v * ab + w * ac;
    }
  }
  return nearest_on_outline(p, {a, b, c}, barycentric);
}

Bvh::Bvh(MeshView mesh) {
  BvhTree tree = build_bvh_tree(mesh);
  nodes_.resize(tree.nodes.size());
  corners_.resize(tree.order.size());
  triangle_ = std::move(tree.order);
  parallel_for(nodes_.size(), 1 << 14, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const BvhTreeNode& node = tree.nodes[k];
      nodes_[k] = {node.box.low, node.box.high, node.first, node.count};
    }
  });
  parallel_for(corners_.size(), 1 << 14, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const Triangle& t = mesh.triangles[triangle_[k]];
      corners_[k] = {mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]};
    }
  });
  if (!nodes_.empty()) bounds_ = Box3(nodes_[0].low, nodes_[0].high);
}

NearestPoint Bvh::nearest(const Vec3& point, double max_distance) const {
  NearestPoint best;
  if (nodes_.empty() || !point.allFinite()) return best;
  double bound = max_distance * max_distance;
  const auto squared_distance = [&](const Node& node) {
    return (node.low - point).cwiseMax(point - node.high).cwiseMax(0).squaredNorm();
  };
  struct Pending {
    std::uint32_t node;
    double squared;
  };
  std::array<Pending, kStack> stack;
  std::size_t top = 0;
  stack[top++] = {0, squared_distance(nodes_[0])};
  while (top > 0) {
    const Pending pending = stack[--top];
    if (pending.squared > bound) continue;
    const Node& node = nodes_[pending.node];
    if (node.count == 0) {
      Pending near{pending.node + 1, squared_distance(nodes_[pending.node + 1])};
      Pending far{node.first, squared_distance(nodes_[node.first])};
      if (far.squared < near.squared) std::swap(near, far);
      if (far.squared <= bound) stack[top++] = far;
      if (near.squared <= bound) stack[top++] = near;
      continue;
    }
    for (std::uint32_t k = node.first; k < node.first + node.count; ++k) {
      Vec3 barycentric;
      const Vec3 on = nearest_on_triangle(point, corners_[k].a, corners_[k].b, corners_[k].c, barycentric);
      const double squared = (on - point).squaredNorm();
      if (squared > bound || (squared == best.squared_distance && triangle_[k] > best.triangle)) continue;
      best = {triangle_[k], on, barycentric, squared};
      bound = squared;
    }
  }
  return best;
}

// The frame in which the ray runs along the last axis, and what slab tests need.
struct Bvh::Ray {
  Vec3 origin, inverse;
  int axis_x, axis_y, axis_z;
  double shear_x, shear_y, shear_z;

  Ray(const Vec3& from, const Vec3& direction) : origin(from), inverse(direction.cwiseInverse()) {
    direction.cwiseAbs().maxCoeff(&axis_z);
    axis_x = (axis_z + 1) % 3;
    axis_y = (axis_z + 2) % 3;
    if (direction[axis_z] < 0) std::swap(axis_x, axis_y);
    shear_x = direction[axis_x] / direction[axis_z];
    shear_y = direction[axis_y] / direction[axis_z];
    shear_z = 1 / direction[axis_z];
  }

  // Comparisons are written so that NaN (0 * infinity on a slab's very plane) leaves the interval as it is.
  bool meets(const Node& node, double t_min, double t_max, double& entry) const {
    for (int axis = 0; axis < 3; ++axis) {
      double near = (node.low[axis] - origin[axis]) * inverse[axis],
             far = (node.high[axis] - origin[axis]) * inverse[axis];
      if (inverse[axis] < 0) std::swap(near, far);
      // Outwards by more than the rounding of the lines above. By factors: infinity (a ray along the slab)
      // less infinity would be NaN, and such a ray would meet every box.
      near *= near > 0 ? 1 - 4.5e-16 : 1 + 4.5e-16;
      far *= far > 0 ? 1 + 4.5e-16 : 1 - 4.5e-16;
      t_min = near > t_min ? near : t_min;
      t_max = far < t_max ? far : t_max;
    }
    entry = t_min;
    return t_min <= t_max;
  }

  bool hits(const Corners& corners, double t_min, double t_max, double& t, Vec3& barycentric) const {
    const Vec3 a = corners.a - origin, b = corners.b - origin, c = corners.c - origin;
    const auto sheared_x = [&](const Vec3& p) { return p[axis_x] - shear_x * p[axis_z]; };
    const auto sheared_y = [&](const Vec3& p) { return p[axis_y] - shear_y * p[axis_z]; };
    const double ax = sheared_x(a), ay = sheared_y(a), bx = sheared_x(b), by = sheared_y(b),
                 cx = sheared_x(c), cy = sheared_y(c);
    const double u = cx * by - cy * bx, v = ax * cy - ay * cx, w = bx * ay - by * ax;
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return false;
    const double det = u + v + w;
    if (det == 0) return false;
    t = (u * a[axis_z] + v * b[axis_z] + w * c[axis_z]) * shear_z / det;
    if (!(t >= t_min && t <= t_max)) return false;
    barycentric = Vec3(u, v, w) / det;
    return true;
  }
};

// visit(k) for each triangle whose box the ray meets, near ones first, until it returns true. t_max may
// shrink meanwhile.
template <class Visit>
void Bvh::walk_ray(const Ray& ray, double t_min, const double& t_max, Visit&& visit) const {
  struct Pending {
    std::uint32_t node;
    double entry;
  };
  std::array<Pending, kStack> stack;
  std::size_t top = 0;
  double entry = 0;
  if (ray.meets(nodes_[0], t_min, t_max, entry)) stack[top++] = {0, entry};
  while (top > 0) {
    const Pending pending = stack[--top];
    if (pending.entry > t_max) continue;
    const Node& node = nodes_[pending.node];
    for (std::uint32_t k = node.first; k < node.first + node.count; ++k)
      if (visit(k)) return;
    if (node.count > 0) continue;
    Pending near{pending.node + 1, 0}, far{node.first, 0};
    const bool meets_near = ray.meets(nodes_[near.node], t_min, t_max, near.entry);
    const bool meets_far = ray.meets(nodes_[far.node], t_min, t_max, far.entry);
    if (meets_near && meets_far) {
      if (far.entry < near.entry) std::swap(near, far);
      stack[top++] = far;
      stack[top++] = near;
    } else if (meets_near || meets_far) {
      stack[top++] = meets_near ? near : far;
    }
  }
}

RayHit Bvh::first_hit(const Vec3& origin, const Vec3& direction, double t_min, double t_max) const {
  RayHit best;
  if (nodes_.empty() || !origin.allFinite() || !direction.allFinite() || direction.isZero(0)) return best;
  const Ray ray(origin, direction);
  walk_ray(ray, t_min, t_max, [&](std::uint32_t k) {
    double t;
    Vec3 barycentric;
    if (!ray.hits(corners_[k], t_min, t_max, t, barycentric)) return false;
    if (t == best.t && triangle_[k] > best.triangle) return false;
    best = {triangle_[k], t, barycentric};
    t_max = t;
    return false;
  });
  return best;
}

bool Bvh::any_hit(const Vec3& origin, const Vec3& direction, double t_min, double t_max) const {
  if (nodes_.empty() || !origin.allFinite() || !direction.allFinite() || direction.isZero(0)) return false;
  const Ray ray(origin, direction);
  bool found = false;
  walk_ray(ray, t_min, t_max, [&](std::uint32_t k) {
    double t;
    Vec3 barycentric;
    return found = ray.hits(corners_[k], t_min, t_max, t, barycentric);
  });
  return found;
}

}  // namespace sinew
