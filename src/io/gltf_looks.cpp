// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_looks.h"

#include <algorithm>
#include <cmath>

#include "io/gltf_accessor.h"
#include "io/gltf_container.h"
#include "io/gltf_uri.h"
#include "sinew/core/file.h"
#include "sinew/core/text.h"

namespace sinew {
namespace {

using namespace gltf;

constexpr std::uint64_t kLargestStored = std::uint64_t{256} << 20;

float factor(const Json& list, std::size_t k, float usual) {
  if (!list.is_array() || k >= list.size() || !list[k].is_number()) return usual;
  return static_cast<float>(std::clamp(list[k].get<double>(), 0.0, 1.0));
}

float factor_member(const Json& object, const char* name, float usual) {
  const auto found = object.find(name);
  return found == object.end() ? usual : factor(Json::array({*found}), std::size_t{0}, usual);
}

class LooksReader {
 public:
  LooksReader(const GltfDocument& document, std::vector<std::string>& warnings)
      : document_(document), notes_(warnings) {}

  Looks read(const Rig& rig) {
    const auto materials = document_.json.find("materials");
    if (materials != document_.json.end() && materials->is_array())
      for (const Json& one : *materials) add_material(one);
    bool coloured = false;
    for (std::size_t p = 0; p < rig.parts.size() && p < document_.parts.size(); ++p) {
      const Json& primitive = primitive_of(p);
      const auto index = index_member(primitive, "material", looks_.materials.size());
      looks_.part_materials.push_back(index.ok() ? *index : -1);
      coloured = coloured || color_accessor(primitive, rig.parts[p]) != nullptr;
    }
    if (coloured) read_colours(rig);
    return std::move(looks_);
  }

 private:
  const Json& primitive_of(std::size_t p) const {
    const PartSource& source = document_.parts[p];
    return document_.json["meshes"][at(source.mesh)]["primitives"][at(source.primitive)];
  }

  const Accessor* color_accessor(const Json& primitive, const MeshPart& part) const {
    const Json* attributes = object_member(primitive, "attributes");
    if (!attributes) return nullptr;
    const auto index = index_member(*attributes, "COLOR_0", document_.accessors.size());
    if (!index.ok() || *index < 0) return nullptr;
    const Accessor& accessor = document_.accessors[at(*index)];
    const bool fits = accessor.columns == 1 && (accessor.rows == 3 || accessor.rows == 4);
    return fits && accessor.count == part.vertex_count ? &accessor : nullptr;
  }

  void read_colours(const Rig& rig) {
    looks_.colours.assign(rig.mesh.vertex_count(), Vec3f::Ones());
    for (std::size_t p = 0; p < rig.parts.size() && p < document_.parts.size(); ++p) {
      const Accessor* accessor = color_accessor(primitive_of(p), rig.parts[p]);
      if (!accessor) continue;
      const auto values = read_floats(document_, *accessor);
      if (!values.ok()) continue;
      const auto width = static_cast<std::size_t>(accessor->rows);
      for (std::size_t i = 0; i < rig.parts[p].vertex_count; ++i)
        for (int k = 0; k < 3; ++k) {
          const float value = (*values)[width * i + static_cast<std::size_t>(k)];
          looks_.colours[rig.parts[p].vertex_begin + i][k] = value >= 0 && value <= 1 ? value : value > 1;
        }
    }
  }

  void add_material(const Json& json) {
    Material material;
    material.name = json.is_object() ? string_member(json, "name").substr(0, 256) : "";
    material.colour = Vec3f::Ones();
    material.metallic = material.roughness = 1;
    static const Json kNone = Json::object();
    const Json* pbr = json.is_object() ? object_member(json, "pbrMetallicRoughness") : nullptr;
    if (!pbr) pbr = &kNone;
    if (const auto colour = pbr->find("baseColorFactor"); colour != pbr->end()) {
      for (std::size_t k = 0; k < 3; ++k)
        material.colour[static_cast<Eigen::Index>(k)] = factor(*colour, k, 1);
      material.opacity = factor(*colour, 3, 1);
    }
    if (!json.is_object() || string_member(json, "alphaMode").empty() ||
        string_member(json, "alphaMode") == "OPAQUE")
      material.opacity = 1;
    material.metallic = factor_member(*pbr, "metallicFactor", 1);
    material.roughness = factor_member(*pbr, "roughnessFactor", 1);
    if (const Json* texture = object_member(*pbr, "baseColorTexture")) material.image = image_of(*texture);
    looks_.materials.push_back(std::move(material));
  }

