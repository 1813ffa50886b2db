// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_stack.h"

#include <cmath>
#include <optional>

#include "io/gltf_write_parts.h"
#include "sinew/io/stack_json.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kMostEntries = 64;
constexpr std::size_t kMostNames = 65536;  // of joints that a setting names

bool is_short(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().size() <= kLongestName;
}

bool is_finite(const Json& value) {
  return value.is_number() && std::isfinite(value.get<double>());
}

// A number, a word, true or false, or one of the first two for each of several names.
std::optional<Setting> read_setting(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (is_finite(value)) return value.get<double>();
  if (is_short(value)) return value.get<std::string>();
  if (!value.is_object() || value.empty() || value.size() > kMostNames) return std::nullopt;
  NamedNumbers numbers;
  NamedWords words;
  for (const auto& [name, one] : value.items()) {
    if (name.size() > kLongestName) return std::nullopt;
    if (is_finite(one))
      numbers[name] = one.get<double>();
    else if (is_short(one))
      words[name] = one.get<std::string>();
  }
  if (numbers.size() == value.size()) return numbers;
  if (words.size() == value.size()) return words;
  return std::nullopt;
}

std::optional<StackEntry> read_entry(const Json& json) {
  StackEntry entry{string_member(json, "step"), string_member(json, "mask"), {}};
  if (entry.step.empty() || entry.step.size() > kLongestName || entry.mask.size() > kLongestName)
    return std::nullopt;
  for (const auto& [name, value] : json.items()) {
    if (name == "step" || name == "mask" || name.size() > kLongestName) continue;
    if (std::optional<Setting> setting = read_setting(value)) entry.settings[name] = *std::move(setting);
  }
  if (const std::string deformer = entry.word("deformer", ""); !deformer.empty())
    entry.settings["deformer"] = current_deformer_name(deformer);
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
  if (odd) document.warnings.push_back("extensions.SINEW_rig.stack has unknown entries: left out");
  return stack;
}

void put_stack(Json& root, const Stack& stack) {
  Json list;
  for (const auto& entry : to_json(stack)) list.push_back(Json(entry));
  put_own_property(root, "stack", std::move(list));
}

}  // namespace sinew::gltf

namespace sinew {
namespace {

bool is_whole(double number) {
  return std::abs(number) < 1e15 && number == std::floor(number);
}

}  // namespace

nlohmann::ordered_json to_json(const Stack& stack) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const StackEntry& entry : stack) {
    nlohmann::ordered_json json = {{"step", entry.step}};
    if (!entry.mask.empty()) json["mask"] = entry.mask;
    for (const auto& [name, value] : entry.settings)
      if (const double* number = std::get_if<double>(&value); number && is_whole(*number))
        json[name] = static_cast<std::int64_t>(*number);
      else
        std::visit([&, &key = name](const auto& held) { json[key] = held; }, value);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace sinew
