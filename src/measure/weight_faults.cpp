// SPDX-License-Identifier: Apache-2.0
#include "sinew/measure/weight_faults.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "sinew/mesh/bvh.h"
#include "sinew/mesh/topology.h"

namespace sinew {
namespace {

double diagonal_of(std::span<const Vec3> positions) {
  const Box3 box = bounding_box(positions);
  return box.isEmpty() ? 0 : box.diagonal().norm();
}

// Points as triangles without area.
Bvh point_tree(std::span<const Vec3> positions, std::span<const std::uint32_t> points) {
  std::vector<Triangle> triangles;
  for (const std::uint32_t i : points) triangles.push_back({i, i, i});
  return Bvh({positions, triangles});
}

class SurfaceGraph {
 public:
  explicit SurfaceGraph(MeshView mesh)
      : positions_(mesh.positions),
        islands_(connected_components(mesh.positions.size(), mesh.triangles)),
        neighbours_(
            vertex_neighbours(mesh.positions.size(), edge_table(mesh.positions.size(), mesh.triangles))) {}

  // The vertices of `inside` that hang together with `seed` through it; they are taken out of it.
  std::vector<std::uint32_t> take_piece(std::uint32_t seed, std::vector<std::uint8_t>& inside) const {
    std::vector<std::uint32_t> piece{seed};
    inside[seed] = 0;
    for (std::size_t k = 0; k < piece.size(); ++k)
      for (const std::uint32_t n : neighbours_[piece[k]])
        if (inside[n]) {
          inside[n] = 0;
          piece.push_back(n);
        }
    return piece;
  }

  // Lengths of the shortest ways along edges to the vertices of `wanted`; infinite on other islands.
  std::vector<double> distances(std::span<const std::uint32_t> from, std::vector<std::uint8_t> wanted) const {
    std::vector<double> far(positions_.size(), std::numeric_limits<double>::infinity());
    std::size_t left = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      wanted[i] = wanted[i] && !from.empty() && islands_.of_vertex[i] == islands_.of_vertex[from[0]];
      left += wanted[i];
    }
    using Step = std::pair<double, std::uint32_t>;
    std::priority_queue<Step, std::vector<Step>, std::greater<>> open;
    for (const std::uint32_t i : from) {
      far[i] = 0;
      open.push({0, i});
    }
    while (!open.empty() && left > 0) {
      const auto [distance, i] = open.top();
      open.pop();
      if (distance > far[i]) continue;
      left -= wanted[i];
      wanted[i] = 0;
      for (const std::uint32_t n : neighbours_[i]) {
        const double way = distance + (positions_[n] - positions_[i]).norm();
        if (way >= far[n]) continue;
        far[n] = way;
        open.push({way, n});
      }
    }
    return far;
  }

 private:
  std::span<const Vec3> positions_;
  Components islands_;
  IndexLists neighbours_;
};

// The largest piece of surface, by the sum of its weights, on which a joint has half its largest weight.
std::vector<std::uint32_t> core_of(const SurfaceGraph& graph, std::span<const double> weights) {
  const double half = 0.5 * *std::max_element(weights.begin(), weights.end());
  std::vector<std::uint8_t> inside(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) inside[i] = weights[i] > 0 && weights[i] >= half;
  std::vector<std::uint32_t> core;
  double most = 0;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    if (!inside[i]) continue;
    std::vector<std::uint32_t> piece = graph.take_piece(i, inside);
    double sum = 0;
    for (const std::uint32_t k : piece) sum += weights[k];
    if (sum > most) {
      most = sum;
      core = std::move(piece);
    }
  }
  return core;
}

}  // namespace

