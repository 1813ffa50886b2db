// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_container.h"

#include <array>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>

#include "io/gltf_uri.h"
#include "sinew/core/text.h"

namespace sinew::gltf {
namespace {

constexpr std::uint32_t kMagic = 0x46546C67, kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, 4);
  return word;
}

void append_word(std::string& out, std::uint64_t word) {
  const std::uint32_t narrow = static_cast<std::uint32_t>(word);
  out.append(reinterpret_cast<const char*>(&narrow), 4);
}

Result<Container> open_glb(std::string_view bytes) {
  if (bytes.size() < 20)
    return bad_input("the file ends within the .glb header: it is truncated, download it again");
  const std::uint32_t version = word_at(bytes, 4), length = word_at(bytes, 8);
  if (version != 2)
    return bad_input("the .glb header says version " + std::to_string(version) + ": only version 2 is read");
  if (length < 20 || length > bytes.size())
    return bad_input("the .glb header says " + std::to_string(length) + " bytes, but the file has " +
                     std::to_string(bytes.size()) + ": it is truncated or damaged, download it again");
  Container container;
  container.trailing = length < bytes.size();
  bytes = bytes.substr(0, length);
  for (std::size_t at = 12, chunk = 0; at < bytes.size(); ++chunk) {
    const std::string place = "chunk " + std::to_string(chunk) + " at byte " + std::to_string(at);
    if (bytes.size() - at < 8)
      return bad_input(place + " ends within its header: the file is truncated, download it again");
    const std::uint32_t size = word_at(bytes, at), type = word_at(bytes, at + 4);
    at += 8;
    if (size > bytes.size() - at)
      return bad_input(place + " says " + std::to_string(size) + " bytes, but only " +
                       std::to_string(bytes.size() - at) +
                       " are left: the file is truncated, download it again");
    const std::string_view body = bytes.substr(at, size);
    at += size;
    if (chunk == 0 && type != kJsonChunk)
      return bad_input(place + " is not the JSON that a .glb must begin with");
    if (chunk == 0) {
      container.json = body;
    } else if (type == kBinaryChunk && chunk == 1) {
      container.binary = body;
    } else if (type == kBinaryChunk || type == kJsonChunk) {
      return bad_input(place + " is a second JSON or BIN chunk: a .glb has one of each");
    } else {
      container.trailing = true;
    }
  }
  return container;
}

Result<std::shared_ptr<const std::string>> read_beside(const std::filesystem::path& path,
                                                       std::uint64_t length) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size < length)
    return bad_input(" has " + std::to_string(error ? 0 : size) + " bytes, but byteLength is " +
                     std::to_string(length) + ": it is truncated, download it again");
  auto bytes = std::make_shared<std::string>(static_cast<std::size_t>(length), '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(bytes->data(), static_cast<std::streamsize>(length));
  if (!stream) return bad_input(" cannot be read: check its permissions");
  return std::shared_ptr<const std::string>(std::move(bytes));
}

using Cache = std::map<std::pair<std::filesystem::path, std::uint64_t>, std::shared_ptr<const std::string>>;

Result<std::shared_ptr<const std::string>> load_uri(GltfDocument& document, const std::string& uri,
                                                    std::uint64_t length, Cache& cache) {
  if (is_data_uri(uri)) {
    SINEW_TRY(std::string bytes, decode_data_uri(uri));
    if (bytes.size() < length)
      return bad_input(" holds " + std::to_string(bytes.size()) + " bytes, but byteLength is " +
                       std::to_string(length));
    bytes.resize(static_cast<std::size_t>(length));
    return std::shared_ptr<const std::string>(std::make_shared<std::string>(std::move(bytes)));
  }
  auto path = file_beside(document, uri);
  if (!path.ok())
    return bad_input(path.error().message);  // a buffer that is not there is bad input, not bad luck
  auto& cached = cache[{*path, length}];
  if (!cached) {
    SINEW_TRY(cached, read_beside(*path, length));
    document.stored_bytes += length;
  }
  return cached;
}

Result<std::shared_ptr<const std::string>> load_buffer(GltfDocument& document, const Json& buffer,
                                                       std::size_t index,
                                                       std::optional<std::string_view> binary, Cache& cache) {
  SINEW_TRY(const std::uint64_t length,
            required_whole(buffer, "byteLength", std::numeric_limits<std::int64_t>::max()));
  const auto uri = buffer.find("uri");
  if (uri != buffer.end()) {
    if (!uri->is_string()) return bad_input(".uri is " + describe(*uri) + ": it must be text");
    auto bytes = load_uri(document, uri->get_ref<const std::string&>(), length, cache);
    if (!bytes.ok()) return inside(".uri", bytes.error());
    return bytes;
  }
  if (index != 0 || !binary)
    return std::shared_ptr<const std::string>();  // a placeholder that reads as zeros
  if (binary->size() < length)
    return bad_input(".byteLength is " + std::to_string(length) + ", but the BIN chunk has " +
                     std::to_string(binary->size()) + " bytes: the file is truncated, download it again");
  return std::shared_ptr<const std::string>(std::make_shared<std::string>(binary->substr(0, length)));
}

