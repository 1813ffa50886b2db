// SPDX-License-Identifier: Apache-2.0
#include "autorig/vertex_clusters.h"

#include <algorithm>
#include <numeric>

namespace sinew::autorig {
namespace {

// Thinning leaves a half to a quarter, and of 800 clusters a hand still shows its fingers: no more is taken.
constexpr std::size_t kMostVertices = 4000, kMostClusters = 3200;

struct Links {
  std::vector<std::uint32_t> first = {0}, items;
  template <class Visit>
  void for_each_neighbour(std::uint32_t node, Visit&& visit) const {
    for (std::uint32_t k = first[node]; k < first[node + 1]; ++k) visit(items[k]);
  }
};

struct Thinned {
  std::vector<std::uint32_t> of, seeds;  // per node its group; per group the node it grew about
  Links links;
};

// Each node that is still free takes its free neighbours.
template <class Graph>
Thinned thin(const Graph& graph, std::size_t count) {
  Thinned result;
  std::vector<std::uint32_t>& of = result.of;
  of.assign(count, kNone);
  for (std::uint32_t node = 0; node < count; ++node) {
    if (of[node] != kNone) continue;
    const auto group = static_cast<std::uint32_t>(result.seeds.size());
    of[node] = group;
    graph.for_each_neighbour(node, [&](std::uint32_t other) {
      if (of[other] == kNone) of[other] = group;
    });
    result.seeds.push_back(node);
  }
  std::vector<std::uint32_t> seen(result.seeds.size(), kNone);
  Links& links = result.links;
  links.first.reserve(result.seeds.size() + 1);
  links.items.reserve(7 * result.seeds.size());
  for (std::uint32_t group = 0; group < result.seeds.size(); ++group) {
    seen[group] = group;
    const auto look = [&](std::uint32_t other) {
      if (seen[of[other]] == group) return;
      seen[of[other]] = group;
      links.items.push_back(of[other]);
    };
    graph.for_each_neighbour(result.seeds[group], [&](std::uint32_t other) {
      if (of[other] == group)
        graph.for_each_neighbour(other, look);
      else
        look(other);
    });
    links.first.push_back(static_cast<std::uint32_t>(links.items.size()));
  }
  return result;
}

Links all_links(const HalfEdges& edges) {
  Links links;
  links.first.reserve(edges.vertex_count() + 1);
  links.items.reserve(edges.size());
  for (std::uint32_t v = 0; v < edges.vertex_count(); ++v) {
    edges.for_each_neighbour(v, [&](std::uint32_t w) { links.items.push_back(w); });
    links.first.push_back(static_cast<std::uint32_t>(links.items.size()));
  }
  return links;
}

// A vertex's share of the faces about it, as a vector along the normal.
Vec3f area_about(const PolyMesh& mesh, const HalfEdges& edges, std::uint32_t v) {
  if (edges.is_regular(v)) {  // between the four neighbours lies half of it
    const Vec3* around[4];
    std::uint32_t h = edges.leaving(v)[0];
    for (const Vec3*& neighbour : around) {
      neighbour = &mesh.positions[edges.target(h)];
      h = edges.next(edges.twin(h));
    }
    return (*around[3] - *around[1]).cross(*around[2] - *around[0]).cast<float>() / 4;
  }
  Vec3f area = Vec3f::Zero();
  const Vec3& origin = mesh.positions[v];
  for (const std::uint32_t h : edges.leaving(v)) {
    Vec3 twice = Vec3::Zero();
    float corners = 2;
    std::uint32_t g = edges.next(h);
    for (Vec3 before = mesh.positions[edges.origin(g)] - origin; edges.next(g) != h; ++corners) {
      g = edges.next(g);
      const Vec3 corner = mesh.positions[edges.origin(g)] - origin;
      twice += before.cross(corner);
      before = corner;
    }
    area += twice.cast<float>() / (2 * corners);
  }
  return area;
}

}  // namespace

VertexClusters::VertexClusters(const PolyMesh& mesh, const HalfEdges& edges) {
  const std::size_t n = mesh.vertex_count();
  Links links;
  if (n <= kMostVertices) {
    of_.resize(n);
    std::iota(of_.begin(), of_.end(), 0u);
    seeds_ = of_;
    links = all_links(edges);
  } else {
    Thinned level = thin(edges, n);
    of_ = std::move(level.of);
    seeds_ = std::move(level.seeds);
    while (seeds_.size() > kMostClusters) {
      Thinned next = thin(level.links, seeds_.size());
      // Pieces without neighbours do not become fewer.
      if (next.seeds.size() > seeds_.size() / 2) break;
      for (std::uint32_t& cluster : of_) cluster = next.of[cluster];
      for (std::uint32_t& seed : next.seeds) seed = seeds_[seed];
      seeds_ = std::move(next.seeds);
      level.links = std::move(next.links);
    }
    links = std::move(level.links);
  }
  first_ = std::move(links.first);
  measure_ways(mesh, links.items);
  measure_areas(mesh, edges);
}

void VertexClusters::measure_ways(const PolyMesh& mesh, const std::vector<std::uint32_t>& ends) {
  places_.resize(seeds_.size());
  for (std::size_t k = 0; k < places_.size(); ++k)
    places_[k] = (mesh.positions[seeds_[k]] - mesh.positions[seeds_[0]]).cast<float>();
  neighbours_.resize(ends.size());
  double sum = 0;
  for (std::uint32_t cluster = 0; cluster < seeds_.size(); ++cluster)
    for (std::uint32_t k = first_[cluster]; k < first_[cluster + 1]; ++k) {
      const float length = (places_[ends[k]] - places_[cluster]).norm();
      neighbours_[k] = {ends[k], length};
      sum += static_cast<double>(length);
      max_length_ = std::max(max_length_, length);
    }
  mean_length_ = static_cast<float>(sum / static_cast<double>(std::max<std::size_t>(1, ends.size())));
}

// By the faces about the seeds: the vertices of a cluster are much alike.
void VertexClusters::measure_areas(const PolyMesh& mesh, const HalfEdges& edges) {
  std::vector<std::uint32_t> members(seeds_.size(), 0);
  for (const std::uint32_t cluster : of_) ++members[cluster];
  area_.resize(seeds_.size());
  for (std::uint32_t cluster = 0; cluster < seeds_.size(); ++cluster)
    area_[cluster] = area_about(mesh, edges, seeds_[cluster]) * static_cast<float>(members[cluster]);
}

}  // namespace sinew::autorig
