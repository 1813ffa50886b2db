// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_builder.h"

namespace sinew::gltf {

// The document with what the options name replaced by what the rig has.
Result<std::string> write_edited(const Rig& rig, const GltfDocument& document,
                                 const GltfWriteOptions& options);

// Image files beside the document become part of the buffer, in a .glb also those in data URIs; images that
// cannot be read or are of no known kind stay as they are.
void embed_images(Builder& builder, const GltfDocument& document, bool as_glb);

// Takes out accessors, views and bytes that `before` used and nothing uses any more. Does nothing where an
// extension that we do not know might refer to them.
void drop_unused(Builder& builder, const Json& before);

}  // namespace sinew::gltf
