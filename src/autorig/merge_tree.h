// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "sinew/core/disjoint_sets.h"

namespace sinew::autorig {

// How points hang together when they are added one by one, the farthest first: points that join what is there
// already form an arc, which ends where it meets others. What limbs are is said by those who walk along it.
struct MergeTree {
  std::vector<std::uint32_t> order;  // points; the place of one in it is its rank
  std::vector<std::uint32_t> arc;    // per rank
  std::vector<std::uint32_t> begin;  // per arc: the rank of its first point
  std::vector<std::uint32_t> first = {0}, children;

  std::size_t arc_count() const { return begin.size(); }
  // The arcs that meet where this one begins, in the order in which its first point sees them; none: a peak.
  // They have smaller numbers.
  std::span<const std::uint32_t> children_of(std::uint32_t arc_index) const {
    return std::span(children).subspan(first[arc_index], first[arc_index + 1] - first[arc_index]);
  }
};

// Nearly linear time. `rank`: per point, `none` before; that of each point in the order after.
// `for_each_neighbour(v, visit)` calls visit(w); points that are not in the order are passed over. `look_ahead(near, far)`
// is told points that come soon and some time later, whose neighbours may be fetched.
template <class ForEachNeighbour, class LookAhead>
MergeTree merge_tree(std::vector<std::uint32_t> order, std::span<std::uint32_t> rank, std::uint32_t none,
                     ForEachNeighbour&& for_each_neighbour, LookAhead&& look_ahead) {
  constexpr std::size_t kSoon = 6, kLater = 12;
  MergeTree tree;
  tree.order = std::move(order);
  std::vector<std::uint32_t> arc_of(rank.size(), none);  // per point: the arc that it joined
  DisjointSets arcs;                                     // the root is the one that grows
  std::vector<std::uint32_t> met;
  for (std::uint32_t k = 0; k < tree.order.size(); ++k) {
    const std::uint32_t v = tree.order[k];
    if (k + kLater < tree.order.size()) look_ahead(tree.order[k + kSoon], tree.order[k + kLater]);
    met.clear();
    std::uint32_t last = none;  // neighbours mostly lie on the same arc
    for_each_neighbour(v, [&](std::uint32_t w) {
      // One branch that is nearly always taken, where two would be guessed wrong half of the time.
      if ((arc_of[w] == none) | (arc_of[w] == last)) return;
      last = arc_of[w];
      const std::uint32_t arc = arcs.find(last);
      if (std::find(met.begin(), met.end(), arc) == met.end()) met.push_back(arc);
    });
    rank[v] = k;
    if (met.size() == 1) {
      arc_of[v] = met[0];
      continue;
    }
    const std::uint32_t fresh = arcs.add();
    for (const std::uint32_t arc : met) arcs.join_under(arc, fresh);
    tree.children.insert(tree.children.end(), met.begin(), met.end());
    tree.first.push_back(static_cast<std::uint32_t>(tree.children.size()));
    tree.begin.push_back(k);
    arc_of[v] = fresh;
  }
  tree.arc.reserve(tree.order.size());
  for (const std::uint32_t v : tree.order) tree.arc.push_back(arc_of[v]);
  return tree;
}

template <class ForEachNeighbour>
MergeTree merge_tree(std::vector<std::uint32_t> order, std::span<std::uint32_t> rank, std::uint32_t none,
                     ForEachNeighbour&& for_each_neighbour) {
  return merge_tree(std::move(order), rank, none, for_each_neighbour, [](std::uint32_t, std::uint32_t) {});
}

}  // namespace sinew::autorig
