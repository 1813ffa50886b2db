// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_attributes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/gltf_accessor.h"
#include "io/gltf_write_parts.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kMostAttributes = 32;

bool is_painted(const std::string& name) {
  return name == "COLOR_0" || (name.starts_with("_") && !name.starts_with("_SINEW_"));
}

// The accessor of an attribute where it has a number for each vertex, else -1.
int painted_accessor(const GltfDocument& document, const PartPlan& plan, const std::string& name) {
  const Json* attributes = object_member(*plan.primitive, "attributes");
  if (!attributes) return -1;
  const auto index = index_member(*attributes, name.c_str(), document.accessors.size());
  if (!index.ok() || *index < 0) return -1;
  const Accessor& accessor = document.accessors[static_cast<std::size_t>(*index)];
  const bool fits = accessor.columns == 1 && accessor.count == plan.vertices &&
                    (name == "COLOR_0" ? accessor.width() >= 3 : accessor.width() == 1);
  return fits ? *index : -1;
}

}  // namespace

Result<void> read_attributes(GltfDocument& document, const std::vector<PartPlan>& plans, Rig& rig) {
  std::vector<std::string> names;
  for (const PartPlan& plan : plans) {
    const Json* attributes = object_member(*plan.primitive, "attributes");
    if (!attributes) continue;
    for (const auto& [name, value] : attributes->items())
      if (is_painted(name) && name.size() <= kLongestName && painted_accessor(document, plan, name) >= 0 &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
  }
  const double bytes = 8.0 * static_cast<double>(names.size()) * static_cast<double>(rig.mesh.vertex_count());
  if (names.size() > kMostAttributes || bytes > memory_budget(document)) {
    document.warnings.push_back("the mesh has too many painted attributes: none was read");
    return {};
  }
  for (const std::string& name : names) {
    VertexAttribute attribute{name, {}};
    attribute.values.assign(rig.mesh.vertex_count(), std::numeric_limits<float>::quiet_NaN());
    std::size_t begin = 0;
    for (const PartPlan& plan : plans) {
      if (const int index = painted_accessor(document, plan, name); index >= 0) {
        const Accessor& accessor = document.accessors[static_cast<std::size_t>(index)];
        auto numbers = read_floats(document, accessor);
        if (!numbers.ok()) return inside(plan.place + ".attributes." + name, numbers.error());
        for (std::size_t i = 0; i < plan.vertices; ++i)
          attribute.values[begin + i] = (*numbers)[i * static_cast<std::size_t>(accessor.width())];
      }
      begin += plan.vertices;
    }
    rig.attributes.push_back(std::move(attribute));
  }
  return {};
}

void put_attributes(Builder& builder, std::span<const VertexAttribute> attributes, const MeshPart& part,
                    Json& primitive) {
  for (const VertexAttribute& attribute : attributes) {
    if (!attribute.name.starts_with("_") || part.vertex_count == 0) continue;
    const std::span<const float> values =
        std::span(attribute.values).subspan(part.vertex_begin, part.vertex_count);
    if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); })) continue;
    ensure_object(primitive, "attributes")[attribute.name] =
        builder.add_floats(values, "SCALAR", kVertexTarget, false);
  }
}

}  // namespace sinew::gltf
