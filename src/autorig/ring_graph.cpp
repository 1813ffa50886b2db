// SPDX-License-Identifier: Apache-2.0
#include "autorig/ring_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sinew/autorig/curve.h"

namespace sinew::autorig {
namespace {

constexpr std::uint32_t kNothing = 0xffffffffu;
constexpr double kLeastClosed = 0.5;  // of the vertices must lie on closed rings
constexpr double kLeastSpan = 0.85;   // of the mesh's box that the rings must span
constexpr double kStraightOn = 0.8;   // tangent of the angle within which a limb goes on as the trunk does
constexpr double kAtEnd = 0.25;       // of a ring's radius: so near limbs leave at one place
constexpr double kMuchShorter = 0.5;
constexpr std::size_t kFan = 4;       // so many that leave at one end are fingers, and none goes straight on
constexpr double kAtPalm = 0.6;       // the same for fingers, which part one after the other
constexpr double kOthersAside = 2.5;  // and how much farther aside all others must be

// A chain of ring centres, and the chains that hang on it.
struct Chain : Curve {
  std::vector<double> weights;
  struct Branch {
    std::size_t chain;  // which hangs here, by its end
    double s;           // arc length on this one
  };
  std::vector<Branch> branches;
  std::size_t parent = kNothing;
  Vec3 normal = Vec3::Zero();  // of its only ring

  const Vec3& end() const { return points.back(); }
  void add(const Vec3& p, double radius, double weight) {
    points.push_back(p);
    radii.push_back(radius);
    weights.push_back(weight);
  }
  void add_first(const Vec3& p, double radius, double weight) {
    points.insert(points.begin(), p);
    radii.insert(radii.begin(), radius);
    weights.insert(weights.begin(), weight);
  }
};

class RingTree {
 public:
  RingTree(const PolyMesh& mesh, const IsoCurves& curves, std::span<const Vec3> positions,
           std::span<const std::uint32_t> same)
      : mesh_(mesh), curves_(curves), positions_(positions), same_(same) {}

  Result<BodyGraph> build() {
    number_rings();
    if (closed_vertices_ < kLeastClosed * static_cast<double>(curves_.vertices.size()))
      return impossible("most of the mesh lies on no closed ring of quads");
    find_contacts();
    find_pieces();
    find_parents();
    make_chains();
    attach_all();
    return graph();
  }

 private:
  struct Contact {
    std::uint32_t limb, ring;  // a ring of a limb
    std::uint32_t other;       // a ring of something else
  };
  bool is_limb(std::uint32_t l) const {
    return curves_.limbs[l].has_tip() || curves_.limbs[l].seam != kNoRing;
  }

  void number_rings() {
    const std::size_t rings = curves_.ring_count();
    ring_of_.assign(mesh_.vertex_count(), kNothing);
    limb_of_.resize(rings);
    for (std::uint32_t l = 0; l < curves_.limbs.size(); ++l)
      for (std::uint32_t r = curves_.limbs[l].first_ring; r < curves_.limbs[l].ring_end; ++r) limb_of_[r] = l;
    limb_at_.assign(mesh_.vertex_count(), kNothing);
    for (std::uint32_t r = 0; r < rings; ++r) {
      const std::uint32_t limb = is_limb(limb_of_[r]) ? limb_of_[r] : kNothing;
      for (const std::uint32_t v : curves_.ring(r)) ring_of_[v] = r, limb_at_[v] = limb;
      if (curves_.is_closed(r)) closed_vertices_ += static_cast<double>(curves_.ring(r).size());
    }
  }

