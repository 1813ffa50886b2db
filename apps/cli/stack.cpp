// SPDX-License-Identifier: Apache-2.0
#include "sinew/player/stack.h"

#include <fmt/format.h>

#include "pose_options.h"
#include "sinew/core/text.h"
#include "sinew/io/stack_json.h"
#include "sinew/io/write_mesh.h"
#include "verbs.h"
#include "words.h"

namespace sinew::cli {
namespace {

struct StackArguments {
  std::string in, out, order;
  std::vector<std::string> masks, settings;
  PoseOptions pose;
};

std::string stack_text(const Stack& stack) {
  std::string text;
  for (const Json& entry : to_json(stack)) {
    text += (text.empty() ? "" : "\n") + entry["step"].get<std::string>();
    for (const auto& [name, value] : entry.items())
      if (name != "step")
        text += fmt::format("  {}={}", name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

Result<void> set_mask(const Rig& rig, const std::string& text, Stack& stack) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return parameter_error("mask", fmt::format("is '{}': give STEP=ATTRIBUTE", printable(text)));
  const std::string step = text.substr(0, equals);
  std::string mask = text.substr(equals + 1);
  if (mask == "none") mask.clear();
  SINEW_CHECK(mask_weights(rig, mask));
  SINEW_TRY(const std::size_t k, find_stack_entry(stack, step));
  if (stack[k].step == "subdivide" && !mask.empty())
    return parameter_error("mask", "names subdivide: subdivision takes no mask");
  stack[k].mask = mask;
  return {};
}

// STEP:SETTING=VALUE, for one step alone.
Result<void> set_one(const Rig& rig, const std::string& text, Stack& stack) {
  const std::size_t colon = text.find(':'), equals = text.find('=');
  if (colon == std::string::npos || equals == std::string::npos || colon == 0 || equals < colon + 2)
    return parameter_error("setting", fmt::format("is '{}': give STEP:SETTING=VALUE", printable(text)));
  const std::string step = text.substr(0, colon), name = text.substr(colon + 1, equals - colon - 1);
  SINEW_CHECK(set_entry_option(stack, step, name, text.substr(equals + 1)));
  SINEW_TRY(const std::size_t k, find_stack_entry(stack, step));
  for (const auto& [held, value] : stack[k].settings) SINEW_CHECK(check_names(rig, held, value));
  return {};
}

Result<void> run_stack(const StackArguments& options, const Console& console) {
  if (const FileKind kind = kind_of(options.out);
      !options.out.empty() && kind != FileKind::kGlb && kind != FileKind::kGltf)
    return usage_error(fmt::format("{}: a stack is written to .glb or .gltf", options.out));
  SINEW_TRY(Asset asset, console.read(options.in));
  console.warnings(options.in, asset.warnings);
  if (!options.order.empty()) {  // first: settings go to the steps that are there then
    SINEW_TRY(asset.rig.stack, reorder(stack_of(asset.rig), options.order));
  }
  SINEW_TRY(DeformChoice choice, options.pose.choice(console, asset.rig));
  Stack& stack = choice.stack;
  for (const std::string& text : options.masks) SINEW_CHECK(set_mask(asset.rig, text, stack));
  for (const std::string& text : options.settings) SINEW_CHECK(set_one(asset.rig, text, stack));
  const auto ready = ready_deformer(asset.rig, choice);  // what cannot run is not written
  if (!ready) return in_file(options.in, ready.error());
  console.warnings(options.in, ready->made);
  asset.rig.stack = stack;
  if (!options.out.empty()) {
    GltfWriteOptions write;
    write.edit.stack = true;
    SINEW_CHECK(save_asset(asset, options.out, console.overwrite(), write));
  }
  console.print({{"stack", to_json(stack)}}, stack_text(stack));
  return {};
}

}  // namespace

void add_stack(Program& program) {
  auto options = std::make_shared<StackArguments>();
  std::vector<std::pair<std::string_view, std::string_view>> rows;
  for (const StackStep& step : stack_steps()) rows.emplace_back(step.name, step.summary);
  const std::string help = "the steps in order, separated by commas; steps may repeat:" + name_table(rows);
  const Verb verb =
      add_verb(program, "stack", "print or edit the deformation stack of a rig",
               "  sinew stack biped.glb\n"
               "  sinew stack biped.glb --order keys,skeleton,mush --deformer curve -o soft.glb\n"
               "  sinew stack biped.glb --deformer curve --bone-segments Spine=12 -o curved.glb\n"
               "  sinew stack biped.glb --mask skeleton=_BODY -o masked.glb\n"
               "  sinew stack face.glb --order keys,skeleton,keys,subdivide --setting keys:only=smile "
               "--setting keys#2:only=dent -o twice.glb\n");
  verb.option("IN", options->in, "the rig: .glb or .gltf").required();
  verb.option("-o,--output", options->out, "the rig with that stack: .glb or .gltf");
  verb.option("--order", options->order, help);
  verb.repeatable(
      "--mask", options->masks,
      "STEP=ATTRIBUTE: mask a step by this vertex attribute, 0 to 1; or STEP=below:JOINT: by the weights of "
      "a joint and its descendants; a leading ! inverts either; STEP=none removes the mask; repeatable");
  verb.repeatable(
      "--setting", options->settings,
      "STEP:SETTING=VALUE: a setting of one step, keys#2 for the second of that name; repeatable");
  options->pose.add_deformer_to(verb);
  verb.runs([&program, options] { return run_stack(*options, program.console); });
}

}  // namespace sinew::cli
