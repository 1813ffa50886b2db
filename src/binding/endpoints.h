// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/binding/bind.h"
#include "sinew/weights/bone_weights.h"

namespace sinew {

// Endpoint weights for new rows of the rig's vertices, as `request.endpoint` and `request.endpoint_twist` ask
// for them. `input` is the
// welded surface, `to_welded` its vertex for every stored one. An empty name: those of the rig, carried over,
// or none where it has none. kImpossible: "painted", and the rig has none. Fallbacks go into the report.
Result<EndpointWeights> endpoints_for(const Rig& rig, const SkinWeights& rows, const BindInput& input,
                                      std::span<const std::uint32_t> to_welded, const BindRequest& request,
                                      BindReport& report);

// Those of the rig for new rows of its vertices; joints that are new in a row are projected.
EndpointWeights carried_endpoints(const Rig& rig, const SkinWeights& rows);

// By projection for all rows of the rig.
EndpointWeights projected_endpoints(const Rig& rig);

}  // namespace sinew
