// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_key_info.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/gltf_write_parts.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kMostSpaces = 1024, kMostExamples = 4096;

std::optional<std::size_t> find_key(const Rig& rig, const std::string& name) {
  for (std::size_t k = 0; k < rig.keys.size(); ++k)
    if (rig.keys[k].name == name) return k;
  return std::nullopt;
}

bool flag(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

double number(const Json& object, const char* key, double fallback) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return fallback;
  const double value = found->get<double>();
  return std::isfinite(value) ? value : fallback;
}

bool read_keys(const Json& ours, Rig& rig) {
  if (!ours.contains("keys")) return true;
  const auto list = object_list(ours, "keys");
  if (!list.ok()) return false;
  bool whole = true;
  for (const Json& entry : **list) {
    const std::string name = string_member(entry, "name"), mask = string_member(entry, "mask");
    bool used = false;
    for (ShapeKey& key : rig.keys) {
      if (key.name != name) continue;
      used = true;
      key.without_rotation = flag(entry, "withoutRotation");
      key.without_scale = flag(entry, "withoutScale");
      if (mask.size() <= kLongestName) key.mask = mask;
    }
    whole = whole && used;
  }
  return whole;
}

std::optional<std::vector<PoseSpace::Driver>> read_joints(const GltfDocument& document, const Json& json) {
  std::vector<PoseSpace::Driver> drivers;
  const auto list = object_list(json, "joints");
  if (!list.ok()) return std::nullopt;
  for (const Json& entry : **list) {
    const auto node = index_member(entry, "node", document.node_joints.size());
    if (!node.ok() || *node < 0 || document.node_joints[at(*node)] < 0) return std::nullopt;
    drivers.push_back({at(document.node_joints[at(*node)]), number(entry, "influence", 1)});
  }
  return drivers;
}

std::optional<std::vector<PoseSpace::Driver>> read_channels(const Rig& rig, const Json& json) {
  std::vector<PoseSpace::Driver> drivers;
  const auto list = object_list(json, "channels");
  if (!list.ok()) return std::nullopt;
  for (const Json& entry : **list) {
    const auto key = find_key(rig, string_member(entry, "key"));
    if (!key) return std::nullopt;
    drivers.push_back({*key, number(entry, "influence", 1)});
  }
  return drivers;
}

std::optional<PoseSpace::Example> read_example(const Rig& rig, const PoseSpace& space, const Json& json) {
  const auto key = find_key(rig, string_member(json, "key"));
  const auto rotations = number_list(json, "rotations", 4 * space.joints.size());
  const auto channels = number_list(json, "channels", space.channels.size());
  if (!key || !rotations.ok() || rotations->size() != 4 * space.joints.size() || !channels.ok() ||
      channels->size() != space.channels.size())
    return std::nullopt;
  PoseSpace::Example example{*key, {}, *channels};
  for (std::size_t j = 0; j < space.joints.size(); ++j) {
    const double* q = rotations->data() + 4 * j;
    const Quat rotation(q[3], q[0], q[1], q[2]);
    if (!(rotation.norm() > 1e-6)) return std::nullopt;
    example.rotations.push_back(rotation.normalized());
  }
  return example;
}

std::optional<PoseSpace> read_space(const GltfDocument& document, const Rig& rig, const Json& json) {
  PoseSpace space;
  space.name = string_member(json, "name");
  space.radius = std::max(0.0, number(json, "radius", 0));
  const auto joints = read_joints(document, json), channels = read_channels(rig, json);
  if (!joints || !channels || joints->size() + channels->size() == 0 || space.name.size() > kLongestName)
    return std::nullopt;
  space.joints = *joints;
  space.channels = *channels;
  for (const auto* list : {&space.joints, &space.channels})
    for (const PoseSpace::Driver& driver : *list)
      if (!(driver.influence > 0)) return std::nullopt;
  const auto examples = object_list(json, "examples");
  if (!examples.ok() || (*examples)->size() > kMostExamples) return std::nullopt;
  for (const Json& entry : **examples) {
    auto example = read_example(rig, space, entry);
    if (!example) return std::nullopt;
    space.examples.push_back(*std::move(example));
  }
  return space;
}

Json drivers_json(std::span<const PoseSpace::Driver> drivers, const char* name,
                  const std::vector<Json>& values) {
  Json list = Json::array();
  for (std::size_t k = 0; k < drivers.size(); ++k) {
    Json entry = {{name, values[k]}};
    if (drivers[k].influence != 1) entry["influence"] = drivers[k].influence;
    list.push_back(std::move(entry));
  }
  return list;
}

Json space_json(const Rig& rig, const PoseSpace& space, std::span<const int> joint_nodes) {
  Json json = {{"name", space.name}, {"examples", Json::array()}};
  if (space.radius > 0) json["radius"] = space.radius;
  std::vector<Json> nodes, keys;
  for (const PoseSpace::Driver& joint : space.joints) {
    if (joint.index >= joint_nodes.size() || joint_nodes[joint.index] < 0) return nullptr;
    nodes.emplace_back(joint_nodes[joint.index]);
  }
  for (const PoseSpace::Driver& channel : space.channels) keys.emplace_back(rig.keys[channel.index].name);
  if (!nodes.empty()) json["joints"] = drivers_json(space.joints, "node", nodes);
  if (!keys.empty()) json["channels"] = drivers_json(space.channels, "key", keys);
  for (const PoseSpace::Example& example : space.examples) {
    Json entry = {{"key", rig.keys[example.key].name}};
    for (const Quat& q : example.rotations)
      for (int c = 0; c < 4; ++c) entry["rotations"].push_back(q.coeffs()[c]);
    if (!example.channels.empty()) entry["channels"] = example.channels;
    json["examples"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace

void read_key_info(GltfDocument& document, Rig& rig) {
  const Json* ours = &document.json;
  for (const char* key : {"extensions", "SINEW_rig"})
    if (ours = object_member(*ours, key); !ours) return;
  bool whole = read_keys(*ours, rig);
  if (ours->contains("poseSpaces")) {
    const auto list = object_list(*ours, "poseSpaces");
    whole = whole && list.ok() && (*list)->size() <= kMostSpaces;
    for (std::size_t k = 0; list.ok() && k < std::min((*list)->size(), kMostSpaces); ++k) {
      auto space = read_space(document, rig, (**list)[k]);
      if (space)
        rig.pose_spaces.push_back(*std::move(space));
      else
        whole = false;
    }
  }
  if (!whole)
    document.warnings.push_back(
        "extensions.SINEW_rig names keys, joints or poses that do not exist: left out");
}

void put_key_info(Json& root, const Rig& rig, std::span<const int> joint_nodes) {
  Json keys, spaces;
  for (const ShapeKey& key : rig.keys) {
    if (!key.without_rotation && !key.without_scale && key.mask.empty()) continue;
    Json entry = {{"name", key.name}};
    if (key.without_rotation) entry["withoutRotation"] = true;
    if (key.without_scale) entry["withoutScale"] = true;
    if (!key.mask.empty()) entry["mask"] = key.mask;
    keys.push_back(std::move(entry));
  }
  for (const PoseSpace& space : rig.pose_spaces)
    if (Json json = space_json(rig, space, joint_nodes); !json.is_null()) spaces.push_back(std::move(json));
  put_own_property(root, "keys", std::move(keys));
  put_own_property(root, "poseSpaces", std::move(spaces));
}

}  // namespace sinew::gltf
