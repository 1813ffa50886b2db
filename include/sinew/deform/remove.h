// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"

namespace sinew {

/// The part of the deformation gradient to remove.
enum class Removed { kRotation, kScale };

/// Takes the rotation or the scale out of what a deformer made [vanlommel2008, Sec. 7.2]: the gradient of
/// every triangle from rest to its result keeps only its stretch, or only its rotation, and a Poisson solve
/// puts the triangles together again. Without scale any deformation becomes as rigid as its triangles can be.
/// Components keep their centres; vertices without a face are left alone. Without an inner deformer the input
/// itself is worked on, as a step behind others. Fails as PoissonSurface::build does.
Result<std::unique_ptr<Deformer>> build_remove(const Rig& rig, std::unique_ptr<Deformer> inner,
                                               Removed removed);

}  // namespace sinew
