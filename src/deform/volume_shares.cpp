// SPDX-License-Identifier: Apache-2.0
#include "deform/volume_shares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>

#include "sinew/mesh/weld.h"

namespace sinew {
namespace {

// A share changes by no more than this over the distance from the middle of its band, and what is rough in it
// is smoothed over that much of the distance. Flesh follows no steeper ones: it would be pushed out of the
// band, and noise in the weights would show as lumps.
constexpr double kSteepest = 0.6;
constexpr double kSmoothing = 0.4;
constexpr int kSmoothingPasses = 16;
constexpr std::size_t kPointNeighbours = 6;
constexpr float kSameShare = 2e-4f;  // along an edge
constexpr float kNoPart = 1e-6f;

// Places and what is around each.
struct PlaceGraph {
  std::vector<Vec3> positions;
  std::vector<std::vector<std::uint32_t>> around;
  std::vector<std::vector<std::array<std::uint16_t, 2>>> fans;
  std::vector<double> areas;
};

bool same_row(std::span<const Influence> a, std::span<const Influence> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Influence& x, const Influence& y) {
    return x.joint == y.joint && x.weight == y.weight;
  });
}

void find_places(const Rig& rig, VolumeShares& shares) {
  const Weld weld = weld_vertices(rig.mesh.positions);
  shares.to_place.assign(rig.mesh.vertex_count(), VolumeShares::kNowhere);
  std::vector<std::vector<std::uint32_t>> at(weld.positions.size());
  for (std::uint32_t v = 0; v < shares.to_place.size(); ++v) {
    if (v >= rig.weights.vertex_count() || rig.weights.row(v).empty()) continue;
    auto& known = at[weld.to_welded[v]];
    const auto same = std::find_if(known.begin(), known.end(), [&](std::uint32_t place) {
      return same_row(rig.weights.row(v), rig.weights.row(shares.vertex[place]));
    });
    if (same != known.end()) {
      shares.to_place[v] = *same;
      continue;
    }
    shares.to_place[v] = static_cast<std::uint32_t>(shares.vertex.size());
    known.push_back(shares.to_place[v]);
    shares.vertex.push_back(v);
  }
}

std::uint16_t neighbour_index(std::vector<std::uint32_t>& around, std::uint32_t place) {
  const auto found = std::find(around.begin(), around.end(), place);
  if (found != around.end()) return static_cast<std::uint16_t>(found - around.begin());
  around.push_back(place);
  return static_cast<std::uint16_t>(around.size() - 1);
}

void link_faces(const Rig& rig, const VolumeShares& shares, PlaceGraph& graph) {
  for (const Triangle& triangle : triangulate(rig.mesh).triangles) {
    std::array<std::uint32_t, 3> t;
    for (std::size_t k = 0; k < 3; ++k) t[k] = shares.to_place[triangle[k]];
    if (std::find(t.begin(), t.end(), VolumeShares::kNowhere) != t.end()) continue;
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    const double area = 0.5 * (graph.positions[t[1]] - graph.positions[t[0]])
                                  .cross(graph.positions[t[2]] - graph.positions[t[0]])
                                  .norm();
    for (std::size_t k = 0; k < 3; ++k) {
      auto& around = graph.around[t[k]];
      if (around.size() + 2 > 65535) continue;
      graph.fans[t[k]].push_back(
          {neighbour_index(around, t[(k + 1) % 3]), neighbour_index(around, t[(k + 2) % 3])});
      graph.areas[t[k]] += area;
    }
  }
}

