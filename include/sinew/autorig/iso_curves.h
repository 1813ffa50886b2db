// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sinew/core/result.h"
#include "sinew/mesh/iso_curves.h"
#include "sinew/mesh/poly_mesh.h"

namespace sinew {

struct IsoCurveOptions {
  std::vector<std::uint32_t> tips;  ///< vertices at the ends of the limbs; empty: they are found
};

/// The curves around the limbs and the body of a mesh of quads [bian2018], each vertex on exactly one.
/// Tips are where the distance from the body's middle peaks; at a tip the nearest row of quads that closes is
/// looked for, its direction told by rays; from there rings run row by row down the limb until it opens (the
/// seam) or reaches the body's middle, and up over the cap to the tip. Rings of the body are closed between
/// limbs and open beside them; what is left over between rows lies on open curves of a last part of the body.
/// Vertices at one place count as one where the mesh has borders: the first of them lies on the curves, the
/// others do not. Open tubes begin at their borders. Linear in the vertices: about 0.1 microseconds each.
/// kImpossible: fewer than half of the faces are quads, or no row of quads closes around anything. kUsage: a
/// tip that is no vertex.
Result<IsoCurves> iso_curves(const PolyMesh& mesh, const IsoCurveOptions& options = {});

}  // namespace sinew
