// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sinew/mesh/control_rows.h"
#include "sinew/mesh/poly_mesh.h"
#include "sinew/rig/skin_weights.h"

namespace sinew {

/// A cage around a mesh or a part of it, and how the mesh hangs on its control points: x + mask * sum_j h_j
/// (C'_j - C_j). Control points are the vertices of `mesh`, in bind space.
struct Cage {
  std::string name;
  PolyMesh mesh;
  int resolution = 0;        ///< the grid it was solved on has 2^resolution cells a side
  bool dynamic = false;      ///< coordinates are looked up where the step before has put a vertex
  double reach = 0.1;        ///< how far outside it vertices still follow, in diagonals of the cage
  ControlRows rows;          ///< per vertex of the rig
  std::vector<float> masks;  ///< per vertex of the rig, in [0, 1]
  ControlRows volume;        ///< per grid node, for lookups and other meshes; or empty
  SkinWeights weights;       ///< per control point: the skeleton moves the cage; or empty
};

}  // namespace sinew
