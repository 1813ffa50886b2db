// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sinew/mesh/poly_mesh.h"
#include "sinew/rig/skin_weights.h"

// Faults of skin weights that can be told from the surface alone. Meshes are welded, with a row of weights for
// every vertex; distances are parts of the diagonal of the mesh's box.
namespace sinew {

/// Vertices on which a joint has weight although it has none, or hardly any, on the way to them.
struct StrayWeights {
  std::uint32_t joint = 0;
  std::vector<std::uint32_t> vertices;  ///< ascending
  double largest = 0;                   ///< the largest weight of the joint on them
  bool near = false;  ///< they lie near to what it carries, across a gap; else elsewhere on the body
};

struct StrayOptions {
  double weight = 0.05;    ///< weights below this are no fault
  double far = 0.1;        ///< along the surface, from what the joint carries
  double detour = 4;       ///< the way along the surface over the straight one, across a gap
  double elsewhere = 0.2;  ///< along the surface to a patch that does not hang together with what it carries
  std::size_t fewest = 3;  ///< vertices that make a fault
};

/// What a joint carries is the largest piece of surface on which it has half its largest weight or more; ways
/// run along edges, within one island. O(joints * n log n).
std::vector<StrayWeights> stray_weights(MeshView mesh, const SkinWeights& rows, std::size_t joints,
                                        const StrayOptions& options = {});

/// Vertices of islands that touch another island, and where.
struct IslandContact {
  std::uint32_t island = 0;  ///< connected_components of the mesh
  std::uint32_t vertex = 0, triangle = 0;
  Vec3 barycentric = Vec3::Zero();  ///< of the triangle, which is of another island
};
/// Of every vertex the nearest point of another island, no farther than `reach` diagonals.
std::vector<IslandContact> island_contacts(MeshView mesh, double reach = 0.01);

/// A plane across which the mesh is its own mirror image.
struct MirrorPlane {
  int axis = 0;  ///< x, y or z = centre
  double centre = 0;
  std::vector<std::uint32_t> partner;  ///< per vertex the one at its mirrored place, or kNoPartner
};
inline constexpr std::uint32_t kNoPartner = 0xffffffffu;
/// The plane across the middle of the box with which most vertices have partners within `tolerance` diagonals;
/// none where fewer than `least` of them have.
std::optional<MirrorPlane> mirror_plane(std::span<const Vec3> positions, double tolerance = 1e-3,
                                        double least = 0.9);

}  // namespace sinew
