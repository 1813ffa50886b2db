// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_stack.h"

#include <cmath>
#include <optional>

#include "io/gltf_write_parts.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kMostEntries = 64;

std::optional<StackEntry> read_entry(const Json& json) {
  StackEntry entry{string_member(json, "step"), string_member(json, "mask"), {}};
  if (entry.step.empty() || entry.step.size() > kLongestName || entry.mask.size() > kLongestName)
    return std::nullopt;
  for (const auto& [name, value] : json.items()) {
    if (name == "step" || name == "mask" || name.size() > kLongestName) continue;
    if (value.is_boolean())
      entry.settings[name] = value.get<bool>();
    else if (value.is_number() && std::isfinite(value.get<double>()))
      entry.settings[name] = value.get<double>();
    else if (value.is_string() && value.get_ref<const std::string&>().size() <= kLongestName)
      entry.settings[name] = value.get<std::string>();
  }
  return entry;
}

}  // namespace

Stack read_stack(GltfDocument& document) {
  Stack stack;
  const Json* extensions = object_member(document.json, "extensions");
  const Json* ours = extensions ? object_member(*extensions, "SINEW_rig") : nullptr;
  if (!ours || !ours->contains("stack")) return stack;
  const auto list = object_list(*ours, "stack");
  bool odd = !list.ok() || (*list)->size() > kMostEntries;
  if (!odd)
    for (const Json& json : **list) {
      if (auto entry = read_entry(json))
        stack.push_back(*std::move(entry));
      else
        odd = true;
    }
  if (odd) document.notes.push_back("extensions.SINEW_rig.stack has entries that are none: left out");
  return stack;
}

void put_stack(Json& root, const Stack& stack) {
  Json list;
  for (const StackEntry& entry : stack) {
    Json json = {{"step", entry.step}};
    if (!entry.mask.empty()) json["mask"] = entry.mask;
    for (const auto& [name, value] : entry.settings)
      std::visit([&, &key = name](const auto& held) { json[key] = held; }, value);
    list.push_back(std::move(json));
  }
  put_own_property(root, "stack", std::move(list));
}

}  // namespace sinew::gltf
