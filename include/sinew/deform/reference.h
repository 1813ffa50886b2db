// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/deform/decomposed.h"
#include "sinew/deform/deformer.h"

namespace sinew {

/// The deformers' formulas in double precision, one vertex at a time: what the kernels are tested against, and
/// what to read first. Positions (and normals, where out_normals is not empty) of all vertices; sizes as for
/// Deformer::deform.
struct ReferenceOutput {
  std::span<Vec3> positions;
  std::span<Vec3> normals;  ///< or empty
};

void reference_lbs(const Rig& rig, const FrameInput& input, const ReferenceOutput& out);
void reference_dqs(const Rig& rig, const FrameInput& input, const ReferenceOutput& out);
/// `mix` holds one number per vertex.
void reference_mix(const Rig& rig, const FrameInput& input, std::span<const double> mix,
                   const ReferenceOutput& out);
void reference_decomposed(const Rig& rig, const FrameInput& input, RotationBlend blend,
                          const ReferenceOutput& out);

}  // namespace sinew
