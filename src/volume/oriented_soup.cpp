// SPDX-License-Identifier: Apache-2.0
#include "volume/oriented_soup.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/mesh/topology.h"
#include "sinew/mesh/weld.h"
#include "volume/cap_loops.h"

namespace sinew {
namespace {

// An open patch whose volume about its own centre is below this times area^1.5 (a ball has 0.094) is too flat
// to tell its sides apart.
constexpr double kFlatPatch = 0.01;

void drop_broken(MeshView mesh, OrientedSoup& soup) {
  std::vector<Triangle> finite;
  finite.reserve(mesh.triangles.size());
  for (const Triangle& t : mesh.triangles)
    if (mesh.positions[t[0]].allFinite() && mesh.positions[t[1]].allFinite() &&
        mesh.positions[t[2]].allFinite())
      finite.push_back(t);
  WeldedTriangles welded = weld_triangles({mesh.positions, finite});
  soup.positions = std::move(welded.weld.positions);
  soup.triangles = std::move(welded.triangles);
}

// The first of several triangles with the same three corners stays.
void drop_duplicates(OrientedSoup& soup) {
  const auto sorted = [](Triangle t) {
    std::sort(t.begin(), t.end());
    return t;
  };
  std::vector<std::uint32_t> order(soup.triangles.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Triangle ta = sorted(soup.triangles[a]), tb = sorted(soup.triangles[b]);
    return ta != tb ? ta < tb : a < b;
  });
  std::vector<bool> twice(soup.triangles.size(), false);
  for (std::size_t k = 1; k < order.size(); ++k)
    twice[order[k]] = sorted(soup.triangles[order[k]]) == sorted(soup.triangles[order[k - 1]]);
  std::size_t kept = 0;
  for (std::size_t t = 0; t < soup.triangles.size(); ++t)
    if (!twice[t]) soup.triangles[kept++] = soup.triangles[t];
  soup.duplicates = soup.triangles.size() - kept;
  soup.triangles.resize(kept);
}

// Union-find that knows whether each triangle must be turned relative to its root.
class Patches {
 public:
  explicit Patches(std::size_t count) : parent_(count), turned_(count, 0) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  std::uint32_t root(std::uint32_t t) {
    if (parent_[t] == t) return t;
    // First the root and the turns to it, then every triangle on the way points there.
    std::uint32_t top = t;
    std::uint8_t turns = 0;
    while (parent_[top] != top) {
      turns ^= turned_[top];
      top = parent_[top];
    }
    while (parent_[t] != top && t != top) {
      const std::uint32_t next = parent_[t];
      const std::uint8_t own = turned_[t];
      parent_[t] = top;
      turned_[t] = turns;
      turns ^= own;
      t = next;
    }
    return top;
  }
  bool turned(std::uint32_t t) { return root(t) != t && turned_[t]; }
  // Where a loop of triangles cannot agree (a Moebius strip) the first word stands.
  void join(std::uint32_t a, std::uint32_t b, bool differ) {
    const std::uint32_t ra = root(a), rb = root(b);
    if (ra == rb) return;
    const auto turn = static_cast<std::uint8_t>(turned(a) ^ turned(b) ^ differ);
    parent_[std::max(ra, rb)] = std::min(ra, rb);
    turned_[std::max(ra, rb)] = turn;
  }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint8_t> turned_;
};

struct Sums {
  double volume = 0, area = 0, kept_area = 0;  // kept: not turned relative to the root
  Vec3 vector = Vec3::Zero(), moment = Vec3::Zero();
  bool ragged = false;  // has an edge of other than two triangles

