// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/result.h"
#include "sinew/mesh/poly_mesh.h"
#include "sinew/skeleton/skeleton.h"
#include "sinew/volume/voxel_grid.h"

namespace sinew {

/// Options of voxelize().
struct VoxelizeOptions {
  /// How fine: the first of these that is above 0, else automatic (VoxelSize below).
  double cell_size = 0;               ///< world units
  int resolution = 0;                 ///< cells along the longest side of the bounding box, up to 4096
  std::size_t target_cells = 30'000;  ///< automatic: a body without thin parts
  std::size_t max_cells =
      120'000;  ///< automatic: thin limbs, small gaps and short bones make it finer up to this
  std::span<const Bone> bones = {};    ///< automatic: their lengths count
  const Progress* progress = nullptr;  ///< only asked for cancellation
};

/// What the automatic size was chosen from; infinity where there is nothing to measure, 0 where the size was
/// given.
struct VoxelSize {
  double cell_size = 0;
  double thickness = 0;      ///< all but 5 % of the surface is on parts at least this thick
  double gap = 0;            ///< all but 1 % of the surface is at least this far from what it faces outside
  double shortest_bone = 0;  ///< of those with a length
  enum class Reason { kGiven, kTarget, kThickness, kGap, kBone, kMaxCells } reason = Reason::kGiven;
};

/// The result of voxelize().
struct VoxelBody {
  VoxelGrid grid;
  std::vector<std::uint8_t> surface;  ///< per cell: 1 where it holds surface
  VoxelSize size;
  std::size_t inside_cells = 0;    ///< without surface; 0: a sheet, whose surface cells alone are the body
  std::size_t enclosed_cells = 0;  ///< of those, found only because surface shuts them in on all sides
  std::size_t flipped = 0;         ///< triangles that faced inwards
  bool closed = false;             ///< else holes were capped, or
  bool by_winding_number =
      false;  ///< pieces too small or flat to cap: inside by the generalised winding number
};

/// The cells whose centre is inside the mesh, and all cells that hold surface, so that every corner of a
/// triangle lies in a cell and what is connected stays so. Any triangles will do: open, crossing,
/// non-manifold, overlapping, inside out (each piece is turned outwards first). Inside is where the winding
/// number is above 1/2, and cavities; holes count as capped, which makes the number whole, and in a soup of
/// loose pieces the generalised number is used. Two parts at least two cell sizes apart share no grid vertex.
/// The same cells for any thread count. kBadInput: no finite triangle with three different corners, or a size
/// near the ends of what numbers hold. kLimit: more than 4096 cells along a side.
Result<VoxelBody> voxelize(MeshView mesh, const VoxelizeOptions& options = {});

}  // namespace sinew
