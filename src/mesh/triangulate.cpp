// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/mesh/poly_mesh.h"

namespace sinew {
namespace {

// Beyond this many point-in-triangle tests a polygon is hostile rather than drawn: it becomes a plain fan.
constexpr std::size_t kMaxEarTests = 50'000'000;

double turn(const Vec2& a, const Vec2& b, const Vec2& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

void fan(std::span<const std::uint32_t> face, std::span<Triangle> out) {
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = {face[0], face[k + 1], face[k + 2]};
}

void cut_quad(std::span<const Vec3> positions, std::span<const std::uint32_t> face, std::span<Triangle> out) {
  const Vec3 &a = positions[face[0]], &b = positions[face[1]], &c = positions[face[2]],
             &d = positions[face[3]];
  const Vec3 up = (c - a).cross(d - b);
  const auto upright = [&](const Vec3& p, const Vec3& q, const Vec3& r) {
    return (q - p).cross(r - p).dot(up) > 0;
  };
  const bool along_ac = upright(a, b, c) && upright(a, c, d);
  const bool along_bd = upright(a, b, d) && upright(b, c, d);
  const double ac = (c - a).squaredNorm(), bd = (d - b).squaredNorm();
  // Squares, whose diagonals differ by rounding alone, take the one at their lowest vertex: the same cut wherever the face
  // starts and whichever way round it runs. Files round positions to floats: small faces far from the origin by much.
  const double most = std::max(ac, bd),
               reach = std::max(std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff()),
                                std::max(c.cwiseAbs().maxCoeff(), d.cwiseAbs().maxCoeff()));
  const bool alike = std::abs(ac - bd) <= 1e-6 * most + 4e-7 * reach * std::sqrt(most);
  const bool prefer_bd = alike ? std::min(face[1], face[3]) < std::min(face[0], face[2]) : bd < ac;
  const bool use_bd = along_ac == along_bd ? prefer_bd : along_bd;
  if (use_bd) {
    out[0] = {face[1], face[2], face[3]};
    out[1] = {face[1], face[3], face[0]};
  } else {
    fan(face, out);
  }
}

// Clips ears off one polygon laid flat. Its buffers live on between polygons.
class EarClipper {
 public:
  void cut(std::span<const Vec3> positions, std::span<const std::uint32_t> face, std::span<Triangle> out) {
    if (!flatten(positions, face) || is_convex()) return fan(face, out);
    link();
    if (face.size() * (reflex_.size() + 1) > kMaxEarTests) return fan(face, out);
    clip(face, out);
  }

 private:
  // Newell's normal spans the plane; false where the polygon has no area.
  bool flatten(std::span<const Vec3> positions, std::span<const std::uint32_t> face) {
    const std::size_t n = face.size();
    const Vec3& origin = positions[face[0]];
    Vec3 normal = Vec3::Zero();
    for (std::size_t k = 0; k < n; ++k)
      normal += (positions[face[k]] - origin).cross(positions[face[(k + 1) % n]] - origin);
    const double length = normal.norm();
    if (!(length > 0) || !std::isfinite(length)) return false;
    normal /= length;
    const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u);
    flat_.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      const Vec3 offset = positions[face[k]] - origin;
      flat_[k] = {offset.dot(u), offset.dot(v)};
    }
    tolerance_ = 1e-12 * length;
    return true;
  }

  // All turns to the left do not suffice (a star turns left twice around), so the fan itself is what is
  // checked.
  bool is_convex() const {
    const std::size_t n = flat_.size();
    for (std::size_t k = 0; k < n; ++k)
      if (turn(flat_[k], flat_[(k + 1) % n], flat_[(k + 2) % n]) < -tolerance_) return false;
    for (std::size_t k = 1; k + 1 < n; ++k)
      if (turn(flat_[0], flat_[k], flat_[k + 1]) < -tolerance_) return false;
    return true;
  }

  void link() {
    const auto n = static_cast<std::uint32_t>(flat_.size());
    previous_.resize(n);
    next_.resize(n);
    reflex_.clear();
    for (std::uint32_t k = 0; k < n; ++k) {
      previous_[k] = (k + n - 1) % n;
      next_[k] = (k + 1) % n;
      if (turn(flat_[previous_[k]], flat_[k], flat_[next_[k]]) <= 0) reflex_.push_back(k);
    }
  }

  // An ear turns left and holds no other corner. Corners at the very place of the ear's own (a bridge to a
  // hole) are no obstacle.
  bool is_ear(std::uint32_t k) const {
    const Vec2 &a = flat_[previous_[k]], &b = flat_[k], &c = flat_[next_[k]];
    if (turn(a, b, c) <= tolerance_) return false;
    for (const std::uint32_t other : reflex_) {
      const Vec2& p = flat_[other];
      if (next_[other] == other || p == a || p == b || p == c) continue;
      if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return false;
    }
    return true;
  }

  void clip(std::span<const std::uint32_t> face, std::span<Triangle> out) {
    std::size_t left = face.size(), misses = 0;
    std::uint32_t k = 0;
    for (Triangle& triangle : out) {
      // With no ear in a whole round (a self-crossing outline) any corner goes, so that the count of
      // triangles holds.
      for (misses = 0; misses < left && !is_ear(k); ++misses) k = next_[k];
      triangle = {face[previous_[k]], face[k], face[next_[k]]};
      const std::uint32_t after = next_[k];
      next_[previous_[k]] = after;
      previous_[after] = previous_[k];
      next_[k] = k;
      --left;
      k = next_[after];
    }
  }

  std::vector<Vec2> flat_;
  std::vector<std::uint32_t> previous_, next_, reflex_;  // a removed corner is its own next
  double tolerance_ = 0;
};

}  // namespace

TriangleView triangulate(const PolyMesh& mesh) {
  const std::size_t faces = mesh.face_count();
  TriangleView view;
  if (faces == 0) return view;
  const std::size_t count = mesh.face_vertices.size() - 2 * faces;
  view.triangles.resize(count);
  view.face.resize(count);
  parallel_for(faces, 1 << 13, [&](std::size_t begin, std::size_t end) {
    EarClipper clipper;
    for (std::size_t f = begin; f < end; ++f) {
      const auto face = mesh.face(f);
      const std::size_t first = mesh.face_offsets[f] - 2 * f;
      const std::span<Triangle> out(view.triangles.data() + first, face.size() - 2);
      if (face.size() == 3)
        fan(face, out);
      else if (face.size() == 4)
        cut_quad(mesh.positions, face, out);
      else
        clipper.cut(mesh.positions, face, out);
      for (std::size_t t = 0; t < out.size(); ++t) view.face[first + t] = static_cast<std::uint32_t>(f);
    }
  });
  return view;
}

}  // namespace sinew