std::vector<StrayWeights> stray_weights(MeshView mesh, const SkinWeights& rows, std::size_t joints,
                                        const StrayOptions& options) {
  const double diagonal = diagonal_of(mesh.positions);
  const SurfaceGraph graph(mesh);
  std::vector<std::vector<std::pair<std::uint32_t, double>>> of_joint(joints);
  for (std::uint32_t i = 0; i < rows.vertex_count(); ++i)
    for (const Influence& influence : rows.row(i))
      if (influence.joint < joints) of_joint[influence.joint].emplace_back(i, influence.weight);
  std::vector<StrayWeights> faults;
  std::vector<double> weights(mesh.positions.size(), 0);
  for (std::uint32_t j = 0; j < joints; ++j) {
    if (of_joint[j].empty()) continue;
    for (const auto& [i, w] : of_joint[j]) weights[i] = w;
    const std::vector<std::uint32_t> core = core_of(graph, weights);
    std::vector<std::uint8_t> heavy(weights.size(), 0);
    for (const auto& [i, w] : of_joint[j]) heavy[i] = w >= options.weight;
    const std::vector<double> far = graph.distances(core, std::move(heavy));
    const Bvh tree = point_tree(mesh.positions, core);
    // What hangs together with the core through vertices that the joint carries a little.
    std::vector<std::uint8_t> touched(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) touched[i] = weights[i] > 0.2 * options.weight;
    std::vector<std::uint8_t> reached(weights.size(), 0);
    if (!core.empty())
      for (const std::uint32_t i : graph.take_piece(core[0], touched)) reached[i] = 1;
    StrayWeights across{j, {}, 0, true}, elsewhere{j, {}, 0, false};
    for (const auto& [i, w] : of_joint[j]) {
      if (w < options.weight || !(far[i] > options.far * diagonal) || std::isinf(far[i])) continue;
      const double straight = std::sqrt(tree.nearest(mesh.positions[i]).squared_distance);
      StrayWeights* fault = far[i] > options.detour * straight                     ? &across
                            : !reached[i] && far[i] > options.elsewhere * diagonal ? &elsewhere
                                                                                   : nullptr;
      if (!fault) continue;
      fault->vertices.push_back(i);
      fault->largest = std::max(fault->largest, w);
    }
    for (StrayWeights* fault : {&across, &elsewhere})
      if (fault->vertices.size() >= options.fewest) faults.push_back(std::move(*fault));
    for (const auto& [i, w] : of_joint[j]) weights[i] = 0;
  }
  return faults;
}

std::vector<IslandContact> island_contacts(MeshView mesh, double reach) {
  const Components islands = connected_components(mesh.positions.size(), mesh.triangles);
  std::vector<IslandContact> contacts;
  if (islands.count < 2) return contacts;
  const double most = reach * diagonal_of(mesh.positions);
  std::vector<std::vector<Triangle>> triangles(islands.count);
  std::vector<std::vector<std::uint32_t>> source(islands.count);
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    triangles[islands.of_face[t]].push_back(mesh.triangles[t]);
    source[islands.of_face[t]].push_back(t);
  }
  std::vector<Bvh> trees;
  for (const std::vector<Triangle>& own : triangles) trees.emplace_back(MeshView{mesh.positions, own});
  for (std::uint32_t i = 0; i < mesh.positions.size(); ++i) {
    if (islands.of_vertex[i] == kNoComponent) continue;
    NearestPoint best;
    std::uint32_t triangle = 0;
    double limit = most;
    for (std::uint32_t c = 0; c < islands.count; ++c) {
      if (c == islands.of_vertex[i] || trees[c].empty()) continue;
      if (trees[c].bounds().exteriorDistance(mesh.positions[i]) > limit) continue;
      const NearestPoint found = trees[c].nearest(mesh.positions[i], limit);
      if (!found.found() || (best.found() && found.squared_distance >= best.squared_distance)) continue;
      best = found;
      triangle = source[c][found.triangle];
      limit = std::sqrt(found.squared_distance);
    }
    if (best.found()) contacts.push_back({islands.of_vertex[i], i, triangle, best.barycentric});
  }
  return contacts;
}

std::optional<MirrorPlane> mirror_plane(std::span<const Vec3> positions, double tolerance, double least) {
  const double diagonal = diagonal_of(positions);
  if (!(diagonal > 0)) return std::nullopt;
  const Box3 box = bounding_box(positions);
  std::vector<std::uint32_t> all(positions.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  const Bvh tree = point_tree(positions, all);
  std::optional<MirrorPlane> best;
  std::size_t most = 0;
  for (int axis = 0; axis < 3; ++axis) {
    MirrorPlane plane{axis, box.center()[axis], std::vector<std::uint32_t>(positions.size(), kNoPartner)};
    std::size_t count = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      Vec3 image = positions[i];
      image[axis] = 2 * plane.centre - image[axis];
      const NearestPoint found = tree.nearest(image, tolerance * diagonal);
      if (!found.found()) continue;
      plane.partner[i] = found.triangle;
      ++count;
    }
    if (count > most) {
      most = count;
      best = std::move(plane);
    }
  }
  if (static_cast<double>(most) < least * static_cast<double>(positions.size())) return std::nullopt;
  return best;
}

}  // namespace sinew