// Points in space, as of a grid: the nearest ones are around them. Cells of a grid with about one point each.
void link_points(PlaceGraph& graph) {
  std::vector<std::uint32_t> points;
  Eigen::AlignedBox3d box;
  for (std::uint32_t i = 0; i < graph.positions.size(); ++i)
    if (graph.fans[i].empty() && graph.positions[i].allFinite()) {
      points.push_back(i);
      box.extend(graph.positions[i]);
    }
  if (points.size() < 2) return;
  const double side = box.sizes().maxCoeff() / std::cbrt(static_cast<double>(points.size()));
  if (!(side > 0) || !std::isfinite(side)) return;
  using Cell = std::array<int, 3>;
  const auto cell_of = [&](const Vec3& p) {
    const Eigen::Vector3i c = ((p - box.min()) / side).cast<int>();
    return Cell{c.x(), c.y(), c.z()};
  };
  std::map<Cell, std::vector<std::uint32_t>> cells;
  for (const std::uint32_t i : points) cells[cell_of(graph.positions[i])].push_back(i);
  const int widest = static_cast<int>(std::cbrt(static_cast<double>(points.size()))) + 2;
  std::vector<std::pair<double, std::uint32_t>> found;
  for (const std::uint32_t i : points) {
    const Vec3& p = graph.positions[i];
    const Cell home = cell_of(p);
    found.clear();
    for (int reach = 0; reach <= widest; ++reach) {
      const auto visit = [&](int x, int y, int z) {
        const auto cell = cells.find({home[0] + x, home[1] + y, home[2] + z});
        if (cell == cells.end()) return;
        for (const std::uint32_t other : cell->second)
          if (other != i) found.emplace_back((graph.positions[other] - p).squaredNorm(), other);
      };
      for (int x = -reach; x <= reach; ++x)
        for (int y = -reach; y <= reach; ++y) {
          const bool inside = std::max(std::abs(x), std::abs(y)) < reach;
          for (int z = -reach; z <= reach; z += inside ? std::max(2 * reach, 1) : 1) visit(x, y, z);
        }
      std::sort(found.begin(), found.end());
      // What lies in cells further out is further away than `reach` sides.
      if (found.size() >= kPointNeighbours &&
          found[kPointNeighbours - 1].first <= static_cast<double>(reach) * reach * side * side)
        break;
    }
    found.resize(std::min(found.size(), kPointNeighbours));
    for (const auto& [distance, other] : found)
      if (distance > 0) graph.around[i].push_back(other);
  }
}

PlaceGraph link_places(const Rig& rig, const VolumeShares& shares) {
  PlaceGraph graph;
  const std::size_t n = shares.vertex.size();
  for (const std::uint32_t v : shares.vertex) graph.positions.push_back(rig.mesh.positions[v]);
  graph.around.resize(n);
  graph.fans.resize(n);
  graph.areas.resize(n);
  link_faces(rig, shares, graph);
  link_points(graph);
  return graph;
}

// Parents by anatomy. A joint that shares no flesh with any joint above it, as the feet of rigs whose legs
// are drawn by targets, hangs on the one with which it shares most.
std::vector<int> body_parents(const Rig& rig, const VolumeShares& shares, const PlaceGraph& graph) {
  const Skeleton& skeleton = rig.skeleton;
  std::vector<std::map<std::uint32_t, double>> touch(skeleton.size());
  const auto meet = [&](std::uint32_t a, std::uint32_t b) {
    for (const Influence& one : rig.weights.row(shares.vertex[a]))
      for (const Influence& other : rig.weights.row(shares.vertex[b]))
        if (one.joint != other.joint) touch[one.joint][other.joint] += one.weight * other.weight;
  };
  for (std::uint32_t i = 0; i < shares.vertex.size(); ++i) {
    meet(i, i);
    for (const std::uint32_t k : graph.around[i]) meet(i, k);
  }
  std::vector<int> parents(skeleton.size());
  for (std::size_t j = 0; j < parents.size(); ++j) parents[j] = skeleton[j].parent;
  const auto is_above = [&](std::uint32_t above, std::uint32_t j) {
    int k = static_cast<int>(j);
    while (k >= 0 && k != static_cast<int>(above)) k = parents[static_cast<std::size_t>(k)];
    return k >= 0;
  };
  for (const std::uint32_t j : skeleton.order()) {
    double most = 0;
    int best = -1;
    bool held = false;
    for (const auto& [other, amount] : touch[j]) {
      held = held || (amount > 0 && is_above(other, j));
      if (amount > most && !is_above(j, other)) {
        most = amount;
        best = static_cast<int>(other);
      }
    }
    if (!held && best >= 0) parents[j] = best;
  }
  return parents;
}

