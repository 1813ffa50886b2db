// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"

namespace sinew {

/// How rotations are blended.
enum class RotationBlend {
  kPolar,   ///< quaternions added with matching signs, normalised
  kExpLog,  ///< rotation vectors relative to the largest weight; beyond 170 degrees from it, kPolar
};

/// Options of build_decomposed().
struct DecomposedOptions {
  RotationBlend blend = RotationBlend::kPolar;
};

/// Rotations and scale/shear blended apart: p' = B (p - c) + sum_j w_j M_j c, B = R S with R the blended
/// rotation and S the element-wise blend of the stretches. c, fixed at build, is the mean of the joints that
/// lie between adjacent influencing bones, weighted by w_j * w_parent; without such a pair the vertex moves as
/// in LBS. Weights are normalised. Normals follow B^-T n (without a centre, as in LBS). Fails as build_lbs
/// does.
Result<std::unique_ptr<Deformer>> build_decomposed(const Rig& rig, const DecomposedOptions& options = {});

}  // namespace sinew
