// SPDX-License-Identifier: Apache-2.0
// A tree of boxes against itself: pairs of nodes whose boxes are apart are left out whole.
#include "sinew/measure/self_intersection.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace sinew {
namespace {

constexpr std::size_t kLeaf = 4;

// Whether the segment p q goes through the inside of the triangle, by the signs of the volumes it spans.
bool goes_through(const Vec3& p, const Vec3& q, const Vec3 (&t)[3]) {
  const auto side = [](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return (b - a).cross(c - a).dot(d - a);
  };
  const double above = side(t[0], t[1], t[2], p), below = side(t[0], t[1], t[2], q);
  if (!(above * below < 0)) return false;
  const double u = side(p, q, t[0], t[1]), v = side(p, q, t[1], t[2]), w = side(p, q, t[2], t[0]);
  return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

struct Node {
  Box3 box;
  std::size_t begin = 0, end = 0;   // into the order of triangles
  std::size_t left = 0, right = 0;  // nodes; 0: a leaf
};

class Tree {
 public:
  explicit Tree(MeshView mesh) : mesh_(mesh), order_(mesh.triangles.size()), crossing_(order_.size(), 0) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (const Triangle& t : mesh.triangles) {
      Box3 box;
      for (const std::uint32_t corner : t) box.extend(mesh.positions[corner]);
      boxes_.push_back(box);
    }
    if (!order_.empty()) build(0, order_.size());
  }

  std::size_t count() {
    if (!nodes_.empty()) meet(0, 0);
    return static_cast<std::size_t>(std::count(crossing_.begin(), crossing_.end(), 1));
  }

 private:
  std::size_t build(std::size_t begin, std::size_t end) {
    const std::size_t node = nodes_.size();
    nodes_.push_back({});
    Box3 box;
    for (std::size_t k = begin; k < end; ++k) box.extend(boxes_[order_[k]]);
    nodes_[node] = {box, begin, end, 0, 0};
    if (end - begin <= kLeaf) return node;
    Eigen::Index axis = 0;
    box.sizes().maxCoeff(&axis);
    const std::size_t middle = (begin + end) / 2;
    const auto at = [&](std::size_t k) { return order_.begin() + static_cast<std::ptrdiff_t>(k); };
    std::nth_element(at(begin), at(middle), at(end), [&](std::size_t a, std::size_t b) {
      return boxes_[a].center()[axis] < boxes_[b].center()[axis];
    });
    const std::size_t left = build(begin, middle), right = build(middle, end);
    nodes_[node].left = left;
    nodes_[node].right = right;
    return node;
  }

  void meet(std::size_t a, std::size_t b) {
    if (a != b && !nodes_[a].box.intersects(nodes_[b].box)) return;
    const bool leaf_a = nodes_[a].left == 0, leaf_b = nodes_[b].left == 0;
    if (leaf_a && leaf_b) return test(nodes_[a], nodes_[b]);
    if (a == b) {
      meet(nodes_[a].left, nodes_[a].left);
      meet(nodes_[a].right, nodes_[a].right);
      meet(nodes_[a].left, nodes_[a].right);
    } else if (leaf_b || (!leaf_a && nodes_[a].end - nodes_[a].begin >= nodes_[b].end - nodes_[b].begin)) {
      meet(nodes_[a].left, b);
      meet(nodes_[a].right, b);
    } else {
      meet(a, nodes_[b].left);
      meet(a, nodes_[b].right);
    }
  }

  void test(const Node& a, const Node& b) {
    for (std::size_t i = a.begin; i < a.end; ++i)
      for (std::size_t k = std::max(b.begin, i + 1); k < b.end; ++k) {
        const std::size_t s = order_[i], t = order_[k];
        if ((crossing_[s] && crossing_[t]) || !boxes_[s].intersects(boxes_[t])) continue;
        const Triangle &p = mesh_.triangles[s], &q = mesh_.triangles[t];
        if (std::find_first_of(p.begin(), p.end(), q.begin(), q.end()) != p.end()) continue;
        const Vec3 one[3] = {mesh_.positions[p[0]], mesh_.positions[p[1]], mesh_.positions[p[2]]};
        const Vec3 two[3] = {mesh_.positions[q[0]], mesh_.positions[q[1]], mesh_.positions[q[2]]};
        if (triangles_cross(one, two)) crossing_[s] = crossing_[t] = 1;
      }
  }

  MeshView mesh_;
  std::vector<std::size_t> order_;
  std::vector<std::uint8_t> crossing_;
  std::vector<Box3> boxes_;
  std::vector<Node> nodes_;
};

}  // namespace

bool triangles_cross(const Vec3 (&a)[3], const Vec3 (&b)[3]) {
  for (int k = 0; k < 3; ++k)
    if (goes_through(a[k], a[(k + 1) % 3], b) || goes_through(b[k], b[(k + 1) % 3], a)) return true;
  return false;
}

std::size_t self_intersecting_triangles(MeshView mesh) {
  return Tree(mesh).count();
}

}  // namespace sinew
