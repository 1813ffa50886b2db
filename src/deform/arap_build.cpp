// SPDX-License-Identifier: Apache-2.0
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "deform/arap_system.h"
#include "sinew/core/parallel.h"
#include "sinew/mesh/bvh.h"
#include "sinew/mesh/index_lists.h"
#include "sinew/mesh/laplacian.h"
#include "sinew/mesh/topology.h"

namespace sinew {
namespace {

std::uint32_t find_entry(const ArapSystem& system, std::uint32_t i, std::uint32_t neighbour) {
  const auto begin = system.neighbours.begin() + system.offsets[i];
  const auto end = system.neighbours.begin() + system.offsets[i + 1];
  return static_cast<std::uint32_t>(std::lower_bound(begin, end, neighbour) - system.neighbours.begin());
}

// Triangles that hold something together; the others have neither extent nor finite corners.
std::vector<std::uint32_t> sound_triangles(const TriangleCotangents& cotangents) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t t = 0; t < cotangents.cotangents.size(); ++t) {
    const auto& c = cotangents.cotangents[t];
    if (c[0] != 0 || c[1] != 0 || c[2] != 0) out.push_back(t);
  }
  return out;
}

using Spring = std::array<std::uint32_t, 2>;

// Each vertex's list with the other ends of its springs, each once, ascending.
IndexLists with_springs(const IndexLists& lists, std::size_t vertices, std::span<const Spring> springs) {
  std::vector<Spring> pairs;
  for (std::uint32_t i = 0; i < lists.size(); ++i)
    for (const std::uint32_t j : lists[i]) pairs.push_back({i, j});
  for (const Spring& spring : springs) {
    pairs.push_back(spring);
    pairs.push_back({spring[1], spring[0]});
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::vector<std::uint32_t> from;
  for (const Spring& pair : pairs) from.push_back(pair[0]);
  IndexLists all = group_by_key(vertices, from);
  for (std::uint32_t& item : all.items) item = pairs[item][1];
  return all;
}

void link_springs(std::span<const Spring> springs, double weight, ArapSystem& system) {
  if (springs.empty()) return;
  system.springs.assign(system.neighbours.size(), 0);
  for (const Spring& spring : springs)
    for (const std::size_t end : {0, 1}) {
      const std::uint32_t e = find_entry(system, spring[end], spring[1 - end]);
      system.springs[e] += weight;
      system.weights[e] += weight;
    }
}

void link_neighbours(std::span<const Triangle> triangles, std::span<const Spring> springs,
                     ArapSystem& system) {
  IndexLists lists = vertex_neighbours(system.size(), edge_table(system.size(), triangles));
  if (!springs.empty()) lists = with_springs(lists, system.size(), springs);
  system.offsets.assign(lists.offsets.begin(), lists.offsets.end());
  system.offsets.resize(system.size() + 1, system.offsets.empty() ? 0 : system.offsets.back());
  system.neighbours = lists.items;
  system.weights.assign(system.neighbours.size(), 0);
}

void link_corners(std::span<const Triangle> triangles, std::span<const std::array<double, 3>> cotangents,
                  ArapSystem& system) {
  const IndexLists corners = group_by_key(system.size(), FaceList(triangles).corners());
  system.corner_offsets.assign(system.size() + 1, 0);
  for (std::uint32_t i = 0; i < system.size(); ++i) {
    for (const std::uint32_t corner : corners[i]) {
      const std::uint32_t t = corner / 3, k = corner % 3, next = (k + 1) % 3, last = (k + 2) % 3;
      const std::uint32_t first = find_entry(system, i, triangles[t][next]);
      const std::uint32_t second = find_entry(system, i, triangles[t][last]);
      const ArapSystem::Corner linked{first, second, 0.5 * cotangents[t][last], 0.5 * cotangents[t][next],
                                      0.5 * cotangents[t][k]};
      system.corners.push_back(linked);
      system.weights[first] += linked.to_first;
      system.weights[second] += linked.to_second;
    }
    system.corner_offsets[i + 1] = static_cast<std::uint32_t>(system.corners.size());
  }
}

// Vertices that move together: by sound triangles, or for spokes by edges that weigh something.
std::vector<std::uint32_t> pieces(const ArapSystem& system) {
  std::vector<std::uint32_t> piece(system.size(), 0xffffffffu), queue;
  for (std::uint32_t seed = 0; seed < system.size(); ++seed) {
    if (piece[seed] != 0xffffffffu) continue;
    piece[seed] = seed;
    queue.assign(1, seed);
    while (!queue.empty()) {
      const std::uint32_t i = queue.back();
      queue.pop_back();
      for (std::uint32_t e = system.offsets[i]; e < system.offsets[i + 1]; ++e) {
        const std::uint32_t j = system.neighbours[e];
        if (piece[j] != 0xffffffffu || (system.kind == ArapEnergy::kSpokes && !(system.weights[e] > 0)))
          continue;
        piece[j] = seed;
        queue.push_back(j);
      }
    }
  }
  return piece;
}

// Nearest held vertices, by way of triangles of no extent, since the tree knows triangles alone.
class HeldVertices {
 public:
  HeldVertices(std::span<const Vec3> positions, std::span<const std::uint8_t> held) {
    for (std::uint32_t i = 0; i < positions.size(); ++i)
      if (held[i]) points_.push_back({i, i, i});
    tree_ = Bvh({positions, points_});
  }
  // The distance, and the vertex.
  std::pair<double, std::uint32_t> nearest(const Vec3& p) const {
    const NearestPoint found = tree_.nearest(p);
    if (!found.found()) return {std::numeric_limits<double>::infinity(), points_.front()[0]};
    return {found.squared_distance, points_[found.triangle][0]};
  }

 private:
  std::vector<Triangle> points_;
  Bvh tree_;
};

void find_riders(std::span<const std::uint32_t> piece, std::span<const std::uint8_t> held,
                 ArapSystem& system) {
  if (std::find(held.begin(), held.end(), 0) == held.end()) return;
  const std::vector<Vec3>& rest = system.stencil.rest;
  const HeldVertices tree(rest, held);
  std::vector<std::pair<double, std::uint32_t>> near(rest.size());
  parallel_for(rest.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (!held[i]) near[i] = tree.nearest(rest[i]);
  });
  std::vector<std::pair<double, std::uint32_t>> best(rest.size(), {-1, 0});
  for (std::size_t i = 0; i < rest.size(); ++i) {
    auto& of_piece = best[piece[i]];
    if (!held[i] && (of_piece.first < 0 || near[i] < of_piece)) of_piece = near[i];
  }
  for (std::uint32_t i = 0; i < rest.size(); ++i)
    if (!held[i]) system.riders.push_back({i, best[piece[i]].second});
}