  // Who lies beside whom, off the limbs and at their ends.
  void find_contacts() {
    up_.resize(curves_.ring_count());
    std::iota(up_.begin(), up_.end(), 0u);
    const auto one = [&](std::uint32_t v) { return same_.empty() ? v : same_[v]; };
    const auto ring = [&](std::uint32_t v) { return ring_of_[one(v)]; };
    for (std::size_t f = 0; f < mesh_.face_count(); ++f) {
      const auto face = mesh_.face(f);
      const std::uint32_t limb = limb_at_[one(face[0])];
      bool within = limb != kNothing;
      for (const std::uint32_t v : face) within &= limb_at_[one(v)] == limb;
      if (within) continue;  // as most are
      std::uint32_t a = ring(face.back());
      for (const std::uint32_t v : face) {
        const std::uint32_t b = ring(v);
        if (a != b && a != kNothing && b != kNothing) {
          const std::uint32_t la = limb_of_[a], lb = limb_of_[b];
          const bool limb_a = is_limb(la), limb_b = is_limb(lb);
          if (!limb_a && !limb_b) {
            up_[find(a)] = find(b);
          } else if (la != lb) {
            if (limb_a) contacts_.push_back({la, a, b});
            if (limb_b) contacts_.push_back({lb, b, a});
          }
        }
        a = b;
      }
    }
  }

  std::uint32_t find(std::uint32_t r) {
    while (up_[r] != r) r = up_[r] = up_[up_[r]];
    return r;
  }

  // What is no limb falls into pieces: the largest is the trunk, and a small one between the ends of limbs
  // and the beginning of another (a palm) belongs to that.
  void find_pieces() {
    std::vector<std::size_t> size(up_.size(), 0);
    for (std::uint32_t r = 0; r < up_.size(); ++r)
      if (!is_limb(limb_of_[r])) size[find(r)] += curves_.ring(r).size();
    const auto largest = std::max_element(size.begin(), size.end());
    if (largest != size.end() && *largest > 0) trunk_ = static_cast<std::uint32_t>(largest - size.begin());
    carrier_.assign(up_.size(), kNothing);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> touching;  // piece, limb that begins there
    for (const Contact& c : contacts_) {
      if (is_limb(limb_of_[c.other])) continue;
      const std::uint32_t piece = find(c.other);
      if (piece != trunk_ && c.ring + 1 != curves_.limbs[c.limb].ring_end)
        touching.push_back({piece, c.limb});
    }
    std::sort(touching.begin(), touching.end());
    for (std::size_t k = 0, most = 0; k < touching.size();) {
      std::size_t end = k;
      while (end < touching.size() && touching[end] == touching[k]) ++end;
      if (k == 0 || touching[k - 1].first != touching[k].first) most = 0;
      if (end - k > most) most = end - k, carrier_[touching[k].first] = touching[k].second;
      k = end;
    }
  }

  // Limb numbers; the trunk's is the number of limbs.
  void find_parents() {
    const auto limbs = static_cast<std::uint32_t>(curves_.limbs.size());
    std::vector<std::vector<std::uint32_t>> votes(limbs);
    for (const Contact& c : contacts_) {
      if (c.ring + 1 != curves_.limbs[c.limb].ring_end) continue;
      std::uint32_t to = limb_of_[c.other];
      if (!is_limb(to)) {
        const std::uint32_t piece = find(c.other);
        to = piece == trunk_ || carrier_[piece] == kNothing ? limbs : carrier_[piece];
      }
      if (to != c.limb) votes[c.limb].push_back(to);
    }
    parent_.assign(limbs, limbs);
    for (std::uint32_t l = 0; l < limbs; ++l) {
      std::sort(votes[l].begin(), votes[l].end());
      std::size_t most = 0;
      for (std::size_t k = 0; k < votes[l].size();) {
        std::size_t end = k;
        while (end < votes[l].size() && votes[l][end] == votes[l][k]) ++end;
        if (end - k > most) most = end - k, parent_[l] = votes[l][k];
        k = end;
      }
    }
    for (std::uint32_t l = 0; l < limbs; ++l) {  // limbs that end at each other meet in the trunk
      std::uint32_t at = l;
      for (std::uint32_t steps = 0; steps <= limbs && at != limbs; ++steps) at = parent_[at];
      if (at == limbs) continue;
      for (std::uint32_t k = parent_[at]; k != at;) {
        const std::uint32_t next = parent_[k];
        parent_[k] = limbs;
        k = next;
      }
      parent_[at] = limbs;
    }
  }

