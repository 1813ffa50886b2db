// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "autorig/body_graph.h"
#include "sinew/autorig/curve.h"

namespace sinew::autorig {

// A place that is farther from the source than all around it.
struct Peak {
  std::uint32_t point = 0;
  double height = 0;  // how far one must come back towards the source before a higher peak can be reached
};
// All peaks of at least `least`, highest first; the highest has infinite height.
std::vector<Peak> find_peaks(const BodyGraph& graph, std::span<const double> distance, double least);

// All points, farthest first, and how they hang together when they are added in this order: points that join
// what is there one by one form an arc, which ends where it meets others. Whatever tips are asked for, this
// stays the same.
struct JoinTree {
  std::vector<std::uint32_t> order;      // points that can be reached
  std::vector<std::uint32_t> arc, rank;  // per point; rank: its place in the order
  std::vector<std::uint32_t> begin;      // per arc: the rank of its first point
  std::vector<std::uint32_t> first,
      children;  // of arc k: children[first[k]] to children[first[k + 1]], which it joins
};
JoinTree join_tree(const BodyGraph& graph, std::span<const double> distance);

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

// Centres of the level sets of one part, from `from` outwards; with_end: up to the farthest point itself.
Curve level_curve(const BodyGraph& graph, std::span<const double> distance,
                  std::span<const std::uint32_t> points, double from, bool with_end);

// Lets a curve end where its own line leaves the body: the rings around a blunt tip lean towards whichever
// rim was farthest.
// at_first: the tip is the curve's first point (of a trunk), else its last.
void straighten_tip(const BodyGraph& graph, std::span<const double> distance,
                    std::span<const std::uint32_t> points, bool at_first, const Vec3& tip, Curve& curve);

}  // namespace sinew::autorig