Result<void> factor_system(std::span<const std::uint8_t> held, ArapSystem& system) {
  std::vector<int> column(system.size(), -1);
  std::vector<std::uint32_t> unknowns;
  for (std::uint32_t i = 0; i < system.size(); ++i)
    if (held[i] && !system.is_fixed[i]) {
      column[i] = static_cast<int>(unknowns.size());
      unknowns.push_back(i);
    }
  const int n = static_cast<int>(unknowns.size());
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < n; ++k) {
    const std::uint32_t i = unknowns[static_cast<std::size_t>(k)];
    double sum = 0;
    for (std::uint32_t e = system.offsets[i]; e < system.offsets[i + 1]; ++e) {
      sum += system.weights[e];
      const int other = column[system.neighbours[e]];
      if (other >= 0 && other < k) entries.emplace_back(k, other, -system.weights[e]);
    }
    entries.emplace_back(k, k, sum);
  }
  Eigen::SparseMatrix<double> matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  SINEW_TRY(system.factor, SparseCholesky::factor(matrix));
  system.held_offsets.push_back(0);
  for (const int k : system.factor->order()) {
    const std::uint32_t i = unknowns[static_cast<std::size_t>(k)];
    system.free.push_back(i);
    for (std::uint32_t e = system.offsets[i]; e < system.offsets[i + 1]; ++e)
      if (system.is_fixed[system.neighbours[e]])
        system.held.push_back({system.neighbours[e], system.weights[e]});
    system.held_offsets.push_back(static_cast<std::uint32_t>(system.held.size()));
  }
  return {};
}

}  // namespace

Result<void> build_arap_system(MeshView mesh, std::span<const Spring> springs, double spring_weight,
                               ArapSystem& system) {
  const TriangleCotangents cotangents = triangle_cotangents(mesh);
  std::vector<Triangle> triangles;
  std::vector<std::array<double, 3>> angles;
  for (const std::uint32_t t : sound_triangles(cotangents)) {
    triangles.push_back(mesh.triangles[t]);
    angles.push_back(cotangents.cotangents[t]);
  }
  link_neighbours(triangles, springs, system);
  link_corners(triangles, angles, system);
  if (system.kind == ArapEnergy::kSpokes) {
    for (double& weight : system.weights) weight = std::max(weight, 0.0);
    system.corners = {};
  }
  link_springs(springs, spring_weight, system);
  ArapStencil& stencil = system.stencil;
  stencil.rest.assign(mesh.positions.begin(), mesh.positions.end());
  stencil.own.resize(system.size());
  stencil.pulls.resize(system.neighbours.size());
  stencil.spreads.resize(system.neighbours.size());
  double total = 0;
  for (std::uint32_t i = 0; i < system.size(); ++i)
    for (std::uint32_t e = system.offsets[i]; e < system.offsets[i + 1]; ++e)
      total +=
          std::abs(system.weights[e]) * (stencil.rest[i] - stencil.rest[system.neighbours[e]]).squaredNorm();
  if (total > 0 && std::isfinite(total)) system.scale = static_cast<double>(system.size()) / total;
  system.fill(stencil);

  const std::vector<std::uint32_t> piece = pieces(system);
  std::vector<std::uint8_t> held_piece(system.size(), 0), held(system.size(), 0);
  for (const std::uint32_t i : system.constrained) held_piece[piece[i]] = 1;
  for (std::size_t i = 0; i < system.size(); ++i) held[i] = held_piece[piece[i]];
  find_riders(piece, held, system);
  return factor_system(held, system);
}

}  // namespace sinew
