// SPDX-License-Identifier: Apache-2.0
#include "sinew/player/stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "player/arap_step.h"
#include "player/key_step.h"
#include "player/subdivide_step.h"
#include "sinew/core/text.h"
#include "sinew/deform/cage.h"
#include "sinew/deform/mush.h"
#include "sinew/deform/poisson.h"
#include "sinew/deform/remove.h"
#include "sinew/rig/copies.h"
#include "sinew/skeleton/joint_hint.h"

namespace sinew {
namespace {

using Built = Result<std::unique_ptr<Deformer>>;

constexpr std::string_view kMush = "+mush";

// Several cages, one on the result of the other.
class CageChain : public Deformer {
 public:
  CageChain(std::vector<std::unique_ptr<Deformer>> cages, std::vector<std::size_t> indices,
            std::size_t vertices)
      : cages_(std::move(cages)), indices_(std::move(indices)), vertices_(vertices) {}

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

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    auto& space = static_cast<Space&>(workspace);
    FrameInput now = input;
    for (std::size_t c = 0; c < cages_.size(); ++c) {
      const bool moved = input.controls && indices_[c] < input.controls->cages.size();
      now.cage_points =
          moved ? std::span<const Vec3>(input.controls->cages[indices_[c]]) : std::span<const Vec3>();
      const Status status = cages_[c]->deform(now, *space.inner[c], out_positions, out_normals);
      if (status != Status::kOk) return status;
      if (c + 1 == cages_.size()) break;
      std::copy(out_positions.begin(), out_positions.end(), space.positions.begin());
      std::copy(out_normals.begin(), out_normals.end(), space.normals.begin());
      now.positions = space.positions;
      if (!out_normals.empty()) now.normals = space.normals;
    }
    return Status::kOk;
  }