// Every joint once, parents first.
std::vector<std::uint32_t> parents_first(std::span<const int> parents) {
  std::vector<std::uint32_t> order, way;
  std::vector<std::uint8_t> placed(parents.size(), 0);
  for (std::size_t j = 0; j < parents.size(); ++j) {
    for (int k = static_cast<int>(j); k >= 0 && !placed[static_cast<std::size_t>(k)];
         k = parents[static_cast<std::size_t>(k)]) {
      placed[static_cast<std::size_t>(k)] = 1;
      way.push_back(static_cast<std::uint32_t>(k));
    }
    order.insert(order.end(), way.rbegin(), way.rend());
    way.clear();
  }
  return order;
}

// The joints that matter: the lowest that takes all vertices along, or most of them, and those below it.
void find_joints(const Rig& rig, const PlaceGraph& graph, VolumeShares& shares) {
  const std::vector<int> parents = body_parents(rig, shares, graph);
  const std::vector<std::uint32_t> order = parents_first(parents);
  std::vector<double> sums(parents.size(), 0.0);
  for (const std::uint32_t v : shares.vertex) {
    double whole = 0;
    for (const Influence& influence : rig.weights.row(v)) whole += influence.weight;
    for (const Influence& influence : rig.weights.row(v))
      if (whole > 0) sums[influence.joint] += influence.weight / whole;
  }
  double most = 0;
  for (std::size_t k = order.size(); k-- > 0;) {
    most = std::max(most, sums[order[k]]);
    if (const int parent = parents[order[k]]; parent >= 0)
      sums[static_cast<std::size_t>(parent)] += sums[order[k]];
  }
  for (const double sum : sums) most = std::max(most, sum);
  if (!(most > 0)) return;
  std::uint32_t base = 0;
  for (const std::uint32_t j : order)
    if (sums[j] >= most * (1 - 1e-9)) base = j;
  const std::vector<Affine3> bind = bind_transforms(rig);
  std::vector<int> index(parents.size(), -1);
  const auto add = [&](std::uint32_t j) {
    index[j] = static_cast<int>(shares.joints.size());
    const bool root = shares.joints.empty() || parents[j] < 0;
    shares.joints.push_back(j);
    shares.parents.push_back(root ? -1 : index[static_cast<std::size_t>(parents[j])]);
    shares.heads.push_back(bind[j].translation());
  };
  add(base);
  for (int k = parents[base]; k >= 0; k = parents[static_cast<std::size_t>(k)])
    sums[static_cast<std::size_t>(k)] = 0;  // those above the base move nothing by themselves
  for (const std::uint32_t j : order)
    if (sums[j] > 0 && j != base) add(j);
}

constexpr std::uint32_t kNoPiece = ~0u;

bool differs(float a, float b) {
  return std::abs(a - b) > kSameShare;
}

// Where a share changes, in pieces that hang together.
struct SharePieces {
  std::vector<std::uint32_t> of;  // per place; kNoPiece: the share is the same all around
  std::vector<Vec3> middles;
};

SharePieces share_pieces(const PlaceGraph& graph, std::span<const float> share) {
  SharePieces pieces;
  pieces.of.assign(share.size(), kNoPiece);
  std::vector<std::uint32_t> open;
  for (std::uint32_t start = 0; start < share.size(); ++start) {
    const auto changes = [&](std::uint32_t k) { return differs(share[k], share[start]); };
    if (pieces.of[start] != kNoPiece ||
        std::none_of(graph.around[start].begin(), graph.around[start].end(), changes))
      continue;
    const auto piece = static_cast<std::uint32_t>(pieces.middles.size());
    Vec3 sum = Vec3::Zero();
    double whole = 0;
    open.assign(1, start);
    pieces.of[start] = piece;
    while (!open.empty()) {
      const std::uint32_t i = open.back();
      open.pop_back();
      for (const std::uint32_t k : graph.around[i]) {
        if (!differs(share[i], share[k])) continue;
        const Vec3 edge = graph.positions[i] - graph.positions[k];
        const double change = std::abs(share[i] - share[k]) * edge.norm();
        sum += change * (graph.positions[i] - 0.5 * edge);
        whole += change;
        if (pieces.of[k] != kNoPiece) continue;
        pieces.of[k] = piece;
        open.push_back(k);
      }
    }
    pieces.middles.push_back(whole > 0 ? Vec3(sum / whole) : graph.positions[start]);
  }
  return pieces;
}

