// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "autorig/body_graph.h"
#include "autorig/merge_tree.h"
#include "sinew/autorig/curve.h"

namespace sinew::autorig {

// The merge tree of all points that can be reached. Whatever tips are asked for, this stays the same.
struct JoinTree : MergeTree {
  std::vector<std::uint32_t> rank;  // per point; kNoIndex: cannot be reached
  std::uint32_t arc_of(std::uint32_t point) const { return arc[rank[point]]; }
};
JoinTree join_tree(const BodyGraph& graph, std::span<const double> distance);

// A place that is farther from the source than all around it.
struct Peak {
  std::uint32_t point = 0;
  // How far one must come back towards the source before a higher peak can be reached.
  double persistence = 0;
};
// All peaks of at least `least` > 0, largest persistence first; that of the highest is infinite.
std::vector<Peak> find_peaks(const JoinTree& tree, std::span<const double> distance, double least);

// Every tip's limb: what hangs together with the tip, beyond the distance at which another tip joins it.
struct LimbCut {
  std::vector<int> limb;     // per point: index into the tips, -1: the trunk
  std::vector<double> seam;  // per tip: the distance of the seam from the source
};
LimbCut cut_limbs(const JoinTree& tree, std::span<const double> distance,
                  std::span<const std::uint32_t> tips);
std::vector<std::uint32_t> farthest_first(std::span<const double> distance);

// The points of each part: element 0 is the trunk, 1 + i limb i.
std::vector<std::vector<std::uint32_t>> points_of_parts(const LimbCut& cut,
                                                        std::span<const std::uint32_t> order);

// Centres of the level sets of one part, from `from` outwards; `points`: the farthest first; with_end: up to it.
Curve level_curve(const BodyGraph& graph, std::span<const double> distance,
                  std::span<const std::uint32_t> points, double from, bool with_end);

// Lets a curve end where its own line leaves the body: the rings around a blunt tip lean towards whichever
// rim was farthest.
// at_first: the tip is the curve's first point (of a trunk), else its last.
void straighten_tip(const BodyGraph& graph, std::span<const double> distance,
                    std::span<const std::uint32_t> points, bool at_first, const Vec3& tip, Curve& curve);

}  // namespace sinew::autorig
