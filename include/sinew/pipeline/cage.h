// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/core/descriptor.h"
#include "sinew/core/progress.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// How a mesh is to be bound to a cage, as a user says it.
struct CageRequest {
  std::string name = "cage";
  int controls = 0;         ///< of a cage that is made, about; 0: 200, with skin 400
  int resolution = 0;       ///< 2^resolution cells a side; 0: 6, or 5 for a mesh of few triangles
  bool dynamic = false;     ///< looked up in every frame; keeps the solved volume in the rig
  bool keep = false;        ///< keeps the solved volume, for other meshes
  bool skin = false;        ///< the skeleton moves the cage, by the weights of the mesh next to it
  double reach = 0.1;       ///< how far outside vertices still follow, in diagonals of the cage
  double threshold = 1e-5;  ///< smaller coordinates are dropped; of a kept volume, those below ten times this
  const Progress* progress = nullptr;
};

/// What users can set of a CageRequest.
std::span<const Descriptor> cage_settings();

/// What bind_cage() did.
struct CageReport {
  double seconds = 0;
  std::size_t controls = 0, cells = 0, nodes = 0, pieces = 0;
  double min = 0;  ///< the smallest coordinate before any was dropped
  double max_row_error = 0, reproduction_error = 0, dropped = 0;
  std::size_t outside = 0, entries = 0;
  int cycles = 0;
  std::vector<std::string> warnings;  ///< what the user should know about cage and mesh, a sentence each
};

/// Solves the cage and binds the rig's mesh to it; a cage of the same name is replaced. The cage lies in bind
/// space; its control points are rounded to what the file can hold. kBadInput: a cage that is open or encloses
/// nothing. kImpossible: skin without weights on the mesh.
Result<CageReport> bind_cage(Rig& rig, PolyMesh cage, const CageRequest& request);

/// The same with a cage that was solved for another mesh and kept its volume; nothing is solved.
Result<CageReport> bind_solved_cage(Rig& rig, const Cage& solved, const CageRequest& request);

/// The same with a cage made out of the mesh's voxel grid. One that the skeleton moves keeps limbs apart
/// (volume/limb_cage.h), unless it is dynamic or kept.
Result<CageReport> bind_auto_cage(Rig& rig, const CageRequest& request);

/// A cage around the rig's mesh, out of its solid voxel grid.
Result<PolyMesh> auto_cage(const Rig& rig, int controls, const Progress* progress);

}  // namespace sinew
