// SPDX-License-Identifier: Apache-2.0
#include "autorig/branch_tree.h"

#include <algorithm>

namespace sinew::autorig {
namespace {

void put_first(const Vec3& p, Curve& curve) {
  curve.points.insert(curve.points.begin(), p);
  curve.radii.insert(curve.radii.begin(), 0);
  curve.levels.insert(curve.levels.begin(), 0);
  curve.measure();
}

}  // namespace

std::vector<Branch> branch_tree(const JoinTree& tree, std::span<const double> distance,
                                std::span<const std::uint32_t> tips) {
  constexpr int kNone = -1;
  const std::size_t arcs = tree.arc_count();
  std::vector<Branch> branches;
  std::vector<std::vector<int>> within(arcs);
  for (std::size_t i = 0; i < tips.size(); ++i)
    if (tree.rank[tips[i]] != kNoIndex) within[tree.arc_of(tips[i])].push_back(static_cast<int>(i));
  std::vector<std::vector<std::uint32_t>> points(arcs);
  for (std::uint32_t k = 0; k < tree.order.size(); ++k) points[tree.arc[k]].push_back(tree.order[k]);
  std::vector<int> branch(arcs, kNone);                // that an arc belongs to
  std::vector<std::vector<std::uint32_t>> kept(arcs);  // points of an arc that no branch has yet
  for (std::uint32_t arc = 0; arc < arcs; ++arc) {
    std::vector<int> met;
    std::vector<std::uint32_t> loose;
    for (const std::uint32_t child : tree.children_of(arc)) {
      if (branch[child] != kNone) met.push_back(branch[child]);
      loose.insert(loose.end(), kept[child].begin(), kept[child].end());
      kept[child].clear();
    }
    if (met.size() == 1) {
      branch[arc] = met[0];
    } else if (met.size() > 1 || !within[arc].empty()) {
      branch[arc] = static_cast<int>(branches.size());
      branches.emplace_back();
      for (const int one : met) {
        branches[static_cast<std::size_t>(one)].parent = branch[arc];
        branches[static_cast<std::size_t>(one)].seam = distance[tree.order[tree.begin[arc]]];
      }
      if (met.empty())
        branches.back().tip = *std::min_element(within[arc].begin(), within[arc].end(), [&](int a, int b) {
          return tree.rank[tips[static_cast<std::size_t>(a)]] < tree.rank[tips[static_cast<std::size_t>(b)]];
        });
    }
    auto& to = branch[arc] == kNone ? kept[arc] : branches[static_cast<std::size_t>(branch[arc])].points;
    to.insert(to.end(), loose.begin(), loose.end());
    to.insert(to.end(), points[arc].begin(), points[arc].end());
  }
  for (Branch& one : branches)
    std::sort(one.points.begin(), one.points.end(),
              [&](std::uint32_t a, std::uint32_t b) { return tree.rank[a] < tree.rank[b]; });
  return branches;
}

Curve branch_curve(const BodyMap& body, std::size_t root, const Branch& branch,
                   std::span<const std::uint32_t> tips) {
  const std::vector<double>& distance = body.from[root];
  const bool first = branch.parent < 0, last = branch.tip >= 0;
  Curve curve = level_curve(body.graph, distance, branch.points, first ? 0 : branch.seam, last);
  if (curve.empty()) return curve;
  if (first) {
    const Vec3 start = body.graph.positions[body.major[root].point];
    put_first(start, curve);
    straighten_tip(body.graph, distance, branch.points, true, start, curve);
  }
  if (last)
    straighten_tip(body.graph, distance, branch.points, false,
                   body.graph.positions[tips[static_cast<std::size_t>(branch.tip)]], curve);
  return curve;
}

Curve curve_from_tip(const BodyMap& body, std::size_t root, const Branch& limb, const Branch& trunk,
                     std::span<const std::uint32_t> tips) {
  const std::uint32_t tip = tips[static_cast<std::size_t>(limb.tip)];
  const std::vector<double> from_tip = body.graph.distances(tip);
  const double length = own_length(body.graph, from_tip, body.diameter);
  std::vector<std::uint32_t> points;
  for (const Branch* part : {&limb, &trunk})
    std::copy_if(part->points.begin(), part->points.end(), std::back_inserter(points),
                 [&](std::uint32_t v) { return from_tip[v] < length; });
  if (points.empty()) return {};
  std::sort(points.begin(), points.end(), [&](std::uint32_t a, std::uint32_t b) {
    return from_tip[a] != from_tip[b] ? from_tip[a] < from_tip[b] : a < b;
  });
  std::vector<double> inwards;
  for (const double d : from_tip) inwards.push_back(body.from[root][tip] - d);
  Curve curve = level_curve(body.graph, inwards, points, inwards[points.back()], true);
  straighten_tip(body.graph, inwards, points, false, body.graph.positions[tip], curve);
  return curve;
}

}  // namespace sinew::autorig
