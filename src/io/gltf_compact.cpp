// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>

#include "io/gltf_edit.h"

namespace sinew::gltf {
namespace {

// Calls visit(number) for every member of `object` named, where it is a whole number.
template <class Visit>
void visit_member(Json& object, const char* key, Visit& visit) {
  if (!object.is_object()) return;
  if (const auto found = object.find(key); found != object.end() && found->is_number()) visit(*found);
}

template <class Visit>
void visit_all_members(Json& object, Visit& visit) {
  if (!object.is_object()) return;
  for (auto& [key, value] : object.items())
    if (value.is_number()) visit(value);
}

template <class Visit>
void visit_list(Json& object, const char* key, Visit visit) {
  if (!object.is_object()) return;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return;
  for (Json& element : *found) visit(element);
}

Json* member(Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

template <class Visit>
void visit_primitive(Json& primitive, Visit& visit) {
  if (Json* attributes = member(primitive, "attributes")) visit_all_members(*attributes, visit);
  visit_member(primitive, "indices", visit);
  visit_list(primitive, "targets", [&](Json& target) { visit_all_members(target, visit); });
  Json* extensions = member(primitive, "extensions");
  Json* ours = extensions ? member(*extensions, "SINEW_rig") : nullptr;
  Json* polygons = ours ? member(*ours, "polygons") : nullptr;
  if (polygons) visit_all_members(*polygons, visit);
}

// Every place of the document that names an accessor.
template <class Visit>
void visit_accessors(Json& root, Visit visit) {
  visit_list(root, "meshes", [&](Json& mesh) {
    visit_list(mesh, "primitives", [&](Json& primitive) { visit_primitive(primitive, visit); });
  });
  Json* extensions = member(root, "extensions");
  Json* ours = extensions ? member(*extensions, "SINEW_rig") : nullptr;
  if (ours) {
    const auto visit_owned = [&](Json& owner) {
      if (Json* accessors = member(owner, "accessors")) visit_all_members(*accessors, visit);
    };
    visit_list(*ours, "cages", visit_owned);
    if (Json* handles = member(*ours, "handles")) visit_owned(*handles);
    if (Json* flesh = member(*ours, "flesh")) {
      visit_owned(*flesh);
      visit_list(*flesh, "fields", visit_owned);
    }
  }
  visit_list(root, "skins", [&](Json& skin) { visit_member(skin, "inverseBindMatrices", visit); });
  visit_list(root, "animations", [&](Json& animation) {
    visit_list(animation, "samplers", [&](Json& sampler) {
      visit_member(sampler, "input", visit);
      visit_member(sampler, "output", visit);
    });
  });
}

// Every place that names a buffer view.
template <class Visit>
void visit_views(Json& root, Visit visit) {
  visit_list(root, "accessors", [&](Json& accessor) {
    visit_member(accessor, "bufferView", visit);
    Json* sparse = member(accessor, "sparse");
    for (const char* key : {"indices", "values"})
      if (Json* part = sparse ? member(*sparse, key) : nullptr) visit_member(*part, "bufferView", visit);
  });
  visit_list(root, "images", [&](Json& image) { visit_member(image, "bufferView", visit); });
  Json* extensions = member(root, "extensions");
  Json* ours = extensions ? member(*extensions, "SINEW_rig") : nullptr;
  if (Json* flesh = ours ? member(*ours, "flesh") : nullptr) visit_member(*flesh, "bufferView", visit);
}

std::size_t length_of(const Json& root, const char* key) {
  const auto list = root.find(key);
  return list != root.end() && list->is_array() ? list->size() : 0;
}

// Meshes that no node carries are not checked on reading: what is no index there names nothing.
std::size_t index_in(const Json& number) {
  const double value = number.get<double>();
  return value >= 0 && value < 4294967296.0 ? static_cast<std::size_t>(value) : SIZE_MAX;
}

template <class VisitAll>
std::vector<bool> used(Json& root, std::size_t size, VisitAll visit_all) {
  std::vector<bool> marks(size);
  visit_all(root, [&](Json& number) {
    if (index_in(number) < size) marks[index_in(number)] = true;
  });
  return marks;
}

// Takes the marked elements out of a list and renumbers what names the others.
template <class VisitAll>
void drop(Json& root, const char* key, const std::vector<bool>& dropped, VisitAll visit_all) {
  std::vector<std::size_t> renumbered(dropped.size());
  Json kept = Json::array();
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    renumbered[i] = kept.size();
    if (!dropped[i]) kept.push_back(std::move(root[key][i]));
  }
  if (kept.empty())
    root.erase(key);
  else
    root[key] = std::move(kept);
  visit_all(root, [&](Json& number) {
    if (index_in(number) < renumbered.size()) number = renumbered[index_in(number)];
  });
}

bool is_free_of_references(std::string_view extension) {
  constexpr std::array<std::string_view, 8> kKnown = {
      "KHR_mesh_quantization", "KHR_texture_transform", "KHR_texture_basisu", "KHR_lights_punctual",
      "EXT_texture_webp",      "KHR_xmp_json_ld",       "FB_ngon_encoding",   "SINEW_rig"};
  return extension.starts_with("KHR_materials_") ||
         std::find(kKnown.begin(), kKnown.end(), extension) != kKnown.end();
}

bool knows_all_extensions(const Json& root) {
  const auto list = root.find("extensionsUsed");
  if (list == root.end()) return true;
  return std::all_of(list->begin(), list->end(), [](const Json& name) {
    return name.is_string() && is_free_of_references(name.get_ref<const std::string&>());
  });
}

// The bytes of the views that are left, one behind the other. Views that overlap would make that longer: then
// all stays.
void squeeze(Builder& builder) {
  std::uint64_t total = 0;
  const auto views = builder.json.find("bufferViews");
  const auto number = [](const Json& view, const char* key) {
    return view.contains(key) ? static_cast<std::uint64_t>(view[key].get<double>()) : std::uint64_t{0};
  };
  if (views != builder.json.end())
    for (const Json& view : *views) total += (number(view, "byteLength") + 3) / 4 * 4;
  if (total >= builder.binary().size()) return;
  std::string bytes;
  bytes.reserve(total);
  if (views != builder.json.end())
    for (Json& view : *views) {
      if (number(view, "buffer") != 0) continue;
      bytes.resize((bytes.size() + 3) / 4 * 4);
      const std::size_t at = bytes.size();
      bytes.append(builder.binary(), number(view, "byteOffset"), number(view, "byteLength"));
      view["byteOffset"] = at;
    }
  builder.binary() = std::move(bytes);
}

}  // namespace

void drop_unused(Builder& builder, const Json& before) {
  if (!knows_all_extensions(builder.json)) return;
  Json old = Json::object();  // only what visit_accessors looks at
  for (const char* key : {"meshes", "skins", "animations", "accessors", "images", "extensions"})
    if (const auto found = before.find(key); found != before.end()) old[key] = *found;
  const auto accessors = [](Json& root, auto visit) { visit_accessors(root, visit); };
  const auto views = [](Json& root, auto visit) { visit_views(root, visit); };

  const std::size_t accessor_count = length_of(builder.json, "accessors"),
                    view_count = length_of(builder.json, "bufferViews");
  const std::vector<bool> was_used = used(old, accessor_count, accessors);
  const std::vector<bool> is_used = used(builder.json, accessor_count, accessors);
  std::vector<bool> dropped(accessor_count);
  for (std::size_t i = 0; i < accessor_count; ++i) dropped[i] = was_used[i] && !is_used[i];
  if (std::none_of(dropped.begin(), dropped.end(), [](bool d) { return d; })) return;
  drop(builder.json, "accessors", dropped, accessors);

  const std::vector<bool> view_was_used = used(old, view_count, views),
                          view_is_used = used(builder.json, view_count, views);
  std::vector<bool> dropped_views(view_count);
  for (std::size_t i = 0; i < view_count; ++i) dropped_views[i] = view_was_used[i] && !view_is_used[i];
  drop(builder.json, "bufferViews", dropped_views, views);
  squeeze(builder);
}

}  // namespace sinew::gltf