// The largest field below `values` (or, with sign -1, the smallest above) that is nowhere steeper than
// kSteepest over the distance from the middle of its piece. From low to high, as shortest ways are found.
void limit_slope(const PlaceGraph& graph, const SharePieces& pieces, float sign, std::vector<float>& values) {
  using Entry = std::pair<float, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::vector<std::uint32_t> of = pieces.of;
  for (float& value : values) value *= sign;
  const auto relax = [&](std::uint32_t i) {
    if (of[i] == kNoPiece) return;
    const Vec3& middle = pieces.middles[of[i]];
    for (const std::uint32_t k : graph.around[i]) {
      if (values[k] <= values[i]) continue;
      const Vec3 &a = graph.positions[i], &b = graph.positions[k];
      const double distance = (0.5 * (a + b) - middle).norm(), length = (a - b).norm();
      if (!(distance > 0)) continue;
      const float bound = values[i] + static_cast<float>(kSteepest * length / distance);
      if (!(bound < values[k] - kSameShare)) continue;
      values[k] = bound;
      of[k] = of[i];
      queue.emplace(bound, k);
    }
  };
  for (std::uint32_t i = 0; i < values.size(); ++i) relax(i);
  while (!queue.empty()) {
    const auto [value, i] = queue.top();
    queue.pop();
    if (value == values[i]) relax(i);
  }
  for (float& value : values) value *= sign;
}

// Heat that runs for kSmoothing of the distance from the middle: what is rough at that size goes, and coarse
// meshes, whose edges are longer, stay as they are.
void smooth_share(const PlaceGraph& graph, std::vector<float>& share) {
  const SharePieces pieces = share_pieces(graph, share);
  std::vector<std::uint32_t> of = pieces.of;
  std::vector<float> before;
  for (int pass = 0; pass < kSmoothingPasses; ++pass) {
    before = share;
    for (std::uint32_t i = 0; i < share.size(); ++i) {
      const auto& around = graph.around[i];
      float sum = 0;
      for (const std::uint32_t k : around) {
        sum += before[k] - before[i];
        if (of[i] == kNoPiece && differs(before[k], before[i])) of[i] = of[k];
      }
      if (of[i] == kNoPiece || graph.fans[i].empty()) continue;
      double square = 0;
      for (const std::uint32_t k : around) square += (graph.positions[k] - graph.positions[i]).squaredNorm();
      if (!(square > 0)) continue;
      const double radius = kSmoothing * (graph.positions[i] - pieces.middles[of[i]]).norm();
      const double step = 4 * radius * radius / kSmoothingPasses / square;  // a square's diffusion in a plane
      share[i] += static_cast<float>(std::min(step, 0.5 / static_cast<double>(around.size()))) * sum;
    }
  }
}

// Between the two bounds, so that both sides of a step give way.
void limit_share(const PlaceGraph& graph, std::vector<float>& share) {
  const SharePieces pieces = share_pieces(graph, share);
  if (pieces.middles.empty()) return;
  std::vector<float> above = share;
  limit_slope(graph, pieces, 1, share);
  limit_slope(graph, pieces, -1, above);
  for (std::size_t i = 0; i < share.size(); ++i) share[i] = 0.5f * (share[i] + above[i]);
}

// Shares of one joint, per place.
std::vector<float> raw_share(const Rig& rig, const VolumeShares& shares,
                             std::span<const std::uint8_t> below) {
  std::vector<float> share(shares.vertex.size());
  for (std::size_t i = 0; i < share.size(); ++i) {
    double part = 0, whole = 0;
    for (const Influence& influence : rig.weights.row(shares.vertex[i])) {
      whole += influence.weight;
      if (below[influence.joint]) part += influence.weight;
    }
    share[i] = whole > 0 ? static_cast<float>(part / whole) : 0.0f;
  }
  return share;
}

