// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/text.h"
#include "sinew/deform/cage.h"
#include "sinew/deform/mush.h"
#include "sinew/deform/remove.h"
#include "sinew/pipeline/keys.h"
#include "sinew/skeleton/bone_tree.h"

namespace sinew {
namespace {

constexpr std::string_view kMush = "+mush";

Inverse keys_inverse(const Rig& rig, const DeformRequest& request) {
  return rig.keys.empty() || request.key_space == "object" ? Inverse::kExact : Inverse::kIterative;
}

// Several cages, one on the result of the other.
class CageChain : public Deformer {
 public:
  explicit CageChain(std::vector<std::unique_ptr<Deformer>> cages, std::size_t vertices)
      : cages_(std::move(cages)), vertices_(vertices) {}

  struct Space : Workspace {
    std::vector<std::unique_ptr<Workspace>> inner;
    std::vector<Vec3f> positions, normals;
  };

  std::unique_ptr<Workspace> make_workspace() const override {
    auto space = std::make_unique<Space>();
    for (const auto& cage : cages_) space->inner.push_back(cage->make_workspace());
    space->positions.resize(vertices_);
    space->normals.resize(vertices_);
    return space;
  }

  void deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
              std::span<Vec3f> out_normals) const noexcept override {
    auto& space = static_cast<Space&>(workspace);
    FrameInput now = input;
    for (std::size_t c = 0; c < cages_.size(); ++c) {
      cages_[c]->deform(now, *space.inner[c], out_positions, out_normals);
      if (c + 1 == cages_.size()) break;
      std::copy(out_positions.begin(), out_positions.end(), space.positions.begin());
      std::copy(out_normals.begin(), out_normals.end(), space.normals.begin());
      now.positions = space.positions;
      if (!out_normals.empty()) now.normals = space.normals;
    }
  }

