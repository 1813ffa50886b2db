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
  struct Place {
    std::uint32_t root;
    bool turned;
  };
  explicit Patches(std::size_t count) : parent_(count), turned_(count, 0) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  Place find(std::uint32_t t) {
    std::uint8_t turns = 0;
    while (parent_[t] != t) {
      // Every triangle on the way skips its parent, whose own turn it takes over.
      const std::uint32_t parent = parent_[t];
      turned_[t] ^= turned_[parent];
      parent_[t] = parent_[parent];
      turns ^= turned_[t];
      t = parent_[t];
    }
    return {t, turns != 0};
  }
  bool torn() const { return torn_; }
  // Where a loop of triangles cannot agree (a Moebius strip) the first word stands, and the patch is torn
  // there.
  void join(std::uint32_t a, std::uint32_t b, bool differ) {
    const Place pa = find(a), pb = find(b);
    if (pa.root == pb.root) {
      torn_ |= (pa.turned != pb.turned) != differ;
      return;
    }
    const std::uint32_t low = std::min(pa.root, pb.root), high = std::max(pa.root, pb.root);
    parent_[high] = low;
    turned_[high] = pa.turned ^ pb.turned ^ differ;
  }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint8_t> turned_;
  bool torn_ = false;
};

// The patch of each triangle, and whether it is turned relative to the patch's first one.
struct PatchMap {
  std::size_t count = 0;
  std::vector<std::uint32_t> patch;
  std::vector<bool> turned;
  bool torn = false;
};

PatchMap map_patches(const OrientedSoup& soup, const EdgeTable& edges) {
  Patches patches(soup.triangles.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto faces = edges.faces[e];
    if (faces.size() != 2) continue;
    const auto [a, b] = edges.ends[e];
    patches.join(
        faces[0], faces[1],
        edge_direction(soup.triangles[faces[0]], a, b) == edge_direction(soup.triangles[faces[1]], a, b));
  }
  PatchMap map;
  map.torn = patches.torn();
  map.patch.resize(soup.triangles.size());
  map.turned.resize(soup.triangles.size());
  for (std::uint32_t t = 0; t < soup.triangles.size(); ++t) {
    const Patches::Place place =
        patches.find(t);  // the root is the lowest triangle: it has its number already
    map.patch[t] = place.root == t ? static_cast<std::uint32_t>(map.count++) : map.patch[place.root];
    map.turned[t] = place.turned;
  }
  return map;
}

struct Sums {
  double volume = 0, area = 0, kept_area = 0;  // kept: not turned relative to the root
  Vec3 vector = Vec3::Zero(), moment = Vec3::Zero();
  bool ragged = false;  // has an edge of other than two triangles

  // About the centre of the area, so that an open patch is judged by its own bulge, wherever it lies.
  // What the same triangles, turned or not, add.
  void add(const Sums& other, bool turned) {
    volume += (turned ? -1 : 1) * other.volume;
    vector += (turned ? -1 : 1) * other.vector;
    moment += other.moment;
    area += other.area;
  }
  double own_volume() const { return area > 0 ? volume - moment.dot(vector) / area / 3 : 0; }
};

void add(Sums& sums, const OrientedSoup& soup, const Triangle& t, bool turned) {
  // About a vertex of the mesh: far from the origin volumes would cancel to nothing.
  const Vec3& origin = soup.positions.front();
  const Vec3 a = soup.positions[t[0]] - origin, b = soup.positions[t[1]] - origin,
             c = soup.positions[t[2]] - origin;
  const double sign = turned ? -1 : 1;
  const Vec3 vector = 0.5 * (b - a).cross(c - a);
  const double area = vector.norm();
  sums.volume += sign * a.dot(b.cross(c)) / 6;
  sums.vector += sign * vector;
  sums.moment += area / 3 * (a + b + c);
  sums.area += area;
  if (!turned) sums.kept_area += area;
}

// Whether each patch must be turned; the sums of all after that.
std::vector<bool> choose_sides(OrientedSoup& soup, const EdgeTable& edges, const PatchMap& map, Sums& total) {
  std::vector<Sums> sums(map.count);
  for (std::size_t t = 0; t < soup.triangles.size(); ++t)
    add(sums[map.patch[t]], soup, soup.triangles[t], map.turned[t]);
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (edges.faces[e].size() != 2)
      for (const std::uint32_t t : edges.faces[e]) sums[map.patch[t]].ragged = true;

  std::vector<bool> turn(map.count, false);
  std::vector<std::size_t> undecided;
  Sums together;
  for (std::size_t p = 0; p < map.count; ++p) {
    const double volume = sums[p].own_volume(), size = sums[p].area * std::sqrt(sums[p].area);
    if (std::abs(volume) > (sums[p].ragged ? kFlatPatch : 1e-9) * size) {
      turn[p] = volume < 0;
      continue;
    }
    turn[p] = 2 * sums[p].kept_area < sums[p].area;
    undecided.push_back(p);
    together.add(sums[p], turn[p]);
  }
  soup.flat_area = together.area;
  if (together.own_volume() < 0)
    for (const std::size_t p : undecided) turn[p] = !turn[p];
  for (std::size_t p = 0; p < map.count; ++p) total.add(sums[p], turn[p]);
  return turn;
}

bool edges_balance(const OrientedSoup& soup, const EdgeTable& edges, bool torn) {
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (edges.faces[e].size() == 2 && !torn) continue;  // its two triangles were made to agree
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
  const PatchMap map = map_patches(soup, edges);
  soup.patches = map.count;
  Sums total;
  const std::vector<bool> turn = choose_sides(soup, edges, map, total);
  for (std::size_t t = 0; t < soup.triangles.size(); ++t) {
    if (map.turned[t] != turn[map.patch[t]]) {
      std::swap(soup.triangles[t][1], soup.triangles[t][2]);
      ++soup.flipped;
    }
  }
  soup.closed = edges_balance(soup, edges, map.torn);
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