// Extensions that change nothing of what the rig is made from.
bool is_harmless(std::string_view name) {
  constexpr std::array<std::string_view, 10> kKnown = {"KHR_mesh_quantization", "KHR_texture_transform",
                                                       "KHR_texture_basisu",    "KHR_lights_punctual",
                                                       "EXT_texture_webp",      "EXT_texture_avif",
                                                       "KHR_animation_pointer", "KHR_xmp_json_ld",
                                                       "MSFT_texture_dds",      "SINEW_rig"};
  if (name.starts_with("KHR_materials_")) return true;
  return std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end();
}

}  // namespace

Result<std::filesystem::path> file_beside(const GltfDocument& document, std::string_view uri) {
  if (document.alone)
    return bad_input(" is \"" + printable(uri, 80) +
                     "\", another file, which was not given: save it as .glb, which holds everything");
  return resolve_uri(uri, document.path.parent_path());
}

Result<Container> open_container(std::string_view bytes) {
  if (bytes.size() >= 4 && word_at(bytes, 0) == kMagic) return open_glb(bytes);
  Container container;
  container.json = bytes;
  if (bytes.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return bad_input("the file is empty: export it again");
  return container;
}

Result<void> check_header(const Json& root) {
  if (!root.is_object()) return bad_input("the JSON is " + describe(root) + ": a glTF file is an object");
  const Json* asset = object_member(root, "asset");
  if (!asset) return bad_input("asset is missing: this is not a glTF 2.0 file");
  const std::string version = string_member(*asset, "version"), least = string_member(*asset, "minVersion");
  if (!version.starts_with("2."))
    return bad_input("asset.version is \"" + printable(version, 20) + "\": only glTF 2.0 is read");
  if (!least.empty() && least != "2.0")
    return bad_input("asset.minVersion is \"" + printable(least, 20) + "\": only glTF 2.0 is read");
  for (const char* key : {"extensionsUsed", "extensionsRequired"}) {
    const auto list = root.find(key);
    if (list == root.end()) continue;
    if (!list->is_array())
      return bad_input(std::string(key) + " is " + describe(*list) + ": it must be a list");
    for (std::size_t i = 0; i < list->size(); ++i) {
      const Json& name = (*list)[i];
      if (!name.is_string()) return bad_input(item(key, i) + " is " + describe(name) + ": it must be text");
      if (std::string_view(key) == "extensionsRequired" && !is_harmless(name.get_ref<const std::string&>()))
        return bad_input(item(key, i) + " is " + describe(name) +
                         ", which is not supported: export without it");
    }
  }
  return {};
}

Result<void> load_buffers(GltfDocument& document, std::optional<std::string_view> binary) {
  SINEW_TRY(const Json* buffers, object_list(document.json, "buffers"));
  Cache cache;
  for (std::size_t i = 0; i < buffers->size(); ++i) {
    auto buffer = load_buffer(document, (*buffers)[i], i, binary, cache);
    if (!buffer.ok()) return inside(item("buffers", i), buffer.error());
    document.buffers.push_back(*std::move(buffer));
    document.buffer_lengths.push_back(*whole_member((*buffers)[i], "byteLength", 0, UINT64_MAX));
  }
  return {};
}

void note_missing_images(GltfDocument& document) {
  const auto images = document.json.find("images");
  if (images == document.json.end() || !images->is_array()) return;
  for (std::size_t i = 0; i < images->size(); ++i) {
    const Json& image = (*images)[i];
    if (!image.is_object()) continue;
    const std::string uri = string_member(image, "uri");
    if (uri.empty() || is_data_uri(uri)) continue;
    if (const auto file = file_beside(document, uri); !file.ok())
      document.warnings.push_back(item("images", i) + ".uri" + file.error().message);
  }
}

Result<std::string> make_glb(std::string_view json, std::string_view binary) {
  const std::uint64_t json_size = (json.size() + 3) / 4 * 4, binary_size = (binary.size() + 3) / 4 * 4;
  const std::uint64_t total = 12 + 8 + json_size + (binary.empty() ? 0 : 8 + binary_size);
  if (total > std::numeric_limits<std::uint32_t>::max())
    return impossible("a .glb cannot hold more than 4 GiB: write fewer frames or vertices");
  std::string out;
  out.reserve(total);
  append_word(out, kMagic);
  append_word(out, 2);
  append_word(out, total);
  append_word(out, json_size);
  append_word(out, kJsonChunk);
  out.append(json).append(json_size - json.size(), ' ');
  if (!binary.empty()) {
    append_word(out, binary_size);
    append_word(out, kBinaryChunk);
    out.append(binary).append(binary_size - binary.size(), '\0');
  }
  return out;
}

}  // namespace sinew::gltf
