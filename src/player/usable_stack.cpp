// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>
#include <variant>

#include "player/key_step.h"
#include "player/subdivide_step.h"
#include "sinew/core/text.h"
#include "sinew/player/stack.h"
#include "sinew/skeleton/joint_hint.h"

namespace sinew {
namespace {

constexpr std::string_view kBelowJoint = "below:";

// The joint that a mask names and the rig does not have; empty: none.
std::string_view missing_joint(const Rig& rig, std::string_view mask) {
  if (mask.starts_with('!')) mask.remove_prefix(1);
  if (!mask.starts_with(kBelowJoint)) return {};
  mask.remove_prefix(kBelowJoint.size());
  return rig.skeleton.find(mask) ? std::string_view() : mask;
}

// What a file says wrongly is the file's fault, whatever the same words would be on a command line.
Error fault_at(const std::string& place, const Error& error) {
  if (error.code != ErrorCode::kUsage) return error;
  return bad_input(place + ": " + error.message);
}

// The names of a setting by joints, where it is one.
template <class List>
void drop_missing(const Rig& rig, const std::string& what, Setting& value,
                  std::vector<std::string>& skipped) {
  List* list = std::get_if<List>(&value);
  if (!list) return;
  for (auto entry = list->begin(); entry != list->end();) {
    if (rig.skeleton.find(entry->first)) {
      ++entry;
      continue;
    }
    skipped.push_back(
        fmt::format("{} is left out for '{}': the rig has no such joint", what, printable(entry->first)));
    entry = list->erase(entry);
  }
}

// The tables that say which settings the entry reads; kBadInput where nobody knows its step or deformer.
Result<std::span<const Descriptor>> table_of(const StackEntry& entry, const std::string& place) {
  for (const StackStep& step : stack_steps()) {
    if (step.name != entry.step) continue;
    if (entry.step != "skeleton") return step.settings;
    std::string name = deformer_of({entry});
    const auto method = find_deformer(name);
    if (!method) return fault_at(place, method.error());
    return (*method)->settings;
  }
  return bad_input(fmt::format("{}: there is no such step, choose from {}", place, stack_step_names()));
}

Result<void> check_entry(const Rig& rig, const std::string& place, StackEntry& entry,
                         std::vector<std::string>& skipped) {
  SINEW_TRY(const std::span<const Descriptor> table, table_of(entry, place));
  for (const Descriptor& descriptor : table) {
    const auto held = entry.settings.find(std::string(descriptor.name));
    if (held == entry.settings.end()) continue;
    const std::string what = fmt::format("{}, setting '{}'", place, descriptor.name);
    if (auto fits = check_setting(descriptor, held->second); !fits) return fault_at(what, fits.error());
    drop_missing<NamedNumbers>(rig, what, held->second, skipped);
    drop_missing<NamedWords>(rig, what, held->second, skipped);
  }
  return {};
}

// The keys that a step is for: those that are not there are told.
void check_chosen_keys(const Rig& rig, const std::string& place, const StackEntry& entry,
                       std::vector<std::string>& skipped) {
  for (const std::string& name : missing_keys(rig, entry.word("only", "")))
    skipped.push_back(
        fmt::format("{}: the key '{}' is left out: the rig has none of that name", place, printable(name)));
}

// Subdivision makes vertices: no step can follow it, and no vertex take a part of it.
Result<void> check_subdivision(const Stack& stack, std::size_t k, const std::string& place) {
  if (stack[k].step != kSubdivide) return {};
  if (k + 1 < stack.size()) return bad_input(place + ": must be the last step");
  if (!stack[k].mask.empty()) return bad_input(place + ": has a mask, and subdivision takes none");
  return {};
}

Result<void> check_masks_of_keys(const Rig& rig, std::vector<std::string>& skipped) {
  for (const ShapeKey& key : rig.keys) {
    if (key.mask.empty()) continue;
    if (const std::string_view joint = missing_joint(rig, key.mask); !joint.empty()) {
      skipped.push_back(
          fmt::format("the key '{}' is skipped: its mask names the joint '{}', which does not exist",
                      printable(key.name), printable(joint)));
    } else if (auto mask = mask_weights(rig, key.mask); !mask) {
      return fault_at(fmt::format("the key '{}'", printable(key.name)), mask.error());
    }
  }
  return {};
}

}  // namespace

Result<Stack> usable_stack(const Rig& rig, const Stack& stack, std::vector<std::string>* skipped) {
  std::vector<std::string> ignored;
  std::vector<std::string>& warnings = skipped ? *skipped : ignored;
  Stack usable;
  bool keys_checked = false;
  for (std::size_t k = 0; k < stack.size(); ++k) {
    StackEntry entry = stack[k];
    const std::string place = fmt::format("step {} of the stack ({})", k + 1, printable(entry.step));
    SINEW_CHECK(check_subdivision(stack, k, place));
    SINEW_CHECK(check_entry(rig, place, entry, warnings));
    if (const std::string_view joint = missing_joint(rig, entry.mask); !joint.empty()) {
      warnings.push_back(fmt::format("{} is skipped: its mask names the joint '{}', which does not exist",
                                     place, printable(joint)));
      continue;
    }
    if (auto mask = mask_weights(rig, entry.mask); !mask) return fault_at(place, mask.error());
    if (entry.step == "keys") {
      check_chosen_keys(rig, place, entry, warnings);
      if (!std::exchange(keys_checked, true)) SINEW_CHECK(check_masks_of_keys(rig, warnings));
    }
    usable.push_back(std::move(entry));
  }
  return usable;
}

Result<void> check_names(const Rig& rig, std::string_view option, const Setting& value) {
  const auto check = [&](const auto& list) -> Result<void> {
    for (const auto& entry : list)
      if (!rig.skeleton.find(entry.first))
        return parameter_error(std::string(option),
                               fmt::format("names '{}': there is no such joint{}", printable(entry.first),
                                           joint_hint(rig.skeleton, entry.first)));
    return {};
  };
  if (const auto* numbers = std::get_if<NamedNumbers>(&value)) return check(*numbers);
  if (const auto* words = std::get_if<NamedWords>(&value)) return check(*words);
  return {};
}

Result<KeyMasks> key_masks(const Rig& rig) {
  KeyMasks masks;
  for (const ShapeKey& key : rig.keys) {
    if (!missing_joint(rig, key.mask).empty()) {
      masks.emplace_back(rig.mesh.vertex_count(), 0.0f);
      continue;
    }
    SINEW_TRY(std::vector<float> mask, mask_weights(rig, key.mask));
    masks.push_back(std::move(mask));
  }
  return masks;
}

}  // namespace sinew
