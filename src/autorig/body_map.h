// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "autorig/body_graph.h"
#include "autorig/limb_cut.h"
#include "autorig/symmetry.h"

namespace sinew::autorig {

struct Tip {
  std::uint32_t point = 0;
  double height = 0;    // length of what it ends, as find_peaks measures it
  bool middle = false;  // ends nothing, but lies on the middle between left and right, see tip_symmetry.h
};

// A body and where it ends: hands, feet, head, tail (major tips), fingers, ears, toes (minor ones).
struct BodyMap {
  BodyGraph graph;
  std::vector<Tip> major, minor;
  std::vector<std::vector<double>> from;  // per major tip: distances to all points
  Eigen::MatrixXd apart;                  // between major tips
  double diameter = 0;                    // largest of them
  std::vector<Mirror> mirrors;  // planes that make the mesh its own image, where they were asked for

  // How far from a root the ways to two other tips part.
  double gromov_product(std::size_t root, std::size_t a, std::size_t b) const {
    const auto way = [&](std::size_t i, std::size_t k) {
      return apart(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
    };
    return (way(root, a) + way(root, b) - way(a, b)) / 2;
  }

  // How the points hang together as seen from a major tip; made when it is first asked for.
  const JoinTree& seen_from(std::size_t tip) const {
    if (seen_.size() < from.size()) seen_.resize(from.size());
    if (seen_[tip].order.empty()) seen_[tip] = join_tree(graph, from[tip]);
    return seen_[tip];
  }

 private:
  mutable std::vector<JoinTree> seen_;
};
// `wanted`: points that are the major tips, instead of finding them; two or more.
Result<BodyMap> map_body(BodyGraph graph, const Progress* progress,
                         std::span<const std::uint32_t> wanted = {});

// How far a tip sticks out of the tree that others (at least two) span; `apart` holds distances between tips.
double protrusion(const Eigen::MatrixXd& apart, std::size_t tip, std::span<const std::size_t> others);

// Whether a tip leaves the body like a limb of its own, a tail or a horn, and not from one of the limbs of `tips`,
// as a toe does.
bool is_own_limb(const BodyMap& body, std::size_t root, std::span<const std::size_t> tips, std::size_t tip);

// How far a limb goes from its own tip: as long as its rings stay as wide. 0 where they widen all the way.
double own_length(const BodyGraph& graph, std::span<const double> from_tip, double diameter);

// The curve through some points from a tip of the root outwards, the farthest first; to a tip where the trunk is all there is.
Curve trunk_curve(const BodyMap& body, std::size_t root, std::span<const std::uint32_t> points,
                  const std::size_t* tip);

struct Part {
  Curve curve;      // from seam to tip
  double seam = 0;  // distance of the seam from the root's tip
  // Of a body of rings, arc lengths: from a fork to the first ring of what leaves there; no bends of a limb.
  std::vector<std::pair<double, double>> stems;
  int parent = -1;  // of a minor part: the limb that it grows on, -1: the trunk
  Vec3 tip = Vec3::Zero();
};

// The body taken apart as seen from one of its tips (of the head, say).
struct Parts {
  Curve trunk;               // from that tip to where the last limbs part
  std::vector<Part> limbs;   // one for each tip asked for, in that order
  std::vector<Part> minors;  // fingers, ears; longest first
  std::size_t rings = 0;
};
Parts take_apart(const BodyMap& body, std::size_t root, std::span<const std::size_t> tips,
                 bool with_minors = true);

}  // namespace sinew::autorig
