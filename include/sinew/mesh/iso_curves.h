// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/math/types.h"
#include "sinew/mesh/poly_mesh.h"

namespace sinew {

inline constexpr std::uint32_t kNoVertex = 0xffffffffu;
inline constexpr std::uint32_t kNoRing = 0xffffffffu;
inline constexpr std::uint32_t kNoLimb = 0xffffffffu;

/// The curves that run around the parts of a mesh: limbs of rings of vertices, in flat arrays. A ring is a
/// list of vertices in order, closed (the last is followed by the first) or open; no vertex lies on two rings.
/// A ring of one or two vertices is open: the end of a cap, or what is left between others.
struct IsoCurves {
  struct Limb {
    std::uint32_t first_ring = 0, ring_end = 0;  ///< rings [first_ring, ring_end), tip first, body last
    /// The vertex that it was found from; kNoVertex: a part that others grow out of, an arm above its fingers
    /// or the trunk.
    std::uint32_t tip = kNoVertex;
    std::uint32_t meets = kNoLimb;  ///< the limb or part that its last ring lies beside
    /// Its last ring where it opens into something wider, which is then closed; kNoRing: it ends otherwise, as
    /// half of a tube with two tips does.
    std::uint32_t seam = kNoRing;
    std::uint32_t size() const { return ring_end - first_ring; }
    bool has_tip() const { return tip != kNoVertex; }
  };

  std::vector<std::uint32_t> vertices;      ///< of all rings, one after the other
  std::vector<std::uint32_t> ring_offsets;  ///< rings + 1, or empty: no rings
  std::vector<std::uint8_t> closed;         ///< rings: 1 closed, 0 open
  std::vector<std::uint32_t>
      level;                ///< rings: steps from the limb's first ring; open pieces of one level lie
                            ///< on one curve around the part, cut by the limbs that leave it
  std::vector<Limb> limbs;  ///< those with tips first, then the parts without

  std::size_t ring_count() const { return closed.size(); }
  std::span<const std::uint32_t> ring(std::size_t r) const {
    return {vertices.data() + ring_offsets[r], vertices.data() + ring_offsets[r + 1]};
  }
  bool is_closed(std::size_t r) const { return closed[r] != 0; }
  void add_ring(std::span<const std::uint32_t> ring, bool is_closed, std::uint32_t its_level);
};

/// Where each ring lies: the mean of its polyline by arc length (closed rings over their last edge too), of
/// its vertices where it has no length. One per ring; `positions` are those of the mesh, in any pose.
std::vector<Vec3> ring_centres(const IsoCurves& curves, std::span<const Vec3> positions);

/// Length of each ring's polyline, closed ones all around.
std::vector<double> ring_lengths(const IsoCurves& curves, std::span<const Vec3> positions);

/// Puts the vertices of the mesh's faces that lie on no ring onto open rings, one more part at the end: chains
/// of edges that turn as little as they can, whatever the faces are. A vertex without a free neighbour is a
/// ring of its own; one without a face stays where it is, on none.
void add_chains(IsoCurves& curves, const PolyMesh& mesh);

/// kBug with a sentence where the arrays contradict each other or the promises above: a vertex on two rings or
/// not below vertex_count, limbs that do not cover the rings in order, a closed ring of fewer than three.
Result<void> validate(const IsoCurves& curves, std::size_t vertex_count);

}  // namespace sinew