  void add_ring(std::uint32_t r, Chain& chain) const {
    const auto ring = curves_.ring(r);
    const Vec3 centre = centres_[r];
    double radius = 0;
    for (const std::uint32_t v : ring) radius += (positions_[v] - centre).norm();
    radius /= static_cast<double>(ring.size());
    chain.add(centre, curves_.is_closed(r) ? radius : 0, std::max(lengths_[r], 1e-12));
  }

  Vec3 ring_normal(std::uint32_t r) const {
    const auto ring = curves_.ring(r);
    Vec3 normal = Vec3::Zero();
    const Vec3* before = &positions_[ring.back()];
    for (const std::uint32_t v : ring) {
      normal += (*before - centres_[r]).cross(positions_[v] - centres_[r]);
      before = &positions_[v];
    }
    return normal.stableNormalized();
  }

  // The rings of a limb that run around it, tip first. Those of its toes or ears lie among them and are much
  // shorter than the one before, seen from the body.
  std::vector<std::uint32_t> main_rings(const IsoCurves::Limb& limb) const {
    std::vector<std::uint32_t> rings;
    for (std::uint32_t r = limb.ring_end; r-- > limb.first_ring;) {
      const bool tip = r == limb.first_ring && limb.has_tip();
      if (!tip && !curves_.is_closed(r)) continue;
      if (rings.empty() || lengths_[r] >= kMuchShorter * lengths_[rings.back()]) rings.push_back(r);
    }
    std::reverse(rings.begin(), rings.end());
    return rings;
  }

  void make_chains() {
    centres_ = ring_centres(curves_, positions_);
    lengths_ = ring_lengths(curves_, positions_);
    const auto limbs = static_cast<std::uint32_t>(curves_.limbs.size());
    chains_.resize(limbs + 1);
    for (std::uint32_t l = 0; l < limbs; ++l) {
      const IsoCurves::Limb& limb = curves_.limbs[l];
      if (!is_limb(l)) continue;
      Chain& chain = chains_[l];
      chain.parent = parent_[l];
      for (const std::uint32_t r : main_rings(limb)) add_ring(r, chain);
      chain.measure();
    }
    make_trunk();
  }

  // The closed rings of the largest part, those that have limbs on both sides.
  void make_trunk() {
    Chain& trunk = chains_.back();
    std::uint32_t best = kNothing;
    double most = 0;
    for (std::uint32_t l = 0; l < curves_.limbs.size(); ++l) {
      const IsoCurves::Limb& part = curves_.limbs[l];
      if (is_limb(l) || part.size() == 0) continue;
      double closed = 0;
      for (std::uint32_t r = part.first_ring; r < part.ring_end; ++r)
        if (curves_.is_closed(r) && find(r) == trunk_) closed += static_cast<double>(curves_.ring(r).size());
      if (closed > most) most = closed, best = l;
    }
    if (best == kNothing) return;
    for (std::uint32_t r = curves_.limbs[best].first_ring; r < curves_.limbs[best].ring_end; ++r) {
      if (!curves_.is_closed(r) || find(r) != trunk_) continue;
      const Vec3 normal = ring_normal(r);
      bool before = false, behind = false;
      for (const Chain& chain : chains_)
        if (chain.parent + 1 == chains_.size() && !chain.empty())
          ((chain.end() - centres_[r]).dot(normal) < 0 ? before : behind) = true;
      if (!before || !behind) continue;
      add_ring(r, trunk);
      trunk.normal = normal;
    }
    trunk.measure();
  }

  std::vector<std::size_t> children(std::size_t of) const {
    std::vector<std::size_t> found;
    for (std::size_t c = 0; c + 1 < chains_.size(); ++c)
      if (chains_[c].parent == of && !chains_[c].empty()) found.push_back(c);
    return found;
  }

