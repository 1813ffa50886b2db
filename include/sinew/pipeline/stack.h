// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sinew/pipeline/methods.h"
#include "sinew/rig/rig.h"

namespace sinew {

// One line of the table of steps: command line, player and documents read it.
struct StackStep {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> settings;  // the names that it reads
  // Null where the rig has nothing for the step to do (keys without keys).
  Result<std::unique_ptr<Deformer>> (*build)(const Rig& rig, const DeformRequest& request);
  // How what it does can be undone.
  Inverse (*inverse)(const Rig& rig, const DeformRequest& request) = nullptr;
};
std::span<const StackStep> stack_steps();
std::string stack_step_names();

// The rig's own stack, or the default one: keys, cage (where the rig has one), skeleton. `request.deformer`
// ending in "+mush" adds mush behind it where the stack has none.
Stack stack_of(const Rig& rig, const DeformRequest& request = {});

// Of a step: kNone where nobody knows it.
Inverse step_inverse(const Rig& rig, const StackEntry& entry, const DeformRequest& request);

// What the rig's stack says about its deformers, for a user to change: `sinew stack` stores it, `pose` and
// `bake` start from it.
DeformRequest stored_request(const Rig& rig);
// The other way: the settings of the request that differ from the defaults, in the entries that read them.
void store_request(const DeformRequest& request, Stack& stack);

// "keys,skeleton,mush" into entries, keeping masks and settings of those that the stack has already. kUsage:
// unknown names, one given twice.
Result<Stack> reorder(const Stack& stack, std::string_view order);

// How much of a step each vertex takes, 0 to 1: an attribute of the mesh by name (not painted: 1), or
// "below:JOINT", the skin weights of a joint and all below it; "!" in front: one minus that. Empty for "".
// kUsage: nothing of that name.
Result<std::vector<float>> mask_weights(const Rig& rig, std::string_view mask);

// A step, built: what it makes is blended with what came in by the mask.
struct BuiltStep {
  std::unique_ptr<Deformer> deformer;
  std::unique_ptr<Workspace> workspace;
  std::vector<float> mask;  // per vertex, or empty: 1 everywhere
};
// kUsage where a step or mask has no such name, or a setting is out of range.
Result<std::vector<BuiltStep>> build_stack(const Rig& rig, const DeformRequest& request);

}  // namespace sinew
