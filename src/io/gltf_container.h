// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "io/gltf_document.h"

namespace sinew::gltf {

// The two parts of a .glb, or of a .gltf text. Views into `bytes`.
struct Container {
  std::string_view json;
  std::optional<std::string_view> binary;  // nullopt: no BIN chunk
  bool trailing = false;                   // bytes or chunks that nobody knows were left out
};
Result<Container> open_container(std::string_view bytes);

// Checks asset.version and extensionsRequired.
Result<void> check_header(const Json& root);

// Fills document.buffers from the BIN chunk, data URIs and files beside the document.
Result<void> load_buffers(GltfDocument& document, std::optional<std::string_view> binary);

// The file that a relative URI names, as resolve_uri; kBadInput for a document without a folder.
Result<std::filesystem::path> file_beside(const GltfDocument& document, std::string_view uri);

// Adds a note for every image file that is not there.
void note_missing_images(GltfDocument& document);

// A .glb from its two parts; kImpossible where it would pass 4 GiB.
Result<std::string> make_glb(std::string_view json, std::string_view binary);

}  // namespace sinew::gltf