  void attach_all() {
    for (std::size_t c = 0; c < chains_.size(); ++c) {
      Chain& chain = chains_[c];
      const std::vector<std::size_t> hanging = children(c);
      const bool trunk = c + 1 == chains_.size();
      if (trunk && chain.empty()) start_trunk(hanging);
      if (chain.empty() || hanging.empty()) continue;
      const bool tip = !trunk && curves_.limbs[c].has_tip();
      if (!tip) extend(chain, hanging, true);
      if (trunk) extend(chain, hanging, false);
      chain.measure();
      for (const std::size_t child : hanging)
        chain.branches.push_back({child, chain.project(chains_[child].end())});
    }
  }

  // A body without a ring of its own: limbs meet at the middle of their seams, two at each other.
  void start_trunk(const std::vector<std::size_t>& hanging) {
    if (hanging.empty()) return;
    Chain& trunk = chains_.back();
    if (hanging.size() == 2) {
      for (const std::size_t c : hanging) trunk.add(chains_[c].end(), chains_[c].radii.back(), 1e-6);
    } else {
      Vec3 middle = Vec3::Zero();
      double radius = 0;
      for (const std::size_t c : hanging) middle += chains_[c].end() / static_cast<double>(hanging.size());
      for (const std::size_t c : hanging)
        radius += (chains_[c].end() - middle).norm() / static_cast<double>(hanging.size());
      trunk.add(middle, radius, 1e-6);
    }
    trunk.measure();
  }

  // Adds a point at one end of a chain for the limbs that leave there.
  void extend(Chain& chain, const std::vector<std::size_t>& hanging, bool at_first) {
    const Vec3 end = at_first ? chain.points.front() : chain.points.back();
    const double radius = at_first ? chain.radii.front() : chain.radii.back();
    Vec3 outward = chain.normal;
    if (chain.points.size() > 1) {
      const std::size_t back = std::min<std::size_t>(3, chain.points.size() - 1);
      outward = end - chain.points[at_first ? back : chain.points.size() - 1 - back];
    } else if (!at_first) {
      outward = -outward;
    }
    if (!(outward.norm() > 0)) return;
    outward.normalize();
    Vec3 middle = Vec3::Zero();
    std::size_t count = 0, straight = kNothing;
    double best = std::numeric_limits<double>::infinity(), second = best;
    for (const std::size_t c : hanging) {
      const Vec3 way = chains_[c].end() - end;
      const double ahead = way.dot(outward);
      if (ahead < -kAtEnd * radius) continue;
      middle += chains_[c].end();
      ++count;
      const double aside = (way - ahead * outward).norm() / std::max(ahead, kAtEnd * radius);
      if (aside < best) {
        second = best, best = aside, straight = c;
      } else {
        second = std::min(second, aside);
      }
    }
    if (count == 0) return;
    const bool one = count == 1 || (count < kFan && best < kStraightOn && second > kOthersAside * best);
    const Vec3 to = one ? chains_[straight].end() : Vec3(middle / static_cast<double>(count));
    if ((to - end).dot(outward) < (count < kFan ? kAtEnd : kAtPalm) * radius) return;
    const double there = one ? chains_[straight].radii.back() : radius;
    if (at_first)
      chain.add_first(to, there, 1e-6);
    else
      chain.add(to, there, 1e-6);
  }

  // Points of a chain with the places of its branches between them, in order.
  void add_nodes(std::size_t c, BodyGraph& graph,
                 std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
    Chain& chain = chains_[c];
    std::stable_sort(chain.branches.begin(), chain.branches.end(),
                     [](const auto& a, const auto& b) { return a.s < b.s; });
    const double same = 1e-3 * chain.length();
    std::size_t next = 0;
    std::uint32_t last = kNothing;
    const auto node = [&](const Vec3& p, double radius, double weight) {
      graph.positions.push_back(p);
      graph.radii.push_back(radius);
      graph.weights.push_back(weight);
      const auto me = static_cast<std::uint32_t>(graph.positions.size() - 1);
      if (last != kNothing) edges.push_back({last, me});
      last = me;
      return me;
    };
    for (std::size_t k = 0; k < chain.points.size(); ++k) {
      for (; next < chain.branches.size() && chain.branches[next].s < chain.along[k] - same;) {
        const double s = chain.branches[next].s;
        const double t = (s - chain.along[k - 1]) / (chain.along[k] - chain.along[k - 1]);
        const std::uint32_t me = node(chain.points[k - 1] + t * (chain.points[k] - chain.points[k - 1]),
                                      chain.radii[k - 1] + t * (chain.radii[k] - chain.radii[k - 1]), 1e-6);
        for (; next < chain.branches.size() && chain.branches[next].s <= s + same; ++next)
          at_[chain.branches[next].chain] = me;
      }
      const std::uint32_t me = node(chain.points[k], chain.radii[k], chain.weights[k]);
      for (; next < chain.branches.size() && chain.branches[next].s <= chain.along[k] + same; ++next)
        at_[chain.branches[next].chain] = me;
    }
    ends_[c] = last;
  }

