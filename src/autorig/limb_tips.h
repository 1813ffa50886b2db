// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autorig/vertex_clusters.h"

namespace sinew::autorig {

// Something that sticks out: from a tip down to where it stops being a part of its own, or, behind the place
// where several such parts have met, the stretch that carries them all (an arm behind its fingers).
struct LimbTip {
  std::uint32_t vertex = kNone;  // the farthest one
  std::uint32_t sibling =
      kNone;              // a stretch: the tip of another part that it carries; kNone: a limb with a tip
  float top = 0;          // distance from the middle where it begins
  float saddle = 0;       // and where it ends
  float slenderness = 0;  // pi height^2 / area between the two: 1 for a flat disk, more for a limb

  float height() const { return top - saddle; }
  bool is_stretch() const { return sibling != kNone; }
};

// How far the vertices of one connected piece lie from the piece's middle, along the surface, and what sticks
// out. The middle is not a point but a belt: the level of the widest part on the way between two ends that
// lie far apart. From a single vertex the far side of the belly would look like a tip.
struct TipField {
  std::vector<std::uint32_t> spine;  // vertices on the shortest way between the two far ends
  std::size_t middle = 0;            // where on the spine the belt is
  std::vector<LimbTip> tips;         // the highest first
};

class TipFinder;

// Vertices on the way from a cluster to the middle: from seed to seed, and between them by the neighbours that
// come nearer.
class WayInward {
 public:
  WayInward(const TipFinder& finder, std::uint32_t cluster);
  std::uint32_t vertex() const { return vertex_; }  // kNone: behind the middle
  void next();

 private:
  const TipFinder& finder_;
  std::uint32_t goal_, vertex_;
};

// Works on all pieces of a mesh one after the other and keeps its arrays. Distances are those of clusters:
// true to about the size of one.
class TipFinder {
 public:
  TipFinder(const PolyMesh& mesh, const HalfEdges& edges);

  // All vertices that hang together with `start`. `wanted`: vertices to take as tips instead of finding them.
  TipField find(std::uint32_t start, std::span<const std::uint32_t> wanted);

  // Valid for vertices of pieces that find() was called for.
  float distance(std::uint32_t v) const { return distance_[clusters_.of(v)]; }
  // From the cluster behind the tip's own: a tip is known no better than that, and a small curve about it may
  // run beside the limb's end.
  WayInward way_inward(std::uint32_t tip) const { return {*this, parent_[clusters_.of(tip)]}; }
  // Whether a closed curve of half-edges parts a stretch from the middle, told by clusters; kUnknown where
  // they are too large to tell.
  enum class Parting { kNot, kTipOnLeft, kTipOnRight, kUnknown };
  Parting parts(std::span<const std::uint32_t> loop, const LimbTip& stretch);
  bool is_seen(std::uint32_t v) const { return piece_[clusters_.of(v)] != 0; }
  // By so much distances may rise on a way to the middle.
  float tolerance() const { return clusters_.is_thinned() ? clusters_.mean_length() : 0; }

 private:
  friend class WayInward;
  std::vector<std::uint32_t> flood(std::uint32_t start);
  std::uint32_t farthest_from_centre(const std::vector<std::uint32_t>& piece) const;
  void spread(std::span<const std::uint32_t> sources, float step, std::vector<std::uint32_t>& order);
  std::uint32_t find_belt(TipField& field, const std::vector<std::uint32_t>& piece) const;
  std::vector<std::uint32_t> belt_about(std::uint32_t centre, float level, float half_width);
  class Limbs;
  void find_peaks(TipField& field, const std::vector<std::uint32_t>& order);
  std::uint32_t farthest_about(std::uint32_t peak);

  const PolyMesh& mesh_;
  const HalfEdges& edges_;
  VertexClusters clusters_;
  std::vector<float> distance_;  // all arrays: per cluster
  std::vector<float> done_;      // the distance that was passed on to the neighbours
  std::vector<std::uint32_t> parent_, piece_, root_;
  std::vector<std::uint8_t> seen_;  // per vertex
  std::uint32_t pieces_ = 0;
};

inline WayInward::WayInward(const TipFinder& finder, std::uint32_t cluster)
    : finder_(finder), goal_(cluster), vertex_(cluster == kNone ? kNone : finder.clusters_.seed(cluster)) {}

}  // namespace sinew::autorig
