// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"
#include "sinew/deform/differential_keys.h"

namespace sinew {

/// Options of build_differential().
struct DifferentialOptions {
  bool keys =
      false;  ///< the rig's keys in differential space, in the same solve; then no step before adds them
  KeyMasks masks = {};
  Placement placement = Placement::kAuto;
  double springs = 0;  ///< weight of edges straight through the body that hold its volume; 0: none
};

/// Differential skinning [vanlommel2008, Sec. 6.4]: the bones' rotations and stretches blended per triangle
/// (the mean of its corners' weights), quaternions with the sign of the largest weight, and one Poisson solve
/// over the mesh, the factor made once. The centre of a component is the mean of its positions by linear blend
/// skinning; vertices without a face move by that alone. Faces inside the body and Rig::loose_edges take part.
/// What comes in deformed (keys in object space, a cage) keeps its shape. Rest is the identity, rigid motions
/// are exact. Memory: about 300 bytes a triangle and the factor. Fails as build_lbs and PoissonSurface::build
/// do; kUsage: springs below 0.
Result<std::unique_ptr<Deformer>> build_differential(const Rig& rig, const DifferentialOptions& options = {});

}  // namespace sinew