  Result<BodyGraph> graph() {
    BodyGraph graph;
    graph.rings = true;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    at_.assign(chains_.size(), kNothing);
    ends_.assign(chains_.size(), kNothing);
    for (std::size_t c = 0; c < chains_.size(); ++c)
      if (!chains_[c].empty()) add_nodes(c, graph, edges);
    graph.is_seam.assign(graph.positions.size(), 0);
    for (std::size_t c = 0; c < chains_.size(); ++c)
      if (at_[c] != kNothing && ends_[c] != kNothing) {
        edges.push_back({at_[c], ends_[c]});
        graph.is_seam[ends_[c]] = 1;
      }
    return finish(std::move(graph), edges);
  }

  Result<BodyGraph> finish(BodyGraph graph,
                           const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
    const std::size_t n = graph.positions.size();
    graph.neighbours.offsets.assign(n + 1, 0);
    for (const auto& [a, b] : edges) ++graph.neighbours.offsets[a], ++graph.neighbours.offsets[b];
    std::uint32_t sum = 0;
    for (std::uint32_t& offset : graph.neighbours.offsets) offset = sum += offset;
    graph.neighbours.items.resize(sum);
    double length = 0;
    for (const auto& [a, b] : edges) {
      graph.neighbours.items[--graph.neighbours.offsets[a]] = b;
      graph.neighbours.items[--graph.neighbours.offsets[b]] = a;
      length += (graph.positions[a] - graph.positions[b]).norm();
    }
    if (n < 4 || edges.size() + 1 != n || !(length > 0))
      return impossible("the rings of the mesh do not hang together");
    // Curves that average two rings a step still follow every bend.
    graph.spacing = length / static_cast<double>(edges.size());
    Box3 own;
    for (std::size_t k = 0; k < n; ++k) {
      const Vec3 r = Vec3::Constant(graph.radii[k]);
      own.extend(graph.positions[k] + r);
      own.extend(graph.positions[k] - r);
    }
    const Box3 all = bounding_box(positions_);
    graph.size = all.sizes().maxCoeff();
    for (int k = 0; k < 3; ++k)
      if (own.sizes()[k] < kLeastSpan * all.sizes()[k])
        return impossible("the rings of the mesh span a part of it alone");
    return graph;
  }

  const PolyMesh& mesh_;
  const IsoCurves& curves_;
  std::span<const Vec3> positions_;
  std::span<const std::uint32_t> same_;
  std::vector<std::uint32_t> ring_of_, limb_at_;  // per vertex; limb_at_: kNothing off the limbs
  std::vector<std::uint32_t> limb_of_, up_, carrier_, parent_;
  std::vector<Contact> contacts_;
  std::vector<Vec3> centres_;
  std::vector<double> lengths_;
  std::vector<Chain> chains_;  // one for each limb or part of the curves, and the trunk
  std::vector<std::uint32_t> at_, ends_;
  std::uint32_t trunk_ = kNothing;
  double closed_vertices_ = 0;
};

}  // namespace

Result<BodyGraph> ring_graph(const PolyMesh& mesh, const IsoCurves& curves, std::span<const Vec3> positions,
                             std::span<const std::uint32_t> same) {
  return RingTree(mesh, curves, positions, same).build();
}

}  // namespace sinew::autorig
