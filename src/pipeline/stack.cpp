// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/text.h"
#include "sinew/deform/keys.h"
#include "sinew/deform/mush.h"
#include "sinew/skeleton/bone_tree.h"

namespace sinew {
namespace {

constexpr std::string_view kMush = "+mush";

Result<std::unique_ptr<Deformer>> keys_step(const Rig& rig, const DeformRequest&) {
  if (rig.keys.empty()) return std::unique_ptr<Deformer>();
  return build_keys(rig);
}

Result<std::unique_ptr<Deformer>> skeleton_step(const Rig& rig, const DeformRequest& request) {
  DeformRequest inner = request;
  if (inner.deformer.ends_with(kMush)) inner.deformer.resize(inner.deformer.size() - kMush.size());
  return build_deformer(rig, inner);
}

Result<std::unique_ptr<Deformer>> mush_step(const Rig& rig, const DeformRequest& request) {
  return build_mush(rig, nullptr, {.passes = request.mush_passes, .step = request.mush_step});
}

const std::vector<StackStep>& steps() {
  static const std::vector<StackStep> table = {
      {"keys", "shape keys", {}, keys_step},
      {"skeleton",
       "a deformer that follows the joints",
       {"deformer", "mix", "blend", "fast_twist", "segments", "ease", "amount"},
       skeleton_step},
      {"mush", "delta mush", {"passes", "step_size"}, mush_step},
  };
  return table;
}

const StackStep* find_step(std::string_view name) {
  for (const StackStep& step : steps())
    if (step.name == name) return &step;
  return nullptr;
}

Error no_step(std::string_view name) {
  return usage_error(
      fmt::format("a stack has no step '{}': choose from {}", printable(name), stack_step_names()));
}

StackEntry* find_entry(Stack& stack, std::string_view step) {
  const auto found =
      std::find_if(stack.begin(), stack.end(), [&](const StackEntry& entry) { return entry.step == step; });
  return found == stack.end() ? nullptr : &*found;
}

// Puts a setting into an entry, or takes it out where it says what holds without it.
void put(StackEntry& entry, const char* name, Setting value, const Setting& usual) {
  if (value == usual)
    entry.settings.erase(name);
  else
    entry.settings[name] = std::move(value);
}

// Weights of a joint and all below it, summed.
Result<std::vector<float>> weights_below(const Rig& rig, std::string_view name) {
  const auto joint = rig.skeleton.find(name);
  if (!joint) return usage_error(fmt::format("--mask: there is no joint '{}'", printable(name)));
  std::vector<bool> below(rig.skeleton.size());
  for (const std::uint32_t j : rig.skeleton.order()) {
    const int parent = rig.skeleton[j].parent;
    below[j] = j == *joint || (parent >= 0 && below[static_cast<std::size_t>(parent)]);
  }
  std::vector<float> sums(rig.mesh.vertex_count(), 0.0f);
  for (std::size_t i = 0; i < rig.weights.vertex_count(); ++i)
    for (const Influence& influence : rig.weights.row(i))
      if (below[influence.joint]) sums[i] += static_cast<float>(influence.weight);
  return sums;
}

}  // namespace

std::span<const StackStep> stack_steps() {
  return steps();
}

std::string stack_step_names() {
  std::string names;
  for (const StackStep& step : steps()) names += (names.empty() ? "" : ", ") + std::string(step.name);
  return names;
}

Stack stack_of(const Rig& rig, const DeformRequest& request) {
  Stack stack = rig.stack;
  if (stack.empty()) stack = {{"keys", "", {}}, {"skeleton", "", {}}};
  if (request.deformer.ends_with(kMush) && !find_entry(stack, "mush")) {
    auto place = stack.begin();
    while (place != stack.end() && place->step != "skeleton") ++place;
    stack.insert(place == stack.end() ? place : place + 1, {"mush", "", {}});
  }
  return stack;
}

DeformRequest stored_request(const Rig& rig) {
  DeformRequest request;
  Stack stack = rig.stack;
  if (const StackEntry* entry = find_entry(stack, "skeleton")) {
    request.deformer = entry->word("deformer", request.deformer);
    request.mix = entry->number("mix", request.mix);
    request.blend = entry->word("blend", request.blend);
    request.fast_twist = entry->flag("fast_twist", request.fast_twist);
    request.segments = static_cast<int>(std::clamp(entry->number("segments", request.segments), -1e6, 1e6));
    request.ease = entry->number("ease", request.ease);
    request.amount = entry->number("amount", request.amount);
  }
  if (const StackEntry* entry = find_entry(stack, "mush")) {
    request.mush_passes =
        static_cast<int>(std::clamp(entry->number("passes", request.mush_passes), -1e6, 1e6));
    request.mush_step = entry->number("step_size", request.mush_step);
  }
  return request;
}

void store_request(const DeformRequest& request, Stack& stack) {
  const DeformRequest usual;
  if (StackEntry* entry = find_entry(stack, "skeleton")) {
    std::string name = request.deformer;
    if (name.ends_with(kMush)) name.resize(name.size() - kMush.size());
    put(*entry, "deformer", name, usual.deformer);
    put(*entry, "mix", request.mix, usual.mix);
    put(*entry, "blend", request.blend, usual.blend);
    put(*entry, "fast_twist", request.fast_twist, usual.fast_twist);
    put(*entry, "segments", double(request.segments), double(usual.segments));
    put(*entry, "ease", request.ease, usual.ease);
    put(*entry, "amount", request.amount, usual.amount);
  }
  if (StackEntry* entry = find_entry(stack, "mush")) {
    put(*entry, "passes", double(request.mush_passes), double(usual.mush_passes));
    put(*entry, "step_size", request.mush_step, usual.mush_step);
  }
}

Result<Stack> reorder(const Stack& stack, std::string_view order) {
  Stack result, before = stack;
  for (std::size_t begin = 0; begin <= order.size();) {
    const std::size_t end = std::min(order.find(',', begin), order.size());
    const std::string_view name = order.substr(begin, end - begin);
    begin = end + 1;
    if (!find_step(name)) return no_step(name);
    if (find_entry(result, name))
      return usage_error(fmt::format("--order names {} twice: a step runs once", name));
    const StackEntry* kept = find_entry(before, name);
    result.push_back(kept ? *kept : StackEntry{std::string(name), "", {}});
  }
  return result;
}

Result<std::vector<float>> mask_weights(const Rig& rig, std::string_view mask) {
  if (mask.empty()) return std::vector<float>();
  const bool inverted = mask.starts_with('!');
  if (inverted) mask.remove_prefix(1);
  std::vector<float> values;
  constexpr std::string_view kBelow = "below:";
  if (mask.starts_with(kBelow)) {
    SINEW_TRY(values, weights_below(rig, mask.substr(kBelow.size())));
  } else if (const VertexAttribute* attribute = rig.attribute(mask)) {
    values = attribute->values;
  } else {
    std::string names;
    for (const VertexAttribute& one : rig.attributes)
      names += (names.empty() ? "" : ", ") + printable(one.name);
    return usage_error(
        fmt::format("--mask: the mesh has no attribute '{}' (it has {}); below:JOINT takes the weights of a "
                    "joint",
                    printable(mask), names.empty() ? "none" : names));
  }
  for (float& value : values) {
    value = std::isnan(value) ? 1.0f : std::clamp(value, 0.0f, 1.0f);
    if (inverted) value = 1 - value;
  }
  return values;
}

Result<std::vector<BuiltStep>> build_stack(const Rig& rig, const DeformRequest& request) {
  std::vector<BuiltStep> built;
  for (const StackEntry& entry : stack_of(rig, request)) {
    const StackStep* step = find_step(entry.step);
    if (!step) return no_step(entry.step);
    BuiltStep one;
    SINEW_TRY(one.deformer, step->build(rig, request));
    if (!one.deformer) continue;
    SINEW_TRY(one.mask, mask_weights(rig, entry.mask));
    one.workspace = one.deformer->make_workspace();
    built.push_back(std::move(one));
  }
  return built;
}

}  // namespace sinew