 private:
  std::vector<std::unique_ptr<Deformer>> cages_;
  std::size_t vertices_;
};

Result<std::unique_ptr<Deformer>> cage_step(const Rig& rig, const DeformRequest& request) {
  std::vector<std::unique_ptr<Deformer>> cages;
  for (const auto& moved : request.moved_cages)
    if (std::none_of(rig.cages.begin(), rig.cages.end(),
                     [&](const Cage& c) { return c.name == moved.first; }))
      return usage_error(fmt::format("there is no cage '{}'", printable(moved.first)));
  for (const Cage& cage : rig.cages) {
    if (request.live) {
      const auto c = static_cast<std::size_t>(&cage - rig.cages.data());
      SINEW_TRY(cages.emplace_back(), build_live_cage(rig, cage, request.live->cages[c]));
      continue;
    }
    std::span<const Vec3> places;
    for (const auto& [name, moved] : request.moved_cages)
      if (name == cage.name) places = moved;
    SINEW_TRY(cages.emplace_back(), build_cage(rig, cage, places));
  }
  if (cages.empty()) return std::unique_ptr<Deformer>();
  return std::unique_ptr<Deformer>(std::make_unique<CageChain>(std::move(cages), rig.mesh.vertex_count()));
}

// Where a cage that the skeleton moves carries the mesh, the skeleton itself must not move it again.
std::vector<float> outside_skinned_cages(const Rig& rig) {
  std::vector<float> mask;
  for (const Cage& cage : rig.cages) {
    if (cage.weights.vertex_count() == 0) continue;
    mask.resize(rig.mesh.vertex_count(), 1.0f);
    for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = std::min(mask[i], 1 - cage.masks[i]);
  }
  return mask;
}

Result<std::unique_ptr<Deformer>> skeleton_step(const Rig& rig, const DeformRequest& request) {
  DeformRequest inner = request;
  if (inner.deformer.ends_with(kMush)) inner.deformer.resize(inner.deformer.size() - kMush.size());
  return build_deformer(rig, inner);
}

Result<std::unique_ptr<Deformer>> mush_step(const Rig& rig, const DeformRequest& request) {
  return build_mush(rig, nullptr, {.passes = request.mush_passes, .step = request.mush_step});
}

// A stored row adds the same wherever the vertex is; a lookup does not.
Inverse cage_inverse(const Rig& rig, const DeformRequest&) {
  return std::any_of(rig.cages.begin(), rig.cages.end(), [](const Cage& cage) { return cage.dynamic; })
             ? Inverse::kIterative
             : Inverse::kExact;
}

Inverse skeleton_inverse(const Rig&, const DeformRequest& request) {
  std::string_view name = request.deformer;
  if (name.ends_with(kMush)) name.remove_suffix(kMush.size());
  return deformer_inverse(name);
}

Inverse solved_inverse(const Rig&, const DeformRequest&) {
  return Inverse::kIterative;
}

Result<std::unique_ptr<Deformer>> remove_rotation_step(const Rig& rig, const DeformRequest&) {
  return build_remove(rig, nullptr, Removed::kRotation);
}

Result<std::unique_ptr<Deformer>> remove_scale_step(const Rig& rig, const DeformRequest&) {
  return build_remove(rig, nullptr, Removed::kScale);
}

const std::vector<StackStep>& steps() {
  static const std::vector<StackStep> table = {
      {"keys", "shape keys, by --key-space", {"space", "place"}, build_key_step, keys_inverse},
      {"cage",
       "the cages of the rig; where the skeleton moves one it moves nothing else",
       {},
       cage_step,
       cage_inverse},
      {"skeleton",
       "a deformer that follows the joints",
       {"deformer", "mix", "blend", "fast_twist", "segments", "ease", "amount", "place", "springs"},
       skeleton_step,
       skeleton_inverse},
      {"remove-rotation", "triangles keep their stretch alone", {}, remove_rotation_step, solved_inverse},
      {"remove-scale", "triangles keep their rotation alone", {}, remove_scale_step, solved_inverse},
      {"mush", "delta mush", {"passes", "step_size"}, mush_step, solved_inverse},
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

// Puts a step right behind the skeleton's, where the stack has none of that name.
void put_behind_skeleton(Stack& stack, std::string_view step) {
  if (find_entry(stack, step)) return;
  auto place = stack.begin();
  while (place != stack.end() && place->step != "skeleton") ++place;
  stack.insert(place == stack.end() ? place : place + 1, {std::string(step), "", {}});
}

// Keys straight before differential skinning are part of its solve.
bool solves_keys(const Rig& rig, const Stack& stack, const DeformRequest& request) {
  if (rig.keys.empty() || request.key_space != "differential") return false;
  if (request.deformer != "differential" && request.deformer != "differential+mush") return false;
  for (std::size_t k = 0; k + 1 < stack.size(); ++k)
    if (stack[k].step == "keys" && stack[k].mask.empty() && stack[k + 1].step == "skeleton") return k == 0;
  return false;
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
  if (stack.empty()) {
    stack = {{"keys", "", {}}, {"skeleton", "", {}}};
    if (!rig.cages.empty()) stack.insert(stack.begin() + 1, {"cage", "", {}});
  }
  if (request.deformer.starts_with("cage") && !find_entry(stack, "cage")) {
    auto place = stack.begin();
    while (place != stack.end() && place->step != "skeleton") ++place;
    stack.insert(place, {"cage", "", {}});
  }
  if (request.deformer.ends_with(kMush)) put_behind_skeleton(stack, "mush");
  if (!request.remove.empty()) put_behind_skeleton(stack, "remove-" + request.remove);
  return stack;
}

Inverse step_inverse(const Rig& rig, const StackEntry& entry, const DeformRequest& request) {
  const StackStep* step = find_step(entry.step);
  return step && step->inverse ? step->inverse(rig, request) : Inverse::kNone;
}

DeformRequest stored_request(const Rig& rig) {
  DeformRequest request;
  Stack stack = rig.stack;
  if (const StackEntry* entry = find_entry(stack, "keys")) {
    request.key_space = entry->word("space", request.key_space);
    request.place = entry->word("place", request.place);
  }
  if (const StackEntry* entry = find_entry(stack, "skeleton")) {
    request.place = entry->word("place", request.place);
    request.springs = entry->number("springs", request.springs);
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
  if (StackEntry* entry = find_entry(stack, "keys")) {
    put(*entry, "space", request.key_space, usual.key_space);
    put(*entry, "place", request.place, usual.place);
  }
  if (StackEntry* entry = find_entry(stack, "skeleton")) {
    put(*entry, "place", request.place, usual.place);
    put(*entry, "springs", request.springs, usual.springs);
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
  if (!request.remove.empty() && request.remove != "rotation" && request.remove != "scale")
    return usage_error(fmt::format("--remove is '{}': give rotation or scale", printable(request.remove)));
  std::vector<BuiltStep> built;
  Stack stack = stack_of(rig, request);
  DeformRequest wanted = request;
  wanted.solve_keys = solves_keys(rig, stack, request);
  const bool caged = find_entry(stack, "cage") != nullptr;
  for (const StackEntry& entry : stack) {
    const StackStep* step = find_step(entry.step);
    if (!step) return no_step(entry.step);
    if (wanted.solve_keys && entry.step == "keys") continue;
    BuiltStep one;
    SINEW_TRY(one.deformer, step->build(rig, wanted));
    if (!one.deformer) continue;
    SINEW_TRY(one.mask, mask_weights(rig, entry.mask));
    if (entry.step == "skeleton" && entry.mask.empty() && caged) one.mask = outside_skinned_cages(rig);
    one.workspace = one.deformer->make_workspace();
    built.push_back(std::move(one));
  }
  return built;
}

}  // namespace sinew
