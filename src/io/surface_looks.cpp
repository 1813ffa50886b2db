// SPDX-License-Identifier: Apache-2.0
#include "sinew/io/surface_looks.h"

#include <algorithm>
#include <cmath>

#include "io/gltf_accessor.h"
#include "io/gltf_images.h"

namespace sinew {
namespace {

using gltf::Json;

const Json* element_of(const Json& root, const char* list, const Json& object, const char* key) {
  const auto found = root.find(list);
  if (found == root.end() || !found->is_array()) return nullptr;
  const auto index = gltf::index_member(object, key, found->size());
  if (!index.ok() || *index < 0) return nullptr;
  const Json& element = (*found)[gltf::at(*index)];
  return element.is_object() ? &element : nullptr;
}

std::vector<double> numbers_of(const Json& object, const char* key, std::size_t count) {
  auto numbers = gltf::number_list(object, key, count);
  return numbers.ok() ? *std::move(numbers) : std::vector<double>();
}

// Turns, scales and shifts texture coordinates (KHR_texture_transform).
struct TextureTransform {
  Eigen::Matrix2f turn = Eigen::Matrix2f::Identity();
  Vec2f shift = Vec2f::Zero();

  explicit TextureTransform(const Json* texture) {
    const Json* extensions = texture ? gltf::object_member(*texture, "extensions") : nullptr;
    const Json* given = extensions ? gltf::object_member(*extensions, "KHR_texture_transform") : nullptr;
    if (!given) return;
    const auto angle = given->find("rotation");
    const double turned = angle != given->end() && angle->is_number() ? angle->get<double>() : 0;
    turn << static_cast<float>(std::cos(turned)), static_cast<float>(std::sin(turned)),
        static_cast<float>(-std::sin(turned)), static_cast<float>(std::cos(turned));
    if (const auto scale = numbers_of(*given, "scale", 2); !scale.empty())
      turn = turn * Vec2f(static_cast<float>(scale[0]), static_cast<float>(scale[1])).asDiagonal();
    if (const auto offset = numbers_of(*given, "offset", 2); !offset.empty())
      shift = Vec2f(static_cast<float>(offset[0]), static_cast<float>(offset[1]));
  }
};

class LooksReader {
 public:
  LooksReader(const Asset& asset, SurfaceLooks& looks)
      : rig_(asset.rig), document_(*asset.document), looks_(looks) {}

  void read() {
    looks_.of_face.assign(rig_.mesh.face_count(), 0);
    looks_.texcoords.assign(rig_.mesh.vertex_count(), Vec2f::Zero());
    for (std::size_t p = 0; p < rig_.parts.size() && p < document_.parts.size(); ++p) read_part(p);
    if (!coloured_) looks_ = {};
  }

 private:
  const Json* primitive_of(std::size_t part) const {
    const gltf::PartSource& source = document_.parts[part];
    const auto meshes = document_.json.find("meshes");
    if (meshes == document_.json.end() || !meshes->is_array() || gltf::at(source.mesh) >= meshes->size())
      return nullptr;
    const Json& mesh = (*meshes)[gltf::at(source.mesh)];
    const auto primitives = mesh.find("primitives");
    if (primitives == mesh.end() || !primitives->is_array() ||
        gltf::at(source.primitive) >= primitives->size())
      return nullptr;
    return &(*primitives)[gltf::at(source.primitive)];
  }

  void read_part(std::size_t index) {
    const MeshPart& part = rig_.parts[index];
    const auto number = static_cast<std::uint32_t>(looks_.materials.size());
    looks_.materials.emplace_back();
    std::fill_n(looks_.of_face.begin() + static_cast<std::ptrdiff_t>(part.face_begin), part.face_count,
                number);
    const Json* primitive = primitive_of(index);
    if (!primitive) return;
    read_colours(*primitive, part);
    read_stored(*primitive, part);
    const auto materials = document_.json.find("materials");
    if (materials != document_.json.end() && materials->is_array())
      if (const auto used = gltf::index_member(*primitive, "material", materials->size()); used.ok())
        looks_.materials.back().index = static_cast<int>(*used);
    const Json* material = element_of(document_.json, "materials", *primitive, "material");
    const Json* base = material ? gltf::object_member(*material, "pbrMetallicRoughness") : nullptr;
    if (!base) return;
    SurfaceLooks::Material& look = looks_.materials.back();
    if (const auto factor = numbers_of(*base, "baseColorFactor", 4); !factor.empty()) {
      for (int k = 0; k < 3; ++k)
        look.factor[k] = std::clamp(static_cast<float>(factor[static_cast<std::size_t>(k)]), 0.0f, 1.0f);
      coloured_ = coloured_ || look.factor != Vec3f::Ones();
    }
    if (const Json* texture = gltf::object_member(*base, "baseColorTexture"))
      read_texture(*primitive, part, *texture, look);
  }