struct PlaceParts {
  std::vector<std::vector<VolumeShares::Part>> parts;
  void add(std::size_t place, int joint, float weight) {
    if (joint < 0) return;
    for (VolumeShares::Part& part : parts[place])
      if (part.joint == static_cast<std::uint32_t>(joint)) {
        part.weight += weight;
        return;
      }
    parts[place].push_back({static_cast<std::uint32_t>(joint), weight});
  }
};

}  // namespace

Result<VolumeShares> volume_shares(const Rig& rig, const Progress* progress) {
  VolumeShares shares;
  find_places(rig, shares);
  const PlaceGraph graph = link_places(rig, shares);
  find_joints(rig, graph, shares);
  const std::size_t n = shares.vertex.size();
  PlaceParts parts{std::vector<std::vector<VolumeShares::Part>>(n)};
  std::vector<std::vector<VolumeShares::Slope>> slopes(n);
  for (std::size_t i = 0; i < n; ++i) parts.add(i, 0, 1);
  for (std::size_t j = 1; j < shares.joints.size(); ++j) {
    if (is_cancelled(progress)) return cancelled();
    report(progress, "volume", static_cast<double>(j) / static_cast<double>(shares.joints.size()));
    std::vector<std::uint8_t> below(rig.skeleton.size(), 0);
    below[shares.joints[j]] = 1;
    for (std::size_t k = j + 1; k < shares.joints.size(); ++k)
      if (shares.parents[k] >= 0)
        below[shares.joints[k]] = below[shares.joints[static_cast<std::size_t>(shares.parents[k])]];
    std::vector<float> share = raw_share(rig, shares, below);
    limit_share(graph, share);
    smooth_share(graph, share);
    const SharePieces pieces = share_pieces(graph, share);
    const std::size_t first = shares.hinges.size();
    for (const Vec3& middle : pieces.middles)
      shares.hinges.push_back({static_cast<std::uint32_t>(j), middle});
    for (std::size_t i = 0; i < n; ++i) {
      if (share[i] != 0) {
        parts.add(i, static_cast<int>(j), share[i]);
        parts.add(i, std::max(shares.parents[j], 0), -share[i]);
      }
      if (pieces.of[i] == kNoPiece) continue;
      slopes[i].push_back({static_cast<std::uint32_t>(first + pieces.of[i]),
                           static_cast<std::uint32_t>(shares.differences.size())});
      for (const std::uint32_t k : graph.around[i]) shares.differences.push_back(share[k] - share[i]);
    }
  }
  shares.part_offsets.push_back(0);
  for (std::size_t i = 0; i < n; ++i) {
    for (const VolumeShares::Part& part : parts.parts[i])
      if (std::abs(part.weight) > kNoPart) shares.parts.push_back(part);
    shares.part_offsets.push_back(static_cast<std::uint32_t>(shares.parts.size()));
    if (slopes[i].empty()) continue;
    const auto at = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
    shares.bands.push_back({static_cast<std::uint32_t>(i), at(shares.neighbours), at(graph.around[i]),
                            at(shares.fans), at(graph.fans[i]), at(shares.slopes), at(slopes[i]),
                            graph.areas[i]});
    shares.neighbours.insert(shares.neighbours.end(), graph.around[i].begin(), graph.around[i].end());
    double nearest = std::numeric_limits<double>::infinity();
    const auto distance = [&](std::uint32_t k) { return (graph.positions[k] - graph.positions[i]).norm(); };
    for (const std::uint32_t k : graph.around[i]) nearest = std::min(nearest, distance(k));
    for (const std::uint32_t k : graph.around[i])
      shares.neighbour_weights.push_back(static_cast<float>(std::pow(nearest / distance(k), 6)));
    shares.fans.insert(shares.fans.end(), graph.fans[i].begin(), graph.fans[i].end());
    shares.slopes.insert(shares.slopes.end(), slopes[i].begin(), slopes[i].end());
  }
  return shares;
}

}  // namespace sinew
