// SPDX-License-Identifier: Apache-2.0
#include "autorig/body_graph.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <unordered_map>

#include "autorig/march.h"
#include "autorig/outer_surface.h"
#include "sinew/mesh/topology.h"
#include "sinew/mesh/weld.h"
#include "sinew/volume/voxelize.h"

namespace sinew::autorig {
namespace {

constexpr double kTrianglesAcross = 8000;  // area over the square of the longest edge
constexpr std::size_t kManyPoints = 60'000;
constexpr std::size_t kMostPieces = 500;
constexpr double kWholeBody = 0.93;  // a piece that leaves less than this of the longest side to others
constexpr double kTouching = 1.5;    // longest edges: pieces so near to each other touch
constexpr double kLoop = 0.2;        // of the size: a longer way round is a loop that limbs close by accident
constexpr double kThinned = 0.4;     // longest edges: points that are nearer to each other become one
constexpr int kMostSplits = 16;      // times edges are halved
constexpr double kEvenSpacing = 0.7;  // longest edges: what edges are on average once the longest are halved
constexpr double kOneBody = 0.8;      // of the cells: what hangs together so far needs no bridges
constexpr double kDiskRadius = 1.5;   // from the mean distance to the centre of a disk to its radius
constexpr std::size_t kCells = 60'000, kMostCells = 200'000;  // of the solid voxel grid
constexpr double kAhead = 0.1;  // longest edges: from there a triangle looks out of the body, or into a piece

double area_of(const std::vector<Vec3>& p, const Triangle& t) {
  return 0.5 * (p[t[1]] - p[t[0]]).cross(p[t[2]] - p[t[0]]).norm();
}

double total_area(const std::vector<Vec3>& p, const std::vector<Triangle>& triangles) {
  double area = 0;
  for (const Triangle& t : triangles) area += area_of(p, t);
  return area;
}

// Halves every edge that is too long, once; false where there was none.
bool split_long_edges(std::vector<Vec3>& p, std::vector<Triangle>& triangles, double longest) {
  std::unordered_map<std::uint64_t, std::uint32_t> middle;
  const auto middle_of = [&](std::uint32_t a, std::uint32_t b) -> std::uint32_t {
    if ((p[a] - p[b]).squaredNorm() <= longest * longest) return kNoIndex;
    const std::uint64_t key = (std::uint64_t{std::min(a, b)} << 32) | std::max(a, b);
    const auto [at, fresh] = middle.try_emplace(key, static_cast<std::uint32_t>(p.size()));
    if (fresh) {
      const Vec3 centre = (p[a] + p[b]) / 2;
      p.push_back(centre);
    }
    return at->second;
  };
  std::vector<Triangle> out;
  out.reserve(triangles.size() * 2);
  for (Triangle t : triangles) {
    std::array<std::uint32_t, 3> m = {middle_of(t[0], t[1]), middle_of(t[1], t[2]), middle_of(t[2], t[0])};
    const int cuts = (m[0] != kNoIndex) + (m[1] != kNoIndex) + (m[2] != kNoIndex);
    if (cuts == 0) {
      out.push_back(t);
      continue;
    }
    if (cuts == 3) {
      out.insert(out.end(), {{t[0], m[0], m[2]}, {t[1], m[1], m[0]}, {t[2], m[2], m[1]}, {m[0], m[1], m[2]}});
      continue;
    }
    // Turned so that the first edge is cut, and with two cuts the last one is not.
    while (m[0] == kNoIndex || (cuts == 2 && m[2] != kNoIndex)) {
      std::rotate(t.begin(), t.begin() + 1, t.end());
      std::rotate(m.begin(), m.begin() + 1, m.end());
    }
    if (cuts == 1) {
      out.insert(out.end(), {{t[0], m[0], t[2]}, {m[0], t[1], t[2]}});
    } else {
      out.insert(out.end(), {{m[0], t[1], m[1]}, {t[0], m[0], m[1]}, {t[0], m[1], t[2]}});
    }
  }
  triangles = std::move(out);
  return !middle.empty();
}

// The faces of the largest piece by area, and what of the longest side of the bounding box is not beside it.
std::vector<Triangle> largest_piece(const WeldedTriangles& welded, double& share) {
  const Components pieces = connected_components(welded.weld.positions.size(), FaceList(welded.triangles));
  std::vector<double> area(pieces.count, 0);
  for (std::size_t t = 0; t < welded.triangles.size(); ++t)
    area[pieces.of_face[t]] += area_of(welded.weld.positions, welded.triangles[t]);
  const auto best = static_cast<std::uint32_t>(std::max_element(area.begin(), area.end()) - area.begin());
  Box3 all, own;
  std::vector<Triangle> kept;
  for (std::size_t t = 0; t < welded.triangles.size(); ++t) {
    for (const std::uint32_t v : welded.triangles[t]) {
      all.extend(welded.weld.positions[v]);
      if (pieces.of_face[t] == best) own.extend(welded.weld.positions[v]);
    }
    if (pieces.of_face[t] == best) kept.push_back(welded.triangles[t]);
  }
  share = 1 - (all.sizes() - own.sizes()).maxCoeff() / all.sizes().maxCoeff();
  return kept;
}

// Points that no triangle uses go.
void compact(std::vector<Vec3>& positions, std::vector<Triangle>& triangles) {
  std::vector<std::uint32_t> to(positions.size(), kNoIndex);
  std::vector<Vec3> kept;
  for (Triangle& t : triangles)
    for (std::uint32_t& v : t) {
      if (to[v] == kNoIndex) {
        to[v] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(positions[v]);
      }
      v = to[v];
    }
  positions = std::move(kept);
}

// Points that are so close become one.
void thin_out(BodyGraph& graph, double tolerance) {
  WeldedTriangles thin = weld_triangles({graph.positions, graph.triangles}, tolerance);
  graph.positions = std::move(thin.weld.positions);
  graph.triangles = std::move(thin.triangles);
  compact(graph.positions, graph.triangles);
}

// One after the other, the corners of every triangle about a point that come next to it.
IndexLists opposite_corners(std::size_t points, const std::vector<Triangle>& triangles) {
  const IndexLists around = vertex_faces(points, FaceList(triangles));
  IndexLists corners;
  corners.items.reserve(2 * around.items.size());
  for (const std::uint32_t offset : around.offsets) corners.offsets.push_back(2 * offset);
  for (std::uint32_t v = 0; v < points; ++v)
    for (const std::uint32_t t : around[v]) {
      const auto own = std::find(triangles[t].begin(), triangles[t].end(), v) - triangles[t].begin();
      for (const std::ptrdiff_t next : {1, 2})
        corners.items.push_back(triangles[t][static_cast<std::size_t>((own + next) % 3)]);
    }
  return corners;
}

// Along a tree. Two points at one place still have a way between them, or nobody could tell which comes
// first.
std::vector<double> tree_distances(const BodyGraph& tree, std::uint32_t source) {
  std::vector<double> distance(tree.positions.size(), std::numeric_limits<double>::infinity());
  std::vector<std::uint32_t> reached = {source};
  distance[source] = 0;
  for (std::size_t k = 0; k < reached.size(); ++k)
    for (const std::uint32_t w : tree.neighbours[reached[k]]) {
      if (std::isfinite(distance[w])) continue;
      distance[w] = distance[reached[k]] +
                    std::max((tree.positions[w] - tree.positions[reached[k]]).norm(), 1e-9 * tree.size);
      reached.push_back(w);
    }
  return distance;
}

// Along neighbours, whatever they are (Dijkstra).
std::vector<double> way_lengths(const BodyGraph& graph, std::uint32_t source) {
  std::vector<double> distance(graph.positions.size(), std::numeric_limits<double>::infinity());
  using Entry = std::pair<double, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> next;
  distance[source] = 0;
  next.push({0, source});
  while (!next.empty()) {
    const auto [far, v] = next.top();
    next.pop();
    if (far > distance[v]) continue;
    for (const std::uint32_t w : graph.neighbours[v]) {
      const double there = far + (graph.positions[w] - graph.positions[v]).norm();
      if (there < distance[w]) distance[w] = there, next.push({there, w});
    }
  }
  return distance;
}

// Makes neighbours of pairs.
void join(BodyGraph& graph, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  std::vector<std::vector<std::uint32_t>> across(graph.positions.size());
  for (const auto& [a, b] : pairs) across[a].push_back(b), across[b].push_back(a);
  IndexLists joined;
  joined.offsets.push_back(0);
  graph.across.offsets = {0};
  for (std::uint32_t v = 0; v < across.size(); ++v) {
    std::sort(across[v].begin(), across[v].end());
    across[v].erase(std::unique(across[v].begin(), across[v].end()), across[v].end());
    const auto own = graph.neighbours[v];
    joined.items.insert(joined.items.end(), own.begin(), own.end());
    joined.items.insert(joined.items.end(), across[v].begin(), across[v].end());
    joined.offsets.push_back(static_cast<std::uint32_t>(joined.items.size()));
    graph.across.items.insert(graph.across.items.end(), across[v].begin(), across[v].end());
    graph.across.offsets.push_back(static_cast<std::uint32_t>(graph.across.items.size()));
  }
  graph.neighbours = std::move(joined);
}

}  // namespace

std::vector<double> BodyGraph::distances(std::uint32_t source) const {
  if (rings) return tree_distances(*this, source);
  if (bridged) return way_lengths(*this, source);
  if (!volume) return march_distances(*this, source);
  std::vector<float> found(positions.size());
  const GeodesicSeed seed{source, 0};
  solver->solve({&seed, 1}, found);
  return {found.begin(), found.end()};
}

Result<BodyGraph> surface_graph(MeshView mesh) {
  WeldedTriangles welded = weld_triangles(mesh);
  if (welded.triangles.empty()) return impossible("the mesh has no triangle with three different corners");
  double share = 1;
  std::vector<Triangle> triangles = largest_piece(welded, share);
  const bool pieces = share < kWholeBody;
  BodyGraph graph;
  graph.positions = std::move(welded.weld.positions);
  graph.triangles = std::move(pieces ? welded.triangles : triangles);
  compact(graph.positions, graph.triangles);
  const double longest = std::sqrt(total_area(graph.positions, graph.triangles) / kTrianglesAcross);
  if (!(longest > 0)) return impossible("the surface has no area");
  if (graph.positions.size() > kManyPoints) thin_out(graph, kThinned * longest);
  // Halving the edges of a sliver leaves three slivers each time, with ever more points across its width.
  for (int pass = 0; pass < kMostSplits && split_long_edges(graph.positions, graph.triangles, longest);
       ++pass) {
    if (graph.positions.size() <= kManyPoints && graph.triangles.size() <= 4 * kManyPoints) continue;
    thin_out(graph, kThinned * longest);
    if (graph.triangles.empty() || graph.triangles.size() > 4 * kManyPoints)
      return impossible("the surface is too thin to follow");
  }
  if (pieces) {
    drop_hidden_triangles(WindingNumber(mesh), kAhead * longest, graph.positions, graph.triangles);
    if (graph.triangles.empty()) return impossible("no part of the mesh is seen from outside");
    compact(graph.positions, graph.triangles);
  }
  const std::size_t n = graph.positions.size();
  const EdgeTable edges = edge_table(n, FaceList(graph.triangles));
  graph.neighbours = vertex_neighbours(n, edges);
  if (pieces) {
    const double size = bounding_box(graph.positions).sizes().maxCoeff();
    join(graph, piece_contacts(graph.positions, graph.triangles, kTouching * longest, kLoop * size));
  }
  graph.opposite = opposite_corners(n, graph.triangles);
  graph.weights.assign(n, 0);
  for (const Triangle& t : graph.triangles)
    for (const std::uint32_t v : t) graph.weights[v] += area_of(graph.positions, t) / 3;
  graph.spacing = kEvenSpacing * longest;
  graph.size = bounding_box(graph.positions).sizes().maxCoeff();
  return graph;
}

Result<BodyGraph> voxel_graph(MeshView mesh, const Progress* progress) {
  VoxelizeOptions options;
  options.target_cells = kCells;
  options.max_cells = kMostCells;
  options.progress = progress;
  SINEW_TRY(VoxelBody body, voxelize(mesh, options));
  if (body.inside_cells == 0) return impossible("the mesh is a sheet without an inside");
  BodyGraph graph;
  graph.volume = true;
  graph.grid = std::make_shared<const VoxelGrid>(std::move(body.grid));
  graph.solver = std::make_shared<const GeodesicSolver>(*graph.grid);
  const LatticeComponents parts = connected_components(graph.grid->cells());
  const std::size_t n = graph.grid->cell_count();
  std::vector<std::size_t> members(parts.count, 0);
  for (const std::uint32_t c : parts.of_member) ++members[c];
  // A few crumbs may stay alone.
  graph.bridged = static_cast<double>(*std::max_element(members.begin(), members.end())) <
                  kOneBody * static_cast<double>(n);
  if (graph.bridged && parts.count > kMostPieces)
    return impossible("the mesh falls into more than 500 pieces that do not touch");
  for (const LatticeSet::Run& run : graph.grid->cells().runs())
    for (Vec3i cell = graph.grid->cells().run_start(run); cell.x() < run.end; ++cell.x())
      graph.positions.push_back(graph.grid->cell_centre(cell));
  std::vector<std::vector<std::uint32_t>> across(graph.bridged ? n : 0);
  if (graph.bridged)
    for (const auto& [a, b] : bridges(graph.positions, parts.of_member, parts.count))
      across[a].push_back(b), across[b].push_back(a);
  graph.neighbours.offsets.push_back(0);
  graph.neighbours.items.reserve(26 * n);
  for (std::uint32_t c = 0; c < n; ++c) {
    graph.solver->visit_neighbours(c, [&](std::uint32_t other) { graph.neighbours.items.push_back(other); });
    if (graph.bridged)
      graph.neighbours.items.insert(graph.neighbours.items.end(), across[c].begin(), across[c].end());
    graph.neighbours.offsets.push_back(static_cast<std::uint32_t>(graph.neighbours.items.size()));
  }
  graph.weights.assign(n, 1);
  graph.spacing = graph.grid->cell_size();
  graph.radius_factor = kDiskRadius;
  graph.size = bounding_box(graph.positions).sizes().maxCoeff();
  return graph;
}

}  // namespace sinew::autorig