 private:
  std::vector<std::unique_ptr<Deformer>> cages_;
  std::vector<std::size_t> indices_;  // of each among the rig's cages
  std::size_t vertices_;
};

Built cage_step(const Rig& rig, const StackEntry&, const DeformerData&) {
  std::vector<std::unique_ptr<Deformer>> cages;
  std::vector<std::size_t> indices;
  for (std::size_t c = 0; c < rig.cages.size(); ++c) {
    if (is_skinned(rig.cages[c])) continue;  // runs beside the skeleton
    SINEW_TRY(cages.emplace_back(), build_cage(rig, rig.cages[c]));
    indices.push_back(c);
  }
  if (cages.empty()) return std::unique_ptr<Deformer>();
  return std::unique_ptr<Deformer>(
      std::make_unique<CageChain>(std::move(cages), std::move(indices), rig.mesh.vertex_count()));
}

Built key_step(const Rig& rig, const StackEntry& entry, const DeformerData&) {
  SINEW_TRY(const KeySettings settings, read_settings<KeySettings>(kKeySettings, entry.settings));
  return build_key_step(rig, settings);
}

// Files before the first version, and users, may write the mush behind the name.
std::string skeleton_deformer(const StackEntry& entry) {
  std::string name = entry.word("deformer", "lbs");
  if (name.ends_with(kMush)) name.resize(name.size() - kMush.size());
  return name;
}

Built skeleton_step(const Rig& rig, const StackEntry& entry, const DeformerData& data) {
  return build_deformer(rig, skeleton_deformer(entry), entry.settings, data);
}

constexpr std::array kMushSettings = {
    setting<&MushOptions::passes>("passes", "smoothing iterations", 0, 1000).as("mush-passes"),
    setting<&MushOptions::step>("step_size", "step size of a smoothing iteration", 0, 1).as("mush-step")};

Built mush_step(const Rig& rig, const StackEntry& entry, const DeformerData&) {
  SINEW_TRY(const MushOptions options, read_settings<MushOptions>(kMushSettings, entry.settings));
  return build_mush(rig, nullptr, options);
}

Built remove_rotation_step(const Rig& rig, const StackEntry&, const DeformerData&) {
  return build_remove(rig, nullptr, Removed::kRotation);
}

Built remove_scale_step(const Rig& rig, const StackEntry&, const DeformerData&) {
  return build_remove(rig, nullptr, Removed::kScale);
}

// Moves nothing: RigDeformer subdivides what the last step left.
Built subdivide_step(const Rig&, const StackEntry&, const DeformerData&) {
  return std::unique_ptr<Deformer>();
}

Built arap_step(const Rig& rig, const StackEntry& entry, const DeformerData& data) {
  return build_arap_step(rig, entry.settings, data);
}

Inverse no_inverse(const Rig&, const StackEntry&) {
  return Inverse::kNone;
}

Inverse keys_inverse(const Rig& rig, const StackEntry& entry) {
  return rig.keys.empty() || entry.word("space", "object") == "object" ? Inverse::kExact
                                                                       : Inverse::kIterative;
}

// A stored row adds the same wherever the vertex is; a lookup does not.
Inverse cages_inverse(const Rig& rig, bool skinned) {
  const bool looked_up = std::any_of(rig.cages.begin(), rig.cages.end(), [&](const Cage& cage) {
    return cage.dynamic && is_skinned(cage) == skinned;
  });
  return looked_up ? Inverse::kPointwise : Inverse::kExact;
}

Inverse cage_inverse(const Rig& rig, const StackEntry&) {
  return cages_inverse(rig, false);
}

Inverse skeleton_inverse(const Rig& rig, const StackEntry& entry) {
  const auto method = find_deformer(skeleton_deformer(entry));
  return method ? std::max((*method)->inverse, cages_inverse(rig, true)) : Inverse::kNone;
}

Inverse solved_inverse(const Rig&, const StackEntry&) {
  return Inverse::kIterative;
}

template <class Options>
Setting usual_setting(const Descriptor& descriptor) {
  return default_of<Options>(descriptor);
}

constexpr std::array kSteps = {
    StackStep{"keys", "shape keys", kKeySettings, usual_setting<KeySettings>, key_step, keys_inverse},
    StackStep{"cage",
              "the cages of the rig; those that the skeleton moves run beside it",
              {},
              nullptr,
              cage_step,
              cage_inverse},
    StackStep{"skeleton", "a deformer that follows the joints", {}, nullptr, skeleton_step, skeleton_inverse},
    StackStep{"remove-rotation",
              "keep only the stretch of triangles",
              {},
              nullptr,
              remove_rotation_step,
              solved_inverse},
    StackStep{"remove-scale",
              "keep only the rotation of triangles",
              {},
              nullptr,
              remove_scale_step,
              solved_inverse},
    StackStep{"mush", "delta mush", kMushSettings, usual_setting<MushOptions>, mush_step, solved_inverse},
    StackStep{"arap", "as rigid as possible on top of all earlier steps, constrained by vertices or joints",
              kArapStepSettings, usual_setting<ArapSettings>, arap_step, no_inverse},
    StackStep{kSubdivide, "Catmull-Clark subdivision, at the end", kSubdivideSettings,
              usual_setting<SubdivideSettings>, subdivide_step, no_inverse},
};

const StackStep* find_step(std::string_view name) {
  for (const StackStep& step : kSteps)
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

Stack::iterator skeleton_place(Stack& stack) {
  return std::find_if(stack.begin(), stack.end(),
                      [](const StackEntry& entry) { return entry.step == "skeleton"; });
}

// Puts a step right behind the skeleton's, where the stack has none of that name.
void put_behind_skeleton(Stack& stack, std::string_view step) {
  if (find_entry(stack, step)) return;
  const auto place = skeleton_place(stack);
  stack.insert(place == stack.end() ? end_of_moves(stack) : place + 1, {std::string(step), "", {}});
}

// Puts a setting into an entry, or takes it out where it says what holds without it.
void put(StackEntry& entry, std::string_view name, const Setting& value, const Setting& usual) {
  if (value == usual)
    entry.settings.erase(std::string(name));
  else
    entry.settings[std::string(name)] = value;
}

// The one place that knows what "curve+mush" means.
Result<void> set_deformer(Stack& stack, std::string_view name) {
  const bool mush = name.ends_with(kMush);
  if (mush) name.remove_suffix(kMush.size());
  SINEW_TRY(const DeformerMethod* method, find_deformer(name));
  if (!find_entry(stack, "skeleton")) stack.insert(end_of_moves(stack), {"skeleton", "", {}});
  put(*find_entry(stack, "skeleton"), "deformer", std::string(method->name), std::string("lbs"));
  if (name == "cage" && !find_entry(stack, "cage")) stack.insert(skeleton_place(stack), {"cage", "", {}});
  if (mush) put_behind_skeleton(stack, "mush");
  return {};
}

// Keys straight before differential skinning, first of all, are part of its solve.
bool solves_keys(const Rig& rig, const Stack& stack) {
  return !rig.keys.empty() && stack.size() > 1 && stack[0].step == "keys" && stack[1].step == "skeleton" &&
         stack[0].mask.empty() && stack[0].word("only", "").empty() &&
         stack[0].word("space", "object") == "differential" && skeleton_deformer(stack[1]) == "differential";
}

// Says where components go with the body although nobody has asked for it.
Result<void> note_seats(const Rig& rig, const StackEntry& entry, std::vector<std::string>& warnings) {
  if (entry.step != "skeleton" || skeleton_deformer(entry) != "differential" ||
      entry.word("place", "auto") != "auto")
    return {};
  PoissonOptions options;
  options.edges = rig.loose_edges;
  options.copies = copies_of(rig);
  options.placement = Placement::kAuto;
  SINEW_TRY(const std::size_t seats, PoissonSurface::count_seats(rig.mesh, options));
  if (seats == 0) return {};
  warnings.push_back(
      fmt::format("{} of the mesh {} inside its largest one and {} with it, as with place body; place own "
                  "moves each separately",
                  seats == 1 ? "1 component" : fmt::format("{} components", seats),
                  seats == 1 ? "lies" : "lie", seats == 1 ? "goes" : "go"));
  return {};
}

// Weights of a joint and all below it, summed.
Result<std::vector<float>> weights_below(const Rig& rig, std::string_view name) {
  const auto joint = rig.skeleton.find(name);
  if (!joint)
    return parameter_error("mask", fmt::format("names '{}': there is no such joint{}", printable(name),
                                               joint_hint(rig.skeleton, name)));
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
  return kSteps;
}

std::string stack_step_names() {
  std::string names;
  for (const StackStep& step : kSteps) names += (names.empty() ? "" : ", ") + std::string(step.name);
  return names;
}

Stack stack_of(const Rig& rig) {
  if (!rig.stack.empty()) return rig.stack;
  Stack stack = {{"keys", "", {}}, {"skeleton", "", {}}};
  if (!rig.flesh.empty()) stack.back().settings["deformer"] = std::string("flesh");
  if (!rig.cages.empty()) stack.insert(stack.begin() + 1, {"cage", "", {}});
  return stack;
}

Result<Stack> stack_with(const Rig& rig, std::string_view deformer, const Settings& options) {
  Stack stack = stack_of(rig);
  if (!deformer.empty()) SINEW_CHECK(set_deformer(stack, deformer));
  for (const auto& [name, value] : options) {
    SINEW_CHECK(set_option(stack, name, value));
    SINEW_CHECK(check_names(rig, name, value));
  }
  return stack;
}

std::string deformer_of(const Stack& stack) {
  for (std::size_t k = 0; k < stack.size(); ++k)
    if (stack[k].step == "skeleton")
      return skeleton_deformer(stack[k]) +
             std::string(k + 1 < stack.size() && stack[k + 1].step == "mush" ? kMush : "");
  return "lbs";
}

std::span<const StackOption> stack_options() {
  static const std::vector<StackOption> all = [] {
    std::vector<StackOption> options;
    Descriptor deformer{"deformer", "deformer", "how the mesh follows the skeleton", Descriptor::Kind::kWord};
    Descriptor remove{"remove", "remove", "what to remove from the result of the deformer",
                      Descriptor::Kind::kWord};
    remove.words = "rotation|scale";
    options.push_back({deformer, {{"skeleton", std::string("lbs")}}});
    options.push_back({remove, {{"skeleton", std::string()}}});
    const auto add = [&](const Descriptor& descriptor, const Setting& usual, std::string_view owner) {
      for (StackOption& known : options)
        if (known.descriptor.option == descriptor.option) {
          known.owners.emplace_back(owner, usual);
          return;
        }
      options.push_back({descriptor, {{owner, usual}}});
    };
    for (const DeformerMethod& method : deformer_methods())
      for (const Descriptor& one : method.settings) add(one, method.usual(one), method.name);
    for (const StackStep& step : kSteps)
      for (const Descriptor& one : step.settings) add(one, step.usual(one), step.name);
    return options;
  }();
  return all;
}

Result<const StackOption*> find_stack_option(std::string_view option) {
  for (const StackOption& known : stack_options())
    if (known.descriptor.option == option) return &known;
  return usage_error(fmt::format("there is no setting '{}'", printable(option)));
}

Result<void> set_option(Stack& stack, std::string_view option, const Setting& value) {
  SINEW_TRY(const StackOption* known, find_stack_option(option));
  SINEW_CHECK(check_setting(known->descriptor, value));
  if (option == "deformer") return set_deformer(stack, std::get<std::string>(value));
  if (option == "remove") {
    put_behind_skeleton(stack, "remove-" + std::get<std::string>(value));
    return {};
  }
  if (option == kSubdivide) {
    set_subdivision(stack, static_cast<int>(std::get<double>(value)));
    return {};
  }
  for (StackEntry& entry : stack) {
    const StackStep* step = find_step(entry.step);
    if (!step) continue;
    // The step's own, or, for the skeleton's, those of every deformer: what is stored waits for its deformer.
    for (const Descriptor& one : step->settings)
      if (one.option == option) put(entry, one.name, value, step->usual(one));
    if (entry.step != "skeleton") continue;
    // Where deformers differ in what is usual, the value stays, whichever of them it is usual for.
    bool read = false, usual = true;
    for (const DeformerMethod& method : deformer_methods())
      for (const Descriptor& one : method.settings)
        if (one.option == option) {
          read = true;
          usual = usual && method.usual(one) == value;
        }
    if (read && usual)
      entry.settings.erase(std::string(known->descriptor.name));
    else if (read)
      entry.settings[std::string(known->descriptor.name)] = value;
  }
  return {};
}

Setting get_option(const Stack& stack, const StackOption& option) {
  if (option.descriptor.option == "deformer") return deformer_of(stack);
  if (option.descriptor.option == kSubdivide) return static_cast<double>(subdivision_levels(stack));
  const auto usual = [&](std::string_view owner) -> const Setting* {
    for (const auto& [name, value] : option.owners)
      if (name == owner) return &value;
    return nullptr;
  };
  for (const StackEntry& entry : stack) {
    const bool skeleton = entry.step == "skeleton";
    const Setting* own = usual(skeleton ? skeleton_deformer(entry) : entry.step);
    if (!own && !(skeleton && !find_step(option.owners.front().first))) continue;
    const auto held = entry.settings.find(option.descriptor.name);
    if (held != entry.settings.end() && check_setting(option.descriptor, held->second)) return held->second;
    if (own) return *own;
  }
  return option.owners.front().second;
}

Inverse step_inverse(const Rig& rig, const StackEntry& entry) {
  const StackStep* step = find_step(entry.step);
  return step ? step->inverse(rig, entry) : Inverse::kNone;
}

Result<DeformerNeeds> needs_of(const Stack& stack) {
  DeformerNeeds needs;
  for (const StackEntry& entry : stack) {
    if (entry.step != "skeleton") continue;
    SINEW_TRY(const DeformerMethod* method, find_deformer(skeleton_deformer(entry)));
    if (method->needs) SINEW_CHECK(method->needs(entry.settings, needs));
  }
  return needs;
}

Result<Stack> reorder(const Stack& stack, std::string_view order) {
  Stack result, left = stack;  // entries that were taken have no name any more
  for (std::size_t begin = 0; begin <= order.size();) {
    const std::size_t end = std::min(order.find(',', begin), order.size());
    const std::string_view name = order.substr(begin, end - begin);
    begin = end + 1;
    if (!find_step(name)) return no_step(name);
    if (!result.empty() && result.back().step == kSubdivide)
      return parameter_error("order",
                             fmt::format("names {} behind subdivide, which must be the last step", name));
    StackEntry* kept = find_entry(left, name);
    result.push_back(kept ? *kept : StackEntry{std::string(name), "", {}});
    if (kept) kept->step.clear();
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
    return parameter_error(
        "mask", fmt::format("names '{}': the mesh has no such attribute (it has {}); below:JOINT takes the "
                            "weights of a joint",
                            printable(mask), names.empty() ? "none" : names));
  }
  for (float& value : values) {
    value = std::isnan(value) ? 1.0f : std::clamp(value, 0.0f, 1.0f);
    if (inverted) value = 1 - value;
  }
  return values;
}

Result<std::vector<BuiltStep>> build_stack(const Rig& rig, const Stack& wanted, const DeformerData& data,
                                           std::vector<std::string>* skipped) {
  SINEW_TRY(const Stack stack, usable_stack(rig, wanted, skipped));
  std::vector<BuiltStep> built;
  DeformerData given = data;
  const bool solved = solves_keys(rig, stack);
  const bool caged =
      std::any_of(stack.begin(), stack.end(), [](const StackEntry& entry) { return entry.step == "cage"; }) &&
      std::any_of(rig.cages.begin(), rig.cages.end(), is_skinned);
  for (std::size_t k = solved ? 1 : 0; k < stack.size(); ++k) {
    const StackEntry& entry = stack[k];
    const StackStep* step = find_step(entry.step);
    if (!step) return no_step(entry.step);
    given.solve_keys = solved && k == 1;
    BuiltStep one;
    SINEW_TRY(std::unique_ptr<Deformer> deformer, step->build(rig, entry, given));
    if (!deformer) continue;
    if (entry.step == "skeleton" && caged) {
      SINEW_TRY(deformer, build_skinned_cages(rig, std::move(deformer)));
    }
    if (skipped && !given.solve_keys) SINEW_CHECK(note_seats(rig, entry, *skipped));
    one.deformer = std::move(deformer);
    SINEW_TRY(one.mask, mask_weights(rig, entry.mask));
    built.push_back(std::move(one));
  }
  return built;
}

}  // namespace sinew
