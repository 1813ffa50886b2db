// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_builder.h"
#include "sinew/io/looks.h"

namespace sinew::gltf {

Json material_json(const Material& material);
// Materials, textures and images, as the first of the document.
void put_looks(Builder& builder, const Looks& looks);

}  // namespace sinew::gltf
