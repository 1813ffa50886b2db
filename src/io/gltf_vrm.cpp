// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_vrm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinew/core/text.h"

namespace sinew {
namespace {

// The fields of VRMC_vrm 1.0 that are not indices of the file.
enum class MetaKind { kText, kTexts, kFlag };
struct MetaField {
  const char* key;
  MetaKind kind;
  bool required = false;
};
constexpr std::array<MetaField, 17> kMetaFields = {{{"name", MetaKind::kText, true},
                                                    {"authors", MetaKind::kTexts, true},
                                                    {"licenseUrl", MetaKind::kText, true},
                                                    {"version", MetaKind::kText},
                                                    {"copyrightInformation", MetaKind::kText},
                                                    {"contactInformation", MetaKind::kText},
                                                    {"references", MetaKind::kTexts},
                                                    {"thirdPartyLicenses", MetaKind::kText},
                                                    {"avatarPermission", MetaKind::kText},
                                                    {"allowExcessivelyViolentUsage", MetaKind::kFlag},
                                                    {"allowExcessivelySexualUsage", MetaKind::kFlag},
                                                    {"commercialUsage", MetaKind::kText},
                                                    {"allowPoliticalOrReligiousUsage", MetaKind::kFlag},
                                                    {"allowAntisocialOrHateUsage", MetaKind::kFlag},
                                                    {"creditNotation", MetaKind::kText},
                                                    {"allowRedistribution", MetaKind::kFlag},
                                                    {"modification", MetaKind::kText}}};

bool is_text(const gltf::Json& value) {
  return value.is_string() && !value.get_ref<const std::string&>().empty();
}

bool is_of(const gltf::Json& value, MetaKind kind) {
  if (kind == MetaKind::kFlag) return value.is_boolean();
  if (kind == MetaKind::kText) return is_text(value);
  return value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), is_text);
}

}  // namespace

Result<std::string> checked_vrm_meta(std::string_view json) {
  const gltf::Json meta = gltf::Json::parse(json, nullptr, false);
  if (!meta.is_object()) return bad_input("VRM metadata must be a JSON object");
  std::string missing;
  for (const MetaField& field : kMetaFields) {
    const auto found = meta.find(field.key);
    if (found == meta.end()) {
      if (field.required) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", field.key);
    } else if (!is_of(*found, field.kind)) {
      return bad_input(fmt::format("VRM metadata: {} must be {}", field.key,
                                   field.kind == MetaKind::kFlag   ? "true or false"
                                   : field.kind == MetaKind::kText ? "a text"
                                                                   : "a list of texts"));
    }
  }
  if (!missing.empty()) return bad_input("VRM requires metadata that was not given: " + missing);
  for (const auto& [key, value] : meta.items())
    if (std::none_of(kMetaFields.begin(), kMetaFields.end(),
                     [&, &name = key](const MetaField& field) { return name == field.key; }))
      return bad_input(fmt::format("VRM 1.0 has no metadata field '{}'", printable(key, 40)));
  return meta.dump();
}

namespace gltf {
namespace {

Json& node_of(Json& root, std::span<const int> joint_nodes, std::size_t joint) {
  return root["nodes"][static_cast<std::size_t>(joint_nodes[joint])];
}

void use_extension(Json& root, const char* name) {
  Json& used = ensure_array(root, "extensionsUsed");
  if (std::find(used.begin(), used.end(), Json(name)) == used.end()) used.push_back(name);
}

}  // namespace

void put_vrm(Json& root, const Vrm& vrm, std::span<const int> joint_nodes) {
  if (vrm.bones.empty()) return;
  Json bones = Json::object();
  for (const auto& [name, joint] : vrm.bones)
    if (joint_nodes[joint] >= 0) bones[name] = {{"node", joint_nodes[joint]}};
  Json meta = Json::parse(vrm.meta, nullptr, false);
  ensure_object(root, "extensions")["VRMC_vrm"] = {
      {"specVersion", "1.0"}, {"meta", std::move(meta)}, {"humanoid", {{"humanBones", std::move(bones)}}}};
  use_extension(root, "VRMC_vrm");
  for (const VrmConstraint& one : vrm.constraints) {
    if (joint_nodes[one.joint] < 0 || joint_nodes[one.source] < 0) continue;
    Json how = {{"source", joint_nodes[one.source]}, {"weight", one.weight}};
    if (one.roll) how["rollAxis"] = "Y";
    ensure_object(node_of(root, joint_nodes, one.joint), "extensions")["VRMC_node_constraint"] = {
        {"specVersion", "1.0"}, {"constraint", {{one.roll ? "roll" : "rotation", std::move(how)}}}};
    use_extension(root, "VRMC_node_constraint");
  }
}

}  // namespace gltf
}  // namespace sinew
