// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_drivers.h"

#include <algorithm>
#include <cmath>

#include "io/gltf_write_parts.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kMostDriven = 4096;

Json mix_json(const TurnMix& mix) {
  return Json(std::vector<float>(mix.begin(), mix.end()));
}

bool read_mix(const Json& json, const char* key, std::span<TurnMix> mixes) {
  const auto numbers = number_list(json, key, mixes.size() * kTurnFunctions);
  if (!numbers.ok() || numbers->size() != mixes.size() * kTurnFunctions) return false;
  for (std::size_t m = 0; m < mixes.size(); ++m)
    for (std::size_t f = 0; f < kTurnFunctions; ++f) {
      const double value = (*numbers)[m * kTurnFunctions + f];
      if (!(std::abs(value) < 1e6)) return false;
      mixes[m][f] = static_cast<float>(value);
    }
  return true;
}

// The joint of a node; -1 where it is none, or must be a bone and is not.
int joint_of(const GltfDocument& document, const Rig& rig, const Json& entry, const char* key, bool bone) {
  const auto node = index_member(entry, key, document.node_joints.size());
  if (!node.ok() || *node < 0) return -1;
  const int joint = document.node_joints[at(*node)];
  return joint >= 0 && (!bone || rig.skeleton[at(joint)].deforms) ? joint : -1;
}

double share_member(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return 0;
  return std::clamp(found->get<double>(), 0.0, 1.0);
}

bool read_helper(const GltfDocument& document, const Json& entry, Rig& rig) {
  const int joint = joint_of(document, rig, entry, "node", false),
            by = joint_of(document, rig, entry, "by", true);
  if (joint < 0 || by < 0 || !rig.skeleton[at(joint)].helper || rig.skeleton[at(joint)].parent < 0)
    return false;
  DrivenHelper helper{
      static_cast<std::uint32_t>(joint), static_cast<std::uint32_t>(rig.skeleton[at(joint)].parent), {}};
  helper.driver.joint = static_cast<std::uint32_t>(by);
  if (entry.contains("mixes")) {
    helper.driver.mixes.resize(6);
    const auto centre = number_list(entry, "centre", 3);
    if (!centre.ok() || centre->size() != 3 || !read_mix(entry, "mixes", helper.driver.mixes)) return false;
    helper.driver.centre = Vec3((*centre)[0], (*centre)[1], (*centre)[2]);
    if (!helper.driver.centre.allFinite()) return false;
  } else {
    helper.driver.swing = share_member(entry, "swing");
    helper.driver.twist = share_member(entry, "twist");
  }
  rig.drivers.helpers.push_back(std::move(helper));
  return true;
}

bool read_key(const GltfDocument& document, const Json& entry, Rig& rig) {
  const int by = joint_of(document, rig, entry, "by", true);
  const std::string name = string_member(entry, "key");
  const auto key =
      std::find_if(rig.keys.begin(), rig.keys.end(), [&](const ShapeKey& k) { return k.name == name; });
  DrivenKey driven;
  if (by < 0 || key == rig.keys.end() || !read_mix(entry, "mix", std::span(&driven.driver.mix, 1)))
    return false;
  driven.key = static_cast<std::uint32_t>(key - rig.keys.begin());
  driven.driver.joint = static_cast<std::uint32_t>(by);
  rig.drivers.keys.push_back(driven);
  return true;
}

}  // namespace

void read_drivers(GltfDocument& document, Rig& rig) {
  const Json* ours = &document.json;
  for (const char* key : {"extensions", "SINEW_rig", "drivers"})
    if (ours = object_member(*ours, key); !ours) return;
  bool whole = true;
  const auto read = [&](const char* key, auto&& one) {
    const auto list = object_list(*ours, key);
    if (!list.ok() || (*list)->size() > kMostDriven) {
      whole = false;
      return;
    }
    for (const Json& entry : **list) whole = one(document, entry, rig) && whole;
  };
  read("helpers", read_helper);
  read("keys", read_key);
  for (const auto& [key, value] :
       {std::pair("swing", &rig.drivers.range.swing), std::pair("twist", &rig.drivers.range.twist)})
    if (const auto found = ours->find(key); found != ours->end() && found->is_number())
      if (const double angle = found->get<double>(); angle >= 0 && angle <= 3.2) *value = angle;
  if (!whole)
    document.warnings.push_back(
        "extensions.SINEW_rig.drivers names joints or keys that do not exist: left out");
}

void put_drivers(Json& root, const Rig& rig, std::span<const int> joint_nodes) {
  Json helpers = Json::array(), keys = Json::array();
  const auto node_of = [&](std::uint32_t joint) {
    return joint < joint_nodes.size() ? joint_nodes[joint] : -1;
  };
  for (const DrivenHelper& helper : rig.drivers.helpers) {
    const int node = node_of(helper.joint), by = node_of(helper.driver.joint);
    if (node < 0 || by < 0) continue;
    Json entry = {{"node", node}, {"by", by}};
    if (helper.driver.mixes.empty()) {
      if (helper.driver.swing != 0) entry["swing"] = helper.driver.swing;
      if (helper.driver.twist != 0) entry["twist"] = helper.driver.twist;
    } else {
      const Vec3& c = helper.driver.centre;
      entry["centre"] = {c.x(), c.y(), c.z()};
      entry["mixes"] = Json::array();
      for (const TurnMix& mix : helper.driver.mixes)
        for (const float value : mix) entry["mixes"].push_back(value);
    }
    helpers.push_back(std::move(entry));
  }
  for (const DrivenKey& key : rig.drivers.keys)
    if (const int by = node_of(key.driver.joint); by >= 0)
      keys.push_back({{"key", rig.keys[key.key].name}, {"by", by}, {"mix", mix_json(key.driver.mix)}});
  Json drivers;
  if (!helpers.empty()) drivers["helpers"] = std::move(helpers);
  if (!keys.empty()) drivers["keys"] = std::move(keys);
  if (!drivers.is_null()) {
    drivers["swing"] = rig.drivers.range.swing;
    drivers["twist"] = rig.drivers.range.twist;
  }
  put_own_property(root, "drivers", std::move(drivers));
}

void put_certificate(Json& root, const std::string& certificate) {
  if (certificate.empty()) return;
  Json parsed = Json::parse(certificate, nullptr, false);
  if (!parsed.is_discarded()) ensure_object(root, "extras")["sinew_export"] = std::move(parsed);
}

}  // namespace sinew::gltf