  void read_texture(const Json& primitive, const MeshPart& part, const Json& used,
                    SurfaceLooks::Material& look) {
    const Json* texture = element_of(document_.json, "textures", used, "index");
    const Json* image = texture ? element_of(document_.json, "images", *texture, "source") : nullptr;
    if (!image) {
      looks_.warnings.push_back("a texture has no PNG or JPEG image: it is drawn white");
      return;
    }
    if (const Json* sampler = element_of(document_.json, "samplers", *texture, "sampler")) {
      constexpr std::uint64_t kClamp = 33071, kRepeat = 10497;
      const auto wraps = [&](const char* key) {
        const auto value = gltf::whole_member(*sampler, key, kRepeat, 1 << 20);
        return !value.ok() || *value != kClamp;
      };
      look.repeat_u = wraps("wrapS");
      look.repeat_v = wraps("wrapT");
    }
    const auto set = gltf::whole_member(used, "texCoord", 0, 7);
    const std::string name = "TEXCOORD_" + std::to_string(set.ok() ? *set : 0);
    const std::vector<float> numbers = attribute(primitive, name, part.vertex_count, 2);
    if (numbers.empty()) {
      looks_.warnings.push_back("a textured part has no " + name + ": it is drawn without its texture");
      return;
    }
    auto bytes = gltf::stored_image(*image, document_);
    if (!bytes) {
      looks_.warnings.push_back("the image of a texture could not be read: it is drawn white");
      return;
    }
    look.image = *std::move(bytes);
    coloured_ = true;
    const TextureTransform transform(&used);
    for (std::size_t i = 0; i < part.vertex_count; ++i)
      looks_.texcoords[part.vertex_begin + i] =
          transform.turn * Vec2f(numbers[2 * i], numbers[2 * i + 1]) + transform.shift;
  }

  void read_stored(const Json& primitive, const MeshPart& part) {
    for (std::size_t set = 0; set < looks_.stored.size(); ++set) {
      const std::vector<float> numbers =
          attribute(primitive, "TEXCOORD_" + std::to_string(set), part.vertex_count, 2);
      if (numbers.empty()) continue;
      std::vector<Vec2f>& all = looks_.stored[set];
      all.resize(rig_.mesh.vertex_count(), Vec2f::Zero());
      for (std::size_t i = 0; i < part.vertex_count; ++i)
        all[part.vertex_begin + i] = Vec2f(numbers[2 * i], numbers[2 * i + 1]);
    }
  }

  void read_colours(const Json& primitive, const MeshPart& part) {
    std::size_t width = 3;
    std::vector<float> numbers = attribute(primitive, "COLOR_0", part.vertex_count, width);
    if (numbers.empty()) numbers = attribute(primitive, "COLOR_0", part.vertex_count, width = 4);
    if (numbers.empty()) return;
    if (looks_.colours.empty()) looks_.colours.assign(rig_.mesh.vertex_count(), Vec3f::Ones());
    for (std::size_t i = 0; i < part.vertex_count; ++i)
      for (int k = 0; k < 3; ++k)
        looks_.colours[part.vertex_begin + i][k] =
            std::clamp(numbers[width * i + static_cast<std::size_t>(k)], 0.0f, 1.0f);
    coloured_ = true;
  }

  // All numbers of an attribute, or nothing where it has not as many as it should.
  std::vector<float> attribute(const Json& primitive, const std::string& name, std::size_t vertices,
                               std::size_t width) const {
    const Json* attributes = gltf::object_member(primitive, "attributes");
    if (!attributes) return {};
    const auto index = gltf::index_member(*attributes, name.c_str(), document_.accessors.size());
    if (!index.ok() || *index < 0) return {};
    const gltf::Accessor& accessor = document_.accessors[gltf::at(*index)];
    if (accessor.count != vertices || accessor.columns != 1 || gltf::at(accessor.width()) != width) return {};
    auto numbers = gltf::read_floats(document_, accessor);
    return numbers.ok() ? *std::move(numbers) : std::vector<float>();
  }

  const Rig& rig_;
  const GltfDocument& document_;
  SurfaceLooks& looks_;
  bool coloured_ = false;
};

}  // namespace

SurfaceLooks read_surface_looks(const Asset& asset) {
  SurfaceLooks looks;
  if (asset.document) LooksReader(asset, looks).read();
  return looks;
}

}  // namespace sinew
