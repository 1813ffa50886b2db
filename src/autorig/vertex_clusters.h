// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autorig/half_edges.h"

namespace sinew::autorig {

// A mesh thinned to a few thousand clusters, each the vertices about a seed: enough to see what sticks out of
// a body, at a fraction of the cost. VertexClusters hang together where the mesh does and nowhere else, so fingers
// that touch stay apart. Of a small mesh every vertex is a cluster.
class VertexClusters {
 public:
  VertexClusters(const PolyMesh& mesh, const HalfEdges& edges);

  struct Neighbour {
    std::uint32_t cluster;
    float length;  // from seed to seed
  };
  std::size_t size() const { return seeds_.size(); }
  std::uint32_t of(std::uint32_t vertex) const { return of_[vertex]; }
  std::uint32_t seed(std::uint32_t cluster) const { return seeds_[cluster]; }
  // Where the seed is, from the first one on: a mesh may lie far from the origin.
  const Vec3f& place(std::uint32_t cluster) const { return places_[cluster]; }
  const Vec3f& area(std::uint32_t cluster) const { return area_[cluster]; }  // about, along the normal
  std::span<const Neighbour> neighbours(std::uint32_t cluster) const {
    return {neighbours_.data() + first_[cluster], neighbours_.data() + first_[cluster + 1]};
  }
  float mean_length() const { return mean_length_; }
  float max_length() const { return max_length_; }
  bool is_thinned() const { return seeds_.size() < of_.size(); }

 private:
  void measure_ways(const PolyMesh& mesh, const std::vector<std::uint32_t>& ends);
  void measure_areas(const PolyMesh& mesh, const HalfEdges& edges);

  std::vector<std::uint32_t> of_, seeds_, first_;
  std::vector<Neighbour> neighbours_;
  std::vector<Vec3f> places_, area_;
  float mean_length_ = 0, max_length_ = 0;
};

}  // namespace sinew::autorig
