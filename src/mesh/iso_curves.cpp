// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/iso_curves.h"

#include <algorithm>
#include <string>

#include "sinew/mesh/topology.h"

namespace sinew {
namespace {

// visit(a, b) for the edges of a ring.
template <class Visit>
void for_each_edge(const IsoCurves& curves, std::size_t r, Visit&& visit) {
  const auto ring = curves.ring(r);
  for (std::size_t k = 0; k + 1 < ring.size(); ++k) visit(ring[k], ring[k + 1]);
  if (curves.is_closed(r)) visit(ring.back(), ring.front());
}

Error wrong(const std::string& what) {
  return {ErrorCode::kBug, "the iso-curves are inconsistent: " + what};
}

Result<void> validate_rings(const IsoCurves& curves, std::size_t vertex_count) {
  if (curves.ring_offsets.size() != curves.ring_count() + 1 || curves.level.size() != curves.ring_count() ||
      curves.ring_offsets.front() != 0 || curves.ring_offsets.back() != curves.vertices.size())
    return wrong("arrays of different lengths");
  for (std::size_t r = 0; r < curves.ring_count(); ++r) {
    if (curves.ring_offsets[r + 1] <= curves.ring_offsets[r])
      return wrong("ring " + std::to_string(r) + " is empty");
    if (curves.is_closed(r) && curves.ring(r).size() < 3)
      return wrong("closed ring " + std::to_string(r) + " has fewer than three vertices");
  }
  std::vector<std::uint8_t> seen(vertex_count, 0);
  for (const std::uint32_t v : curves.vertices) {
    if (v >= vertex_count) return wrong("there is no vertex " + std::to_string(v));
    if (seen[v]++) return wrong("vertex " + std::to_string(v) + " lies on two rings");
  }
  return {};
}

// The free neighbour that lies most nearly straight on from `before` through `at`; any for before == at.
std::uint32_t straight_on(const PolyMesh& mesh, const IndexLists& neighbours,
                          const std::vector<std::uint8_t>& used, std::uint32_t before, std::uint32_t at) {
  const Vec3 in = mesh.positions[at] - mesh.positions[before];
  std::uint32_t best = kNoVertex;
  double most = before == at ? -2 : 0.5;  // sharper than 60 degrees is a new chain
  for (const std::uint32_t w : neighbours[at]) {
    if (used[w]) continue;
    const Vec3 out = mesh.positions[w] - mesh.positions[at];
    const double scale = in.norm() * out.norm();
    const double cosine = scale > 0 ? in.dot(out) / scale : before == at ? -1 : 0;
    if (cosine > most) most = cosine, best = w;
  }
  return best;
}

void extend(const PolyMesh& mesh, const IndexLists& neighbours, std::vector<std::uint8_t>& used,
            std::vector<std::uint32_t>& chain) {
  for (;;) {
    const std::uint32_t at = chain.back(), before = chain.size() > 1 ? chain[chain.size() - 2] : at;
    const std::uint32_t next = straight_on(mesh, neighbours, used, before, at);
    if (next == kNoVertex) return;
    used[next] = 1;
    chain.push_back(next);
  }
}

}  // namespace

void add_chains(IsoCurves& curves, const PolyMesh& mesh) {
  const std::size_t n = mesh.vertex_count();
  const IndexLists neighbours = vertex_neighbours(n, edge_table(n, mesh));
  std::vector<std::uint8_t> used(n, 0);
  for (const std::uint32_t v : curves.vertices) used[v] = 1;
  IsoCurves::Limb part;
  part.first_ring = static_cast<std::uint32_t>(curves.ring_count());
  std::uint32_t level = 0;
  std::vector<std::uint32_t> chain;
  for (std::uint32_t v = 0; v < n; ++v) {
    if (used[v] || neighbours[v].empty()) continue;
    used[v] = 1;
    chain = {v};
    extend(mesh, neighbours, used, chain);
    std::reverse(chain.begin(), chain.end());
    if (chain.size() > 1) extend(mesh, neighbours, used, chain);
    curves.add_ring(chain, false, level++);
  }
  part.ring_end = static_cast<std::uint32_t>(curves.ring_count());
  if (part.size() > 0) curves.limbs.push_back(part);
}

void IsoCurves::add_ring(std::span<const std::uint32_t> ring, bool is_closed, std::uint32_t its_level) {
  if (ring_offsets.empty()) ring_offsets.push_back(0);
  vertices.insert(vertices.end(), ring.begin(), ring.end());
  ring_offsets.push_back(static_cast<std::uint32_t>(vertices.size()));
  closed.push_back(is_closed ? 1 : 0);
  level.push_back(its_level);
}

std::vector<Vec3> ring_centres(const IsoCurves& curves, std::span<const Vec3> positions) {
  std::vector<Vec3> centres(curves.ring_count(), Vec3::Zero());
  for (std::size_t r = 0; r < centres.size(); ++r) {
    double length = 0;
    for_each_edge(curves, r, [&](std::uint32_t a, std::uint32_t b) {
      const double edge = (positions[b] - positions[a]).norm();
      centres[r] += edge / 2 * (positions[a] + positions[b]);
      length += edge;
    });
    if (length > 0) {
      centres[r] /= length;
      continue;
    }
    centres[r].setZero();
    for (const std::uint32_t v : curves.ring(r)) centres[r] += positions[v];
    centres[r] /= static_cast<double>(curves.ring(r).size());
  }
  return centres;
}

std::vector<double> ring_lengths(const IsoCurves& curves, std::span<const Vec3> positions) {
  std::vector<double> lengths(curves.ring_count(), 0.0);
  for (std::size_t r = 0; r < lengths.size(); ++r)
    for_each_edge(curves, r, [&](std::uint32_t a, std::uint32_t b) {
      lengths[r] += (positions[b] - positions[a]).norm();
    });
  return lengths;
}

Result<void> validate(const IsoCurves& curves, std::size_t vertex_count) {
  if (curves.ring_count() > 0) SINEW_CHECK(validate_rings(curves, vertex_count));
  std::uint32_t next = 0;
  bool body = false;
  for (const IsoCurves::Limb& limb : curves.limbs) {
    if (limb.first_ring != next || limb.ring_end < next)
      return wrong("limbs do not cover the rings in order");
    next = limb.ring_end;
    if (limb.has_tip() && body) return wrong("a limb with a tip stands behind a part of the body");
    body = !limb.has_tip();
    if (limb.has_tip() && limb.tip >= vertex_count) return wrong("a tip is no vertex");
    if (limb.meets != kNoLimb && limb.meets >= curves.limbs.size()) return wrong("a neighbour is no limb");
    if (limb.seam != kNoRing &&
        (limb.seam < limb.first_ring || limb.seam >= limb.ring_end || !curves.is_closed(limb.seam)))
      return wrong("a seam is no closed ring of its limb");
  }
  if (next != curves.ring_count()) return wrong("limbs do not cover the rings in order");
  return {};
}

}  // namespace sinew