  // The number in Looks::images; -1 where it cannot be had.
  int image_of(const Json& use) {
    const auto list = [&](const char* name) -> const Json* {
      const auto found = document_.json.find(name);
      return found != document_.json.end() && found->is_array() ? &*found : nullptr;
    };
    const Json *textures = list("textures"), *images = list("images");
    if (!textures || !images) return -1;
    const auto texture = index_member(use, "index", textures->size());
    if (!texture.ok() || *texture < 0 || !(*textures)[at(*texture)].is_object()) return -1;
    const auto source = index_member((*textures)[at(*texture)], "source", images->size());
    if (!source.ok() || *source < 0 || !(*images)[at(*source)].is_object()) return -1;
    if (known_.empty()) known_.assign(images->size(), -2);
    int& known = known_[at(*source)];
    if (known != -2) return known;
    known = -1;
    const Json& image = (*images)[at(*source)];
    std::string bytes = bytes_of(image);
    if (!image_type(bytes)) {
      notes_.push_back("image " + std::to_string(*source) +
                       " is not a PNG or JPEG image that exists: left out");
      return -1;
    }
    std::string name = string_member(image, "name").substr(0, 100);
    const std::string uri = string_member(image, "uri");
    if (name.empty() && !is_data_uri(uri)) name = std::filesystem::path(uri).stem().string();
    known = static_cast<int>(looks_.images.size());
    looks_.images.push_back({name, std::move(bytes)});
    return known;
  }

  std::string bytes_of(const Json& image) const {
    const auto view = index_member(image, "bufferView", document_.views.size());
    if (view.ok() && *view >= 0) {
      const BufferView& range = document_.views[at(*view)];
      const auto& buffer = document_.buffers[at(range.buffer)];
      if (!buffer || range.offset + range.length > buffer->size()) return {};
      return buffer->substr(range.offset, range.length);
    }
    const std::string uri = string_member(image, "uri");
    if (uri.empty()) return {};
    if (is_data_uri(uri)) {
      auto bytes = decode_data_uri(uri);
      return bytes.ok() ? *std::move(bytes) : std::string();
    }
    const auto path = file_beside(document_, uri);
    if (!path.ok()) return {};
    auto bytes = read_file(*path, kLargestStored);
    return bytes.ok() ? *std::move(bytes) : std::string();
  }

  const GltfDocument& document_;
  std::vector<std::string>& notes_;
  Looks looks_;
  std::vector<int> known_;  // per image of the document; -2: not asked for yet
};

}  // namespace

const char* image_type(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG")) return "image/png";
  if (bytes.starts_with("\xFF\xD8\xFF")) return "image/jpeg";
  return nullptr;
}

Looks looks_of(const GltfDocument& document, const Rig& rig, std::vector<std::string>& warnings) {
  return LooksReader(document, warnings).read(rig);
}

namespace gltf {

Json material_json(const Material& material) {
  const auto rounded = [](float value) { return std::round(static_cast<double>(value) * 1e6) / 1e6; };
  Json pbr = {{"baseColorFactor", Json::array()},
              {"metallicFactor", rounded(material.metallic)},
              {"roughnessFactor", rounded(material.roughness)}};
  for (int k = 0; k < 3; ++k) pbr["baseColorFactor"].push_back(rounded(material.colour[k]));
  pbr["baseColorFactor"].push_back(rounded(material.opacity));
  Json json = {{"name", printable(material.name, 1024)}, {"pbrMetallicRoughness", std::move(pbr)}};
  if (material.opacity < 1) json["alphaMode"] = "BLEND";
  return json;
}

void put_looks(Builder& builder, const Looks& looks) {
  for (const TextureImage& image : looks.images) {
    const int view = builder.add_view(image.bytes, kNoTarget);
    Json json = {{"bufferView", view}, {"mimeType", image_type(image.bytes)}};
    if (!image.name.empty()) json["name"] = printable(image.name, 256);
    Json& images = ensure_array(builder.json, "images");
    images.push_back(std::move(json));
    ensure_array(builder.json, "textures").push_back({{"source", images.size() - 1}});
  }
  for (const Material& material : looks.materials) {
    Json json = material_json(material);
    if (material.image >= 0) json["pbrMetallicRoughness"]["baseColorTexture"] = {{"index", material.image}};
    ensure_array(builder.json, "materials").push_back(std::move(json));
  }
}

}  // namespace gltf
}  // namespace sinew
