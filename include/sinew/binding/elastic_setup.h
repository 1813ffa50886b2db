// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/binding/surface.h"
#include "sinew/deform/elastic.h"
#include "sinew/deform/needs.h"

namespace sinew {

/// The voxel grid of a rig for the elastic deformer: bone vertices rigid, vertices of parts without a bone
/// rigid with the nearest one, harmonic weights as a first guess. kUsage: stiffness of a joint that is not
/// there, of an attribute that the mesh does not have, or not above 0.
Result<ElasticSetup> elastic_setup(const Rig& rig, const ElasticSettings& settings,
                                   const Progress* progress = nullptr);

/// The same for a body that is there already.
Result<ElasticSetup> elastic_setup(const Rig& rig, const Surface& surface, const BoneBody& body,
                                   const ElasticSettings& settings, const Progress* progress = nullptr);

}  // namespace sinew
