// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/arap.h"
#include "sinew/deform/deformer.h"
#include "sinew/rig/handles.h"

namespace sinew {

/// Options of build_arap().
struct ArapRigOptions {
  std::vector<VertexTarget> targets = {};  ///< world space; empty: the skeleton holds the mesh
  int iterations = 30;
  ArapOptions arap = {};  ///< its edges are added to those of the rig
  double springs = 0;     ///< weight of springs through the body that hold its volume; 0: none
  bool over_input =
      false;  ///< as a step behind others: what came in is the posed mesh; there is no inner one
};

/// As rigid as possible as a deformer, over `inner`, or linear blending where that is null. With targets: the
/// mesh as the inner deformer poses it is the rest shape, and the targets pull at it. Without: vertices that
/// hang on one joint alone are where the inner deformer has them, and those between joints keep their shape.
/// Rig::loose_edges and springs
/// through the body take part. Every frame starts anew, so equal poses give equal shapes; for dragging use
/// ArapSolver. kUsage: a vertex that is not there, one with two places, iterations outside 1 ... 100,000.
/// kImpossible: neither targets nor a skeleton that holds a vertex.
Result<std::unique_ptr<Deformer>> build_arap(const Rig& rig, const ArapRigOptions& options = {},
                                             std::unique_ptr<Deformer> inner = nullptr);

}  // namespace sinew
