// SPDX-License-Identifier: Apache-2.0
// Where practice leaves the paper [bian2018]: on a row of regular quads the ring is the row, which is
// exact where the smallest angle to a plane errs on sheared quads; the angle decides only at irregular
// vertices. A ring moves on as a whole, a row of faces a step, instead of being traced anew from a seed.
#include "sinew/autorig/iso_curves.h"

#include <algorithm>
#include <string>

#include "autorig/limb_rings.h"
#include "autorig/quad_rings.h"
#include "sinew/mesh/weld.h"

namespace sinew {
namespace {

using namespace autorig;

Result<void> check(const PolyMesh& mesh, const IsoCurveOptions& options) {
  std::size_t quads = 0;
  for (std::size_t f = 0; f < mesh.face_count(); ++f) quads += mesh.face(f).size() == 4;
  if (quads == 0 || 2 * quads < mesh.face_count())
    return impossible("iso-curves follow rows of quads, and " + std::to_string(mesh.face_count() - quads) +
                      " of the mesh's " + std::to_string(mesh.face_count()) + " faces are none");
  const double size = bounding_box(mesh.positions).sizes().maxCoeff();
  if (!(size < kLargest))
    return impossible("the mesh is too large to find rings of quads on: scale it to a size of about 1");
  for (const std::uint32_t tip : options.tips)
    if (tip >= mesh.vertex_count())
      return usage_error("tip " + std::to_string(tip) + " is no vertex: the mesh has " +
                         std::to_string(mesh.vertex_count()));
  return {};
}

void append(IsoCurves& curves, const RingList& rings, IsoCurves::Limb limb) {
  limb.first_ring = static_cast<std::uint32_t>(curves.ring_count());
  for (std::size_t r = 0; r < rings.size(); ++r)
    curves.add_ring(rings.ring(r), rings.closed[r] != 0, rings.level[r]);
  limb.ring_end = static_cast<std::uint32_t>(curves.ring_count());
  curves.limbs.push_back(limb);
}

// The limb that most of the neighbours of a limb's last ring belong to.
std::uint32_t neighbour_of(const IsoCurves& curves, const HalfEdges& edges,
                           const std::vector<std::uint32_t>& limb_of, std::uint32_t limb) {
  std::vector<std::uint32_t> votes(curves.limbs.size(), 0);
  const std::uint32_t last = curves.limbs[limb].ring_end - 1;
  for (const std::uint32_t v : curves.ring(last))
    for (const std::uint32_t h : edges.leaving(v)) {
      const std::uint32_t other = limb_of[edges.target(h)];
      if (other != limb && other != kNoLimb) ++votes[other];
    }
  const auto most = std::max_element(votes.begin(), votes.end());
  return most == votes.end() || *most == 0 ? kNoLimb : static_cast<std::uint32_t>(most - votes.begin());
}

IsoCurves assemble(const HalfEdges& edges, const LimbRings& found) {
  IsoCurves curves;
  curves.vertices.reserve(edges.vertex_count());
  for (const bool with_tip : {true, false})
    for (const FoundLimb& limb : found.limbs()) {
      if ((limb.tip != kNone) != with_tip || limb.rings.size() == 0) continue;
      const auto end = static_cast<std::uint32_t>(curves.ring_count() + limb.rings.size());
      IsoCurves::Limb entry;
      entry.tip = limb.tip;
      if (limb.seam && limb.rings.closed.back()) entry.seam = end - 1;
      append(curves, limb.rings, entry);
    }
  for (const RingList& part : found.parts())
    if (part.size() > 0) append(curves, part, {});
  std::vector<std::uint32_t> limb_of(edges.vertex_count(), kNoLimb);
  for (std::uint32_t limb = 0; limb < curves.limbs.size(); ++limb)
    for (std::uint32_t k = curves.ring_offsets[curves.limbs[limb].first_ring];
         k < curves.ring_offsets[curves.limbs[limb].ring_end]; ++k)
      limb_of[curves.vertices[k]] = limb;
  for (std::uint32_t limb = 0; limb < curves.limbs.size(); ++limb)
    if (curves.limbs[limb].has_tip() || curves.limbs[limb].seam != kNoRing)
      curves.limbs[limb].meets = neighbour_of(curves, edges, limb_of, limb);
  return curves;
}

Result<IsoCurves> curves_of(const PolyMesh& mesh, const HalfEdges& edges,
                            std::span<const std::uint32_t> tips) {
  LimbRings found(mesh, edges);
  found.find(tips);
  if (found.limbs().empty()) return impossible("no row of quads closes around a limb of the mesh");
  return assemble(edges, found);
}

bool has_border(const HalfEdges& edges) {
  for (std::uint32_t h = 0; h < edges.size(); ++h)
    if (edges.twin(h) == kNone) return true;
  return false;
}

}  // namespace

Result<QuadRings> autorig::quad_rings(const PolyMesh& mesh, const IsoCurveOptions& options) {
  SINEW_CHECK(check(mesh, options));
  QuadRings rings;
  const HalfEdges edges(mesh);
  if (!has_border(edges)) {
    SINEW_TRY(rings.curves, curves_of(mesh, edges, options.tips));
    return rings;
  }
  // Borders may be texture seams: close those first.
  const WeldedFaces welded = weld_faces(mesh);
  std::vector<std::uint32_t> tips;
  for (const std::uint32_t tip : options.tips) tips.push_back(welded.weld.to_welded[tip]);
  const HalfEdges joined(welded.mesh);
  SINEW_TRY(rings.curves, curves_of(welded.mesh, joined, tips));
  const auto& first = welded.weld.representative;
  for (std::uint32_t& v : rings.curves.vertices) v = first[v];
  for (IsoCurves::Limb& limb : rings.curves.limbs)
    if (limb.has_tip()) limb.tip = first[limb.tip];
  rings.same = welded.weld.to_welded;
  for (std::uint32_t& v : rings.same) v = first[v];
  return rings;
}

Result<IsoCurves> iso_curves(const PolyMesh& mesh, const IsoCurveOptions& options) {
  SINEW_TRY(QuadRings rings, quad_rings(mesh, options));
  return std::move(rings.curves);
}

}  // namespace sinew
