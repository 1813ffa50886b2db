// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "io/gltf_document.h"

namespace sinew::gltf {

// The bytes of an image of the document, from a view, a data URI or a file beside it; none where they cannot
// be read.
std::optional<std::string> stored_image(const Json& image, const GltfDocument& document);

}  // namespace sinew::gltf
