// SPDX-License-Identifier: Apache-2.0
// Jacobson, Kavan, Sorkine-Hornung 2013 [jacobson2013]; Barill et al. 2018 [barill2018], first order.
#include "sinew/mesh/winding_number.h"

#include <algorithm>
#include <cmath>

#include "mesh/bvh_builder.h"
#include "mesh/winding_kernel.h"

namespace sinew {
namespace {

constexpr double kPi = 3.14159265358979323846;
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
  nodes_.resize(tree.nodes.size());
  std::vector<double> areas(nodes_.size(), 0);
  // Children lie behind their parents: from the back, both are ready.
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const BvhTreeNode& from = tree.nodes[k];
    Node& node = nodes_[k];
    node = {Vec3::Zero(), Vec3::Zero(), 0, static_cast<std::uint32_t>(k + 1), 0, from.count > 0};
    if (node.leaf) {
      node.pack = static_cast<std::uint32_t>(packs_.size());
      Pack& pack = packs_.emplace_back();
      for (std::uint32_t lane = 0; lane < kBvhLeafSize; ++lane) {
        const Triangle& t = mesh.triangles[tree.order[from.first + std::min(lane, from.count - 1)]];
        // Lanes without a triangle hold one point three times, which covers nothing.
        const bool used = lane < from.count;
        const Vec3 &a = mesh.positions[t[0]], &b = mesh.positions[t[used ? 1 : 0]],
                   &c = mesh.positions[t[used ? 2 : 0]];
        for (std::size_t axis = 0; axis < 3; ++axis) {
          pack[4 * axis + lane] = a[static_cast<Eigen::Index>(axis)];
          pack[12 + 4 * axis + lane] = b[static_cast<Eigen::Index>(axis)];
          pack[24 + 4 * axis + lane] = c[static_cast<Eigen::Index>(axis)];
        }
        const Vec3 area = 0.5 * (b - a).cross(c - a);
        node.area += area;
        node.centre += area.norm() / 3 * (a + b + c);
        areas[k] += area.norm();
      }
    } else {
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
  return winding_number(nodes_, packs_.data(), point);
}

}  // namespace sinew
