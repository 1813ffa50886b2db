// SPDX-License-Identifier: Apache-2.0
// Twenty rays against the mesh would need a tree. All of a plane's rays lie in the plane, so the mesh is cut
// by it once, and what remains are lines against a few dozen segments.
#include "autorig/ring_direction.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace sinew::autorig {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr int kRays = 20;

struct Segment {
  Vec2 a, b;
};

struct Plane {
  Vec3 origin, x, y, normal;
  Vec2 flat(const Vec3& p) const { return {(p - origin).dot(x), (p - origin).dot(y)}; }
};

std::vector<Segment> cut(const PolyMesh& mesh, std::span<const std::uint32_t> faces, const Plane& plane) {
  std::vector<Segment> segments;
  for (const std::uint32_t f : faces) {
    const auto face = mesh.face(f);
    Vec2 before = Vec2::Zero();
    bool open = false;
    const Vec3* last = &mesh.positions[face.back()];
    double last_height = (*last - plane.origin).dot(plane.normal);
    for (const std::uint32_t v : face) {
      const Vec3& p = mesh.positions[v];
      const double height = (p - plane.origin).dot(plane.normal);
      // Zero counts as above, so that a plane through vertices and edges still cuts closed curves.
      if ((height < 0) != (last_height < 0)) {
        const double t = last_height / (last_height - height);
        const Vec2 here = plane.flat(*last + t * (p - *last));
        if (open) segments.push_back({before, here});
        before = here;
        open = !open;
      }
      last = &p;
      last_height = height;
    }
  }
  return segments;
}

// Distance along a unit direction to the nearest segment, beyond `least`.
double first_hit(std::span<const Segment> segments, const Vec2& from, const Vec2& direction, double least) {
  double nearest = kInfinite;
  const auto across = [&](const Vec2& p) { return direction.x() * p.y() - direction.y() * p.x(); };
  for (const Segment& s : segments) {
    const double a = across(s.a - from), b = across(s.b - from);
    if ((a < 0) == (b < 0)) continue;
    const double t = (s.a - from + a / (a - b) * (s.b - s.a)).dot(direction);
    if (t > least && t < nearest) nearest = t;
  }
  return nearest;
}

double spread(std::span<const Segment> segments, const Vec2& middle) {
  std::array<Vec2, kRays> points;
  Vec2 centre = Vec2::Zero();
  for (int k = 0; k < kRays; ++k) {
    const double angle = 2 * std::numbers::pi * k / kRays;
    const Vec2 direction(std::cos(angle), std::sin(angle));
    const double t = first_hit(segments, middle, direction, 0);
    if (t == kInfinite) return kInfinite;
    points[static_cast<std::size_t>(k)] = middle + t * direction;
    centre += points[static_cast<std::size_t>(k)] / kRays;
  }
  double least = kInfinite, most = 0;
  for (const Vec2& p : points) {
    least = std::min(least, (p - centre).norm());
    most = std::max(most, (p - centre).norm());
  }
  return most - least;
}

Vec3 face_normal(const PolyMesh& mesh, std::uint32_t f) {
  const auto face = mesh.face(f);
  Vec3 normal = Vec3::Zero();
  for (std::size_t k = 1; k + 1 < face.size(); ++k)
    normal += (mesh.positions[face[k]] - mesh.positions[face[0]])
                  .cross(mesh.positions[face[k + 1]] - mesh.positions[face[0]]);
  return normal.stableNormalized();
}

}  // namespace

std::optional<RingDirection> ring_direction(const PolyMesh& mesh, std::span<const std::uint32_t> faces,
                                            std::uint32_t face, std::uint32_t vertex) {
  const auto corners = mesh.face(face);
  std::size_t at = 0;
  while (at < corners.size() && corners[at] != vertex) ++at;
  if (at == corners.size()) return std::nullopt;
  const std::uint32_t ends[2] = {corners[(at + 1) % corners.size()],
                                 corners[(at + corners.size() - 1) % corners.size()]};
  const Vec3& origin = mesh.positions[vertex];
  const Vec3 into = -face_normal(mesh, face);
  RingDirection result{{kInfinite, kInfinite}};
  double depth = 0;
  for (int side = 0; side < 2; ++side) {
    const Vec3 edge = mesh.positions[ends[side]] - origin;
    const Vec3 y = (edge - edge.dot(into) * into).stableNormalized();
    const Plane plane{origin, into, y, into.cross(y)};
    const std::vector<Segment> segments = cut(mesh, faces, plane);
    // The ray lies in both planes; the first one that finds its end measures for both.
    if (depth == 0) depth = first_hit(segments, Vec2::Zero(), Vec2(1, 0), edge.norm() * 1e-3);
    if (depth == kInfinite) return std::nullopt;
    result.spread[side] = spread(segments, Vec2(depth / 2, 0));
  }
  return result;
}

}  // namespace sinew::autorig
