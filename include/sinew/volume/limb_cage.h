// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/volume/harmonic_cage.h"

namespace sinew {

/// Options of limb_cage().
struct LimbCageOptions {
  int controls = 200;       ///< about as many control points at most
  int resolution = 6;       ///< coordinates are solved with about 2^resolution steps along the longest side
  double threshold = 1e-5;  ///< smaller coordinates are dropped
  const Progress* progress = nullptr;
};

/// The result of limb_cage().
struct LimbCage {
  PolyMesh mesh;          ///< quads that face outwards; those of two limbs may lie in the same place
  CageBinding binding;    ///< of the mesh's vertices; all masks are 1
  std::size_t cells = 0;  ///< coarse ones, each counted as often as it was doubled
  std::size_t nodes = 0;  ///< at which the coordinates were solved
  std::vector<std::uint32_t> guides;  ///< per control point: the nearest vertex of the mesh in its own cells
};

/// A cage and harmonic coordinates that keep apart what lies side by side without touching, however coarse the
/// cage: where the body has several pieces within a coarse cell, each gets a cell of its own (virtual nodes,
/// [molino2004]). Cells are joined where the body goes on from one to the other, the outer sides are the cage,
/// and the coordinates are harmonic in the joined cells, not in the space that they overlap in. Rows are not
/// negative, sum to 1 and give the position. Where limbs part within a cell, sides may meet or end at an edge
/// of others. Limbs are told apart by at most 300,000 voxels. kBadInput: no usable triangle. kUsage: fewer
/// than 8 control points, or a resolution outside 1 ... 10.
Result<LimbCage> limb_cage(MeshView mesh, const LimbCageOptions& options = {});

}  // namespace sinew
