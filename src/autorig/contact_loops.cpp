// SPDX-License-Identifier: Apache-2.0
#include "autorig/contact_loops.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
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

using Contact = std::vector<std::uint32_t>;  // its pairs

// Points visited in all searches for ways round: real bodies in pieces need 12,000 at most. A soup of triangles has
// contacts without number, and the weakest of them are not missed.
constexpr std::size_t kMostSteps = 200'000;
constexpr double kAlongside = 0.4;  // of the size of a piece: a contact so long is no end of a limb

// Contacts that others are likelier than to hang a body together: long ones between two pieces that both touch a larger
// one, as legs do that lie side by side; and of several between the same two pieces all but the one that is nearest
// to the middle of the larger, as a limb begins nearer to it than it ends.
std::vector<std::uint8_t> doubtful_contacts(const std::vector<Vec3>& positions,
                                            std::span<const std::uint32_t> piece, std::uint32_t count,
                                            std::span<const Pair> pairs,
                                            const std::vector<const Contact*>& contacts) {
  std::vector<Vec3> middle(count, Vec3::Zero());
  std::vector<double> size(count, 0);
  std::vector<Box3> box(count);
  for (std::size_t v = 0; v < positions.size(); ++v) box[piece[v]].extend(positions[v]);
  for (std::size_t v = 0; v < positions.size(); ++v) middle[piece[v]] += positions[v], ++size[piece[v]];
  for (std::uint32_t k = 0; k < count; ++k) middle[k] /= size[k];
  const auto pieces_of = [&](const Contact& contact) {
    const Pair& one = pairs[contact.front()];
    return Pair(std::minmax(piece[one.first], piece[one.second]));
  };
  const auto away = [&](const Contact& contact) {
    const auto [a, b] = pieces_of(contact);
    Vec3 sum = Vec3::Zero();
    for (const std::uint32_t k : contact) sum += positions[pairs[k].first];
    return (sum / static_cast<double>(contact.size()) - middle[size[a] > size[b] ? a : b]).norm();
  };
  std::map<Pair, double> nearest;
  std::vector<std::vector<std::uint32_t>> touched(count);
  for (const Contact* contact : contacts) {
    const Pair both = pieces_of(*contact);
    const auto [at, fresh] = nearest.try_emplace(both, away(*contact));
    if (!fresh) at->second = std::min(at->second, away(*contact));
    if (fresh) touched[both.first].push_back(both.second), touched[both.second].push_back(both.first);
  }
  std::vector<std::uint8_t> doubtful;
  for (const Contact* contact : contacts) {
    const Pair pieces = pieces_of(*contact);
    const std::uint32_t a = pieces.first, b = pieces.second;  // clang 14 captures no structured bindings
    const double larger = std::max(size[a], size[b]);
    Box3 own;
    for (const std::uint32_t k : *contact) own.extend(positions[pairs[k].first]);
    const bool is_long =
        own.sizes().norm() > kAlongside * std::min(box[a].sizes().norm(), box[b].sizes().norm());
    const bool beside =
        is_long && std::any_of(touched[a].begin(), touched[a].end(), [&](std::uint32_t c) {
          return size[c] > larger && std::find(touched[b].begin(), touched[b].end(), c) != touched[b].end();
        });
    doubtful.push_back(beside || away(*contact) > nearest[{a, b}]);
  }
  return doubtful;
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

  // Whether a way of at most this length leads from one point to another: what lies nearest to the straight
  // line is tried first, and any way that is short enough will do. `steps`: points that may still be visited; none is
  // found once they are gone.
  bool within(const Pair& ends, double most, std::size_t& steps) const {
    const auto ahead = [&](std::uint32_t v) { return (positions_[ends.second] - positions_[v]).norm(); };
    std::unordered_map<std::uint32_t, double> distance = {{ends.first, 0.0}};
    using Entry = std::pair<double, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> next;
    next.push({ahead(ends.first), ends.first});
    bool arrived = false;
    for (; !next.empty() && !arrived && steps > 0; --steps) {
      const double whole = next.top().first;
      const std::uint32_t v = next.top().second;  // clang 14 captures no structured bindings
      next.pop();
      const double far = distance[v];
      if (whole > far + ahead(v)) continue;
      const auto reach = [&](std::uint32_t w) {
        const double there = far + (positions_[w] - positions_[v]).norm(), total = there + ahead(w);
        if (total > most) return;
        arrived = arrived || w == ends.second;
        const auto [at, fresh] = distance.try_emplace(w, there);
        if (!fresh && !(there < at->second)) return;
        at->second = there;
        next.push({total, w});
      };
      for (const std::uint32_t w : neighbours_[v]) reach(w);
      if (const auto at = across_.find(v); at != across_.end())
        for (const std::uint32_t w : at->second) reach(w);
    }
    return arrived;
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
  std::uint32_t count = 0;
  for (const std::uint32_t one : piece) count = std::max(count, one + 1);
  std::vector<const std::vector<std::uint32_t>*> strongest;
  for (const auto& [number, list] : members) strongest.push_back(&list);
  const std::vector<std::uint8_t> doubtful = doubtful_contacts(positions, piece, count, pairs, strongest);
  std::vector<std::size_t> order(strongest.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    if (doubtful[one] != doubtful[other]) return doubtful[one] < doubtful[other];
    return strongest[one]->size() > strongest[other]->size();
  });
  JoinedGraph graph(positions, neighbours);
  DisjointSets together(count);
  std::vector<std::uint8_t> kept(pairs.size(), 0);
  const auto keep = [&](const std::vector<std::uint32_t>& list) {
    for (const std::uint32_t k : list) graph.add(pairs[k]), kept[k] = 1;
  };
  std::vector<const std::vector<std::uint32_t>*> others;
  for (const std::size_t at : order) {
    const auto* list = strongest[at];
    const Pair& one = pairs[list->front()];
    if (together.find(piece[one.first]) == together.find(piece[one.second])) {
      others.push_back(list);
      continue;
    }
    together.join(piece[one.first], piece[one.second]);
    keep(*list);
  }
  std::size_t steps = kMostSteps;
  for (const auto* list : others)
    if (graph.within(pairs[list->front()], loop, steps)) keep(*list);
  std::vector<Pair> made;
  for (std::size_t k = 0; k < pairs.size(); ++k)
    if (kept[k]) made.push_back(pairs[k]);
  return made;
}

}  // namespace sinew::autorig
