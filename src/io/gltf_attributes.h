// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_builder.h"
#include "io/gltf_mesh.h"

namespace sinew::gltf {

// What was painted on the vertices: attributes of one number a vertex whose name begins with "_" and is not
// ours, and the red of COLOR_0. Parts without one hold NaN.
Result<void> read_attributes(GltfDocument& document, const std::vector<PartPlan>& plans, Rig& rig);
// Adds those of a part that are no colours, for a file that is written from nothing.
void put_attributes(Builder& builder, std::span<const VertexAttribute> attributes, const MeshPart& part,
                    Json& primitive);

}  // namespace sinew::gltf
