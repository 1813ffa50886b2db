// SPDX-License-Identifier: Apache-2.0
#include "autorig/contact_loops.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <unordered_map>

#include "sinew/core/disjoint_sets.h"

namespace sinew::autorig {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

// Per pair the number of its contact: pairs of the same two pieces that share a point, or begin at neighbours.
std::vector<std::uint32_t> contacts_of(const IndexLists& neighbours, std::span<const std::uint32_t> piece,
                                       std::span<const Pair> pairs) {
  DisjointSets same(pairs.size());
  std::map<Pair, std::uint32_t> first;  // by a point and the other piece
  const auto add = [&](std::uint32_t v, std::uint32_t w, std::uint32_t k) {
    const auto [at, fresh] = first.try_emplace({v, piece[w]}, k);
    if (!fresh) same.join(at->second, k);
  };
  for (std::uint32_t k = 0; k < pairs.size(); ++k) {
    add(pairs[k].first, pairs[k].second, k);
    add(pairs[k].second, pairs[k].first, k);
  }
  for (const auto& [key, k] : first)
    for (const std::uint32_t w : neighbours[key.first])
      if (const auto at = first.find({w, key.second}); at != first.end()) same.join(at->second, k);
  std::vector<std::uint32_t> made;
  for (std::uint32_t k = 0; k < pairs.size(); ++k) made.push_back(static_cast<std::uint32_t>(same.find(k)));
  return made;
}

// A graph of points to which contacts are added one by one.
class JoinedGraph {
 public:
  JoinedGraph(const std::vector<Vec3>& positions, const IndexLists& neighbours)
      : positions_(positions), neighbours_(neighbours) {}

  void add(const Pair& pair) {
    across_[pair.first].push_back(pair.second);
    across_[pair.second].push_back(pair.first);
  }

  // Whether a way of at most this length leads from one point to another.
  bool within(const Pair& ends, double most) const {
    std::unordered_map<std::uint32_t, double> distance = {{ends.first, 0.0}};
    using Entry = std::pair<double, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> next;
    next.push({0, ends.first});
    while (!next.empty()) {
      const auto [far, v] = next.top();
      next.pop();
      if (v == ends.second) return true;
      if (far > distance[v]) continue;
      const auto reach = [&](std::uint32_t w) {
        const double there = far + (positions_[w] - positions_[v]).norm();
        if (there > most) return;
        const auto [at, fresh] = distance.try_emplace(w, there);
        if (!fresh && !(there < at->second)) return;
        at->second = there;
        next.push({there, w});
      };
      for (const std::uint32_t w : neighbours_[v]) reach(w);
      if (const auto at = across_.find(v); at != across_.end())
        for (const std::uint32_t w : at->second) reach(w);
    }
    return false;
  }

 private:
  const std::vector<Vec3>& positions_;
  const IndexLists& neighbours_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> across_;
};

}  // namespace

std::vector<Pair> without_contact_loops(const std::vector<Vec3>& positions, const IndexLists& neighbours,
                                        std::span<const std::uint32_t> piece, std::span<const Pair> pairs,
                                        double loop) {
  const std::vector<std::uint32_t> contact = contacts_of(neighbours, piece, pairs);
  std::map<std::uint32_t, std::vector<std::uint32_t>> members;
  for (std::uint32_t k = 0; k < pairs.size(); ++k) members[contact[k]].push_back(k);
  std::vector<const std::vector<std::uint32_t>*> strongest;
  for (const auto& [number, list] : members) strongest.push_back(&list);
  std::stable_sort(strongest.begin(), strongest.end(),
                   [](const auto* a, const auto* b) { return a->size() > b->size(); });
  JoinedGraph graph(positions, neighbours);
  std::uint32_t count = 0;
  for (const std::uint32_t one : piece) count = std::max(count, one + 1);
  DisjointSets together(count);
  std::vector<std::uint8_t> kept(pairs.size(), 0);
  const auto keep = [&](const std::vector<std::uint32_t>& list) {
    for (const std::uint32_t k : list) graph.add(pairs[k]), kept[k] = 1;
  };
  std::vector<const std::vector<std::uint32_t>*> others;
  for (const auto* list : strongest) {
    const Pair& one = pairs[list->front()];
    if (together.find(piece[one.first]) == together.find(piece[one.second])) {
      others.push_back(list);
      continue;
    }
    together.join(piece[one.first], piece[one.second]);
    keep(*list);
  }
  for (const auto* list : others)
    if (graph.within(pairs[list->front()], loop)) keep(*list);
  std::vector<Pair> made;
  for (std::size_t k = 0; k < pairs.size(); ++k)
    if (kept[k]) made.push_back(pairs[k]);
  return made;
}

}  // namespace sinew::autorig
