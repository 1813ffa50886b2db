// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_edit.h"
#include "io/gltf_uri.h"
#include "sinew/core/file.h"

namespace sinew::gltf {
namespace {

constexpr std::uint64_t kLargestImage = std::uint64_t{1} << 28;

const char* mime_type(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG")) return "image/png";
  if (bytes.starts_with("\xFF\xD8\xFF")) return "image/jpeg";
  if (bytes.starts_with("\xABKTX 20")) return "image/ktx2";
  if (bytes.starts_with("RIFF") && bytes.substr(8, 4) == "WEBP") return "image/webp";
  return nullptr;
}

}  // namespace

void embed_images(Builder& builder, const GltfDocument& document) {
  const auto images = builder.json.find("images");
  if (images == builder.json.end() || !images->is_array()) return;
  for (std::size_t i = 0; i < images->size(); ++i) {
    const Json& image = (*images)[i];
    if (!image.is_object()) continue;
    const std::string uri = string_member(image, "uri");
    if (uri.empty() || is_data_uri(uri)) continue;
    const auto path = resolve_uri(uri, document.path.parent_path());
    if (!path.ok()) continue;
    const auto bytes = read_file(*path, kLargestImage);
    if (!bytes.ok() || !mime_type(*bytes)) continue;
    const int view = builder.add_view(*bytes, kNoTarget);
    Json& embedded = builder.json["images"][i];
    embedded.erase("uri");
    embedded["bufferView"] = view;
    embedded["mimeType"] = mime_type(*bytes);
  }
}

}  // namespace sinew::gltf
