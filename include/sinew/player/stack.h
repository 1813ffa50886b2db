// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sinew/deform/differential_keys.h"
#include "sinew/player/deformers.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// One line of the table of steps: command line, player and documents read it.
struct StackStep {
  std::string_view name;
  std::string_view summary;
  std::span<const Descriptor> settings;            ///< its own; the skeleton's are those of its deformer
  Setting (*usual)(const Descriptor& descriptor);  ///< the default of one of them
  /// Null where the rig has nothing for the step to do (keys without keys).
  Result<std::unique_ptr<Deformer>> (*build)(const Rig& rig, const StackEntry& entry,
                                             const DeformerData& data);
  Inverse (*inverse)(const Rig& rig, const StackEntry& entry);  ///< how what it does can be undone
};
std::span<const StackStep> stack_steps();
std::string stack_step_names();

/// The rig's own stack, or the default one: keys, cage (where the rig has one), skeleton.
Stack stack_of(const Rig& rig);

/// That with another deformer: "dqs", or "curve+mush", which adds delta mush behind the skeleton. Options by
/// the names that users know: {{"segments", 12.0}}. kUsage as of set_option.
Result<Stack> stack_with(const Rig& rig, std::string_view deformer, const Settings& options = {});

/// The deformer of the skeleton's step, "+mush" behind it where mush follows at once.
std::string deformer_of(const Stack& stack);

/// What an interface offers: an option, and the steps and deformers that read it ("keys", "curve", "mush"),
/// each with what holds where nobody says otherwise.
struct StackOption {
  Descriptor descriptor;
  std::vector<std::pair<std::string_view, Setting>> owners;
};
/// All of them, "deformer" and "remove" first, each once.
std::span<const StackOption> stack_options();
/// kUsage where nothing has an option of that name.
Result<const StackOption*> find_stack_option(std::string_view option);

/// Sets an option in every step of the stack that reads it; a default is not stored. "deformer" puts another
/// one into the (first) skeleton's step, "remove" (rotation or scale) a step behind it, and "subdivide" one at
/// the end. kUsage: no such option, or
/// a value that does not fit.
Result<void> set_option(Stack& stack, std::string_view option, const Setting& value);
/// What the stack says of it, else what is usual for its deformer, or for the first that reads it.
Setting get_option(const Stack& stack, const StackOption& option);

/// How what a step does can be undone; kNone where nobody knows the step.
Inverse step_inverse(const Rig& rig, const StackEntry& entry);

/// What the deformers of a stack need beside mesh, skeleton and skin weights.
Result<DeformerNeeds> needs_of(const Stack& stack);

/// "keys,skeleton,keys,mush" into entries, keeping masks and settings of those that the stack has already: the
/// second of a name those of its second. kUsage: unknown names, "subdivide" before the end.
Result<Stack> reorder(const Stack& stack, std::string_view order);

/// The place of an entry: "keys", or "keys#2" for the second of that name. kUsage where there is none.
Result<std::size_t> find_stack_entry(const Stack& stack, std::string_view address);
/// Sets an option of one entry alone, by the name that files or users have for it, from what users type.
/// kUsage: no such entry, no such setting of it, a value that does not fit.
Result<void> set_entry_option(Stack& stack, std::string_view address, std::string_view name,
                              std::string_view text);

/// How often the stack subdivides at its end; 0: not at all.
int subdivision_levels(const Stack& stack);
/// The same for the rig's own vertices.
Stack without_subdivision(Stack stack);

/// How much of a step each vertex takes, 0 to 1: an attribute of the mesh by name (not painted: 1), or
/// "below:JOINT", the skin weights of a joint and all below it; "!" in front: one minus that. Empty for "".
/// kUsage: nothing of that name.
Result<std::vector<float>> mask_weights(const Rig& rig, std::string_view mask);
/// The masks of all keys; a key whose mask names a joint that is not there acts nowhere.
Result<KeyMasks> key_masks(const Rig& rig);

/// kUsage where a setting by joints names one that the rig does not have: for what users say. In stacks that
/// come from files such names are skipped, see usable_stack.
Result<void> check_names(const Rig& rig, std::string_view option, const Setting& value);

/// The stack as this rig can run it. Files outlive names: steps whose mask names a joint that another program
/// has renamed are left out, and so are settings of such joints; `skipped` gets a sentence for each.
/// kBadInput, naming the step and the setting, where nobody knows a step or a deformer, or a value does not
/// fit.
Result<Stack> usable_stack(const Rig& rig, const Stack& stack, std::vector<std::string>* skipped = nullptr);

/// A step, built: what it makes is blended with what came in by the mask.
struct BuiltStep {
  std::shared_ptr<const Deformer> deformer;
  std::vector<float> mask = {};  ///< per vertex, or empty: 1 everywhere
};
/// Fails and skips as usable_stack does. Subdivision, which makes vertices, is no such step: RigDeformer does
/// it.
Result<std::vector<BuiltStep>> build_stack(const Rig& rig, const Stack& stack, const DeformerData& data = {},
                                           std::vector<std::string>* skipped = nullptr);

}  // namespace sinew
