// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_images.h"

#include "io/gltf_container.h"
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

std::optional<std::string> image_bytes(const std::string& uri, const GltfDocument& document, bool as_glb) {
  if (uri.empty() || (is_data_uri(uri) && !as_glb)) return std::nullopt;
  if (is_data_uri(uri)) {
    auto bytes = decode_data_uri(uri);
    return bytes.ok() ? std::optional(*std::move(bytes)) : std::nullopt;
  }
  const auto path = file_beside(document, uri);
  if (!path.ok()) return std::nullopt;
  auto bytes = read_file(*path, kLargestImage);
  return bytes.ok() ? std::optional(*std::move(bytes)) : std::nullopt;
}

}  // namespace

std::optional<std::string> stored_image(const Json& image, const GltfDocument& document) {
  const auto index = index_member(image, "bufferView", document.views.size());
  if (!index.ok() || *index < 0) return image_bytes(string_member(image, "uri"), document, true);
  const BufferView& view = document.views[at(*index)];
  const auto& buffer = document.buffers[at(view.buffer)];
  if (!buffer || view.offset + view.length > buffer->size()) return std::nullopt;
  return buffer->substr(view.offset, view.length);
}

void embed_images(Builder& builder, const GltfDocument& document, bool as_glb) {
  const auto images = builder.json.find("images");
  if (images == builder.json.end() || !images->is_array()) return;
  for (std::size_t i = 0; i < images->size(); ++i) {
    const Json& image = builder.json["images"][i];
    if (!image.is_object()) continue;
    const auto bytes = image_bytes(string_member(image, "uri"), document, as_glb);
    const char* type = bytes ? mime_type(*bytes) : nullptr;
    if (!type) continue;
    const int view = builder.add_view(*bytes, kNoTarget);
    Json& embedded = builder.json["images"][i];
    embedded.erase("uri");
    embedded["bufferView"] = view;
    embedded["mimeType"] = type;
  }
}

}  // namespace sinew::gltf
