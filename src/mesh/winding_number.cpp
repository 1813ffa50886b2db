// SPDX-License-Identifier: Apache-2.0
// Jacobson, Kavan, Sorkine-Hornung 2013 [jacobson2013]; Barill et al. 2018 [barill2018], first order.
#include "sinew/mesh/winding_number.h"

#include <algorithm>
#include <cmath>

#include "mesh/bvh_builder.h"

namespace sinew {
namespace {

constexpr double kPi = 3.14159265358979323846;
// A subtree is seen as one dipole from this many of its radii on; 2.5 keeps the error of closed meshes under
// 0.01.
constexpr double kFar = 4;

// A sum of angles as the argument of a product of complex numbers, and how often it went round: one arc tangent for all.
class AngleSum {
 public:
  // The angle of (re, im), in (-pi, pi].
  void add(double re, double im) {
    const double size = std::abs(re) + std::abs(im);
    if (!(size > 0) || !std::isfinite(size)) return;
    re /= size;
    im /= size;
    const double product_re = re_ * re - im_ * im, product_im = re_ * im + im_ * re;
    // Two angles of one sign may pass half a turn; where both are beyond a quarter, they do.
    const bool beyond = re_ < 0 && re < 0;
    if (im_ >= 0 && im >= 0 && (beyond || product_im < 0)) ++turns_;
    if (im_ < 0 && im < 0 && (beyond || product_im > 0)) --turns_;
    re_ = product_re;
    im_ = product_im;
    if (std::abs(re_) + std::abs(im_) > kSmall) return;
    re_ /= kSmall;
    im_ /= kSmall;
  }
  double sum() const { return std::atan2(im_, re_) + 2 * kPi * turns_; }

 private:
  static constexpr double kSmall = 1e-100;
  double re_ = 1, im_ = 0;
  int turns_ = 0;
};

// Half the solid angle of a triangle is the argument of `scale` and `volume`.
struct SeenTriangle {
  double volume, scale;
};

SeenTriangle seen_from(const Vec3& point, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 u = a - point, v = b - point, w = c - point;
  const double lu = u.norm(), lv = v.norm(), lw = w.norm();
  return {u.dot(v.cross(w)), lu * lv * lw + u.dot(v) * lw + v.dot(w) * lu + w.dot(u) * lv};
}

// On the triangle itself: seen from both sides.
bool is_on_it(const SeenTriangle& seen) {
  return seen.volume == 0 && seen.scale <= 0;
}

}  // namespace

double solid_angle_fraction(const Vec3& point, const Vec3& a, const Vec3& b, const Vec3& c) {
  const SeenTriangle seen = seen_from(point, a, b, c);
  return is_on_it(seen) ? 0 : std::atan2(seen.volume, seen.scale) / (2 * kPi);
}

WindingNumber::WindingNumber(MeshView mesh) {
  const BvhTree tree = build_bvh_tree(mesh);
  corners_.resize(tree.order.size());
  for (std::size_t k = 0; k < corners_.size(); ++k) {
    const Triangle& t = mesh.triangles[tree.order[k]];
    corners_[k] = {mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]};
  }
  nodes_.resize(tree.nodes.size());
  std::vector<double> areas(nodes_.size(), 0);
  // Children lie behind their parents: from the back, both are ready.
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const BvhTreeNode& from = tree.nodes[k];
    Node& node = nodes_[k];
    node = {Vec3::Zero(), Vec3::Zero(), 0, static_cast<std::uint32_t>(k + 1), from.first, from.count};
    for (std::uint32_t t = from.first; t < from.first + from.count; ++t) {
      const auto& [a, b, c] = corners_[t];
      const Vec3 area = 0.5 * (b - a).cross(c - a);
      node.area += area;
      node.centre += area.norm() / 3 * (a + b + c);
      areas[k] += area.norm();
    }
    if (from.count == 0) {
      node.skip = nodes_[from.first].skip;
      for (const std::size_t child : {k + 1, static_cast<std::size_t>(from.first)}) {
        node.area += nodes_[child].area;
        node.centre += areas[child] * nodes_[child].centre;
        areas[k] += areas[child];
      }
    }
    node.centre = areas[k] > 0 ? Vec3(node.centre / areas[k]) : Vec3(0.5 * (from.box.low + from.box.high));
    node.radius = (node.centre - from.box.low).cwiseMax(from.box.high - node.centre).norm();
  }
}

double WindingNumber::operator()(const Vec3& point) const {
  double sum = 0;
  AngleSum near;
  for (std::uint32_t k = 0; k < nodes_.size();) {
    const Node& node = nodes_[k];
    const Vec3 to = node.centre - point;
    const double squared = to.squaredNorm();
    if (squared > kFar * kFar * node.radius * node.radius) {
      sum += node.area.dot(to) / (4 * kPi * squared * std::sqrt(squared));
      k = node.skip;
      continue;
    }
    for (std::uint32_t t = node.first; t < node.first + node.count; ++t) {
      const SeenTriangle seen = seen_from(point, corners_[t][0], corners_[t][1], corners_[t][2]);
      if (!is_on_it(seen)) near.add(seen.scale, seen.volume);
    }
    ++k;
  }
  return sum + near.sum() / (2 * kPi);
}

}  // namespace sinew
