// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"

namespace sinew {

/// Linear blend skinning: p' = (sum_j w_j M_j) p with M_j the skinning matrices of the frame. Weights are used
/// as they are; a vertex without influences stays. Normals become L^-T n, L the blended linear part, with
/// length 1 (mirrored limbs keep normals that point outward); where L is so singular that this vanishes, the
/// rest normal is kept. Float kernels within 1e-5 of the largest coordinate of the double-precision formula
/// (deform/reference.h). kBadInput: weights whose rows or joints do not fit the mesh or skeleton. kImpossible:
/// more than 65,535 joints carry vertices.
Result<std::unique_ptr<Deformer>> build_lbs(const Rig& rig);

}  // namespace sinew