  // About the centre of the area, so that an open patch is judged by its own bulge, wherever it lies.
  double own_volume() const { return area > 0 ? volume - moment.dot(vector) / area / 3 : 0; }
};

void add(Sums& sums, const OrientedSoup& soup, const Triangle& t, bool turned) {
  const Vec3 &a = soup.positions[t[0]], &b = soup.positions[t[1]], &c = soup.positions[t[2]];
  const double sign = turned ? -1 : 1;
  const Vec3 vector = 0.5 * (b - a).cross(c - a);
  const double area = vector.norm();
  sums.volume += sign * a.dot(b.cross(c)) / 6;
  sums.vector += sign * vector;
  sums.moment += area / 3 * (a + b + c);
  sums.area += area;
  if (!turned) sums.kept_area += area;
}

Patches join_across_edges(const OrientedSoup& soup, const EdgeTable& edges) {
  Patches patches(soup.triangles.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto faces = edges.faces[e];
    if (faces.size() != 2) continue;
    const auto [a, b] = edges.ends[e];
    patches.join(
        faces[0], faces[1],
        edge_direction(soup.triangles[faces[0]], a, b) == edge_direction(soup.triangles[faces[1]], a, b));
  }
  return patches;
}

// Whether the root of each patch must be turned.
std::vector<bool> choose_sides(OrientedSoup& soup, const EdgeTable& edges, Patches& patches) {
  std::vector<Sums> sums(soup.triangles.size());
  for (std::uint32_t t = 0; t < soup.triangles.size(); ++t)
    add(sums[patches.root(t)], soup, soup.triangles[t], patches.turned(t));
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (edges.faces[e].size() != 2)
      for (const std::uint32_t t : edges.faces[e]) sums[patches.root(t)].ragged = true;

  std::vector<bool> turn(soup.triangles.size(), false);
  std::vector<std::uint32_t> undecided;
  Sums together;
  for (std::uint32_t r = 0; r < soup.triangles.size(); ++r) {
    if (patches.root(r) != r) continue;
    ++soup.patches;
    const double volume = sums[r].own_volume(), size = sums[r].area * std::sqrt(sums[r].area);
    if (std::abs(volume) > (sums[r].ragged ? kFlatPatch : 1e-9) * size) {
      turn[r] = volume < 0;
      continue;
    }
    turn[r] = 2 * sums[r].kept_area < sums[r].area;
    undecided.push_back(r);
    const double sign = turn[r] ? -1 : 1;
    together.volume += sign * sums[r].volume;
    together.vector += sign * sums[r].vector;
    together.moment += sums[r].moment;
    together.area += sums[r].area;
  }
  soup.flat_area = together.area;
  if (together.own_volume() < 0)
    for (const std::uint32_t r : undecided) turn[r] = !turn[r];
  return turn;
}

bool edges_balance(const OrientedSoup& soup, const EdgeTable& edges) {
  for (std::size_t e = 0; e < edges.size(); ++e) {
    int sum = 0;
    for (const std::uint32_t t : edges.faces[e])
      sum += edge_direction(soup.triangles[t], edges.ends[e][0], edges.ends[e][1]);
    if (sum != 0) return false;
  }
  return true;
}

}  // namespace

OrientedSoup orient_soup(MeshView mesh) {
  OrientedSoup soup;
  drop_broken(mesh, soup);
  EdgeTable edges = edge_table(soup.positions.size(), soup.triangles);
  bool nonmanifold = false;
  for (std::size_t e = 0; e < edges.size() && !nonmanifold; ++e) nonmanifold = edges.is_nonmanifold(e);
  if (nonmanifold) {
    drop_duplicates(soup);
    if (soup.duplicates > 0) edges = edge_table(soup.positions.size(), soup.triangles);
  }
  Patches patches = join_across_edges(soup, edges);
  const std::vector<bool> turn = choose_sides(soup, edges, patches);
  Sums total;
  for (std::uint32_t t = 0; t < soup.triangles.size(); ++t) {
    if (patches.turned(t) != turn[patches.root(t)]) {
      std::swap(soup.triangles[t][1], soup.triangles[t][2]);
      ++soup.flipped;
    }
    add(total, soup, soup.triangles[t], false);
  }
  soup.closed = edges_balance(soup, edges);
  soup.area = total.area;
  soup.volume = total.own_volume();
  if (soup.closed || soup.needs_winding_number()) return soup;
  const std::vector<Triangle> caps = cap_loops(soup.positions, soup.triangles);
  for (const Triangle& t : caps) {
    soup.triangles.push_back(t);
    add(total, soup, t, false);
  }
  soup.caps = caps.size();
  soup.volume = total.volume;
  return soup;
}

}  // namespace sinew
