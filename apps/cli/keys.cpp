// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "keys_report.h"
#include "pose_options.h"
#include "sinew/core/text.h"
#include "sinew/io/write_mesh.h"
#include "sinew/pipeline/unpose.h"
#include "sinew/rig/key_names.h"
#include "verbs.h"

namespace sinew::cli {
namespace {

struct KeysArguments {
  std::string action, out, space;
  std::vector<std::string> words, keys, masks, drive, channels;
  bool posed = false, example = false;
  double radius = 0;
  PoseOptions pose;
};

Result<void> save(const KeysArguments& options, const Console& console, Asset& asset) {
  GltfWriteOptions write;
  write.edit.keys = true;
  SINEW_CHECK(save_asset(asset, options.out, console.overwrite(), write));
  console.print(keys_json(asset.rig), keys_text(options.out, asset.rig));
  return {};
}

// How a pose switches a key on.
Result<ExampleRequest> example_of(const KeysArguments& options, const std::string& key) {
  ExampleRequest example;
  example.key = key;
  example.space = options.space;
  example.radius = options.radius;
  for (const std::string& drive : options.drive) {
    SINEW_TRY(const auto joint, parse_assignment("--drive", drive, 1));
    example.joints.emplace_back(joint.first, joint.second[0]);
  }
  for (const std::string& channel : options.channels) {
    SINEW_TRY(const auto value, parse_assignment("--channel", channel, 1));
    example.channels.push_back({value.first, value.second[0], 1});
  }
  return example;
}

// A key from a mesh that was sculpted in the pose.
Result<std::vector<std::string>> add_sculpted(const KeysArguments& options, const Console& console,
                                              const std::string& name, const std::string& file, Rig& rig,
                                              const Pose& pose) {
  SINEW_TRY(const Asset shape, console.read(file));
  console.warnings(file, shape.warnings);
  SINEW_TRY(const DeformChoice deform, options.pose.choice(console, rig));
  std::optional<ExampleRequest> example;
  if (options.example) {
    SINEW_TRY(example, example_of(options, name));
  }
  UnposeReport report;
  auto merged = add_sculpted_key(rig, name, pose, deform, shape.rig.mesh.positions, example, report);
  if (!merged) return in_file(file, merged.error());
  console.warnings(file, report.warnings);
  if (!report.singular.empty())
    console.warn(fmt::format("{}: {} of {} edited vertices cannot be unposed and are left unchanged", file,
                             report.singular.size(), report.changed));
  return merged;
}

Result<void> add_one(const KeysArguments& options, const Console& console, const std::string& text,
                     Asset& asset, const Pose& pose) {
  const std::string& in = options.words[0];
  std::string name = text;
  if (text.find('=') != std::string::npos || !options.example) {
    SINEW_TRY(const auto key, split_name("--key", text));
    if (options.posed) {
      SINEW_TRY(const std::vector<std::string> merged,
                add_sculpted(options, console, key.first, key.second, asset.rig, pose));
      console.warnings(in, merged);
      return {};
    }
    SINEW_TRY(const Asset shape, console.read(key.second));
    console.warnings(key.second, shape.warnings);
    auto added = add_key(asset.rig, key.first, shape.rig.mesh.positions);
    if (!added) return in_file(key.second, added.error());
    name = key.first;
  }
  if (!options.example) return {};
  SINEW_TRY(const ExampleRequest example, example_of(options, name));
  SINEW_TRY(const std::vector<std::string> merged, add_example(asset.rig, pose, example));
  console.warnings(in, merged);
  return {};
}

Result<void> add(const KeysArguments& options, const Console& console) {
  if (options.words.size() != 1)
    return usage_error("give one file: sinew keys add BASE --key NAME=FILE -o OUT");
  const std::string& in = options.words[0];
  SINEW_TRY(Asset asset, console.read(in));
  console.warnings(in, asset.warnings);
  SINEW_TRY(const PoseRequest request, options.pose.request());
  for (const std::string& text : options.keys) {
    SINEW_TRY(const Pose pose, make_pose(asset.rig, request));
    SINEW_CHECK(add_one(options, console, text, asset, pose));
  }
  for (const std::string& text : options.masks) {
    SINEW_TRY(const auto mask, split_name("--mask", text));
    SINEW_CHECK(find_key(asset.rig, mask.first));
    const std::string wanted = mask.second == "none" ? "" : mask.second;
    SINEW_CHECK(mask_weights(asset.rig, wanted));
    for (const std::size_t key : keys_named(asset.rig, mask.first)) asset.rig.keys[key].mask = wanted;
  }
  return save(options, console, asset);
}

// `keys remove rotation NAME FILE`, the file in any place.
Result<void> remove(const KeysArguments& options, const Console& console) {
  if (options.words.size() != 3) return usage_error("give sinew keys remove rotation|scale NAME FILE -o OUT");
  std::vector<std::string> words = options.words;
  auto file = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    const FileKind kind = kind_of(word);
    return kind == FileKind::kGlb || kind == FileKind::kGltf;
  });
  if (file == words.end()) return usage_error("give the .glb or .gltf file with the key");
  const std::string in = *file;
  words.erase(file);
  SINEW_TRY(Asset asset, console.read(in));
  console.warnings(in, asset.warnings);
  SINEW_CHECK(remove_from_key(asset.rig, words[0], words[1]));
  return save(options, console, asset);
}

Result<void> list(const KeysArguments& options, const Console& console) {
  if (options.words.size() != 1) return usage_error("give one file: sinew keys list FILE");
  SINEW_TRY(const Asset asset, console.read(options.words[0]));
  console.warnings(options.words[0], asset.warnings);
  console.print(keys_json(asset.rig), keys_text(options.words[0], asset.rig));
  return {};
}

Result<void> run_keys(const KeysArguments& options, const Console& console) {
  if (options.action == "list") return list(options, console);
  if (options.action != "add" && options.action != "remove")
    return usage_error(
        fmt::format("there is no 'keys {}': choose add, remove or list", printable(options.action)));
  if (options.out.empty()) return usage_error("give the file to write with -o");
  const FileKind kind = kind_of(options.out);
  if (kind != FileKind::kGlb && kind != FileKind::kGltf)
    return usage_error(fmt::format("{}: keys are written to .glb or .gltf", options.out));
  SINEW_CHECK(check_writable(options.out, console.overwrite()));
  return options.action == "add" ? add(options, console) : remove(options, console);
}

}  // namespace

void add_keys(Program& program) {
  auto options = std::make_shared<KeysArguments>();
  const Verb verb = add_verb(
      program, "keys", "add, edit and list shape keys (morph targets) and the poses that drive them",
      "  sinew keys add face.obj --key smile=smile.obj --key frown=frown.obj -o face.glb\n"
      "  sinew keys remove scale smile face.glb -o rigid.glb\n"
      "  sinew keys add arm.glb --key bulge=bent.obj --posed --example --set ForeArm=0,0,90 -o bulging.glb\n"
      "  sinew keys list face.glb\n");
  verb.option("ACTION", options->action, "add, remove or list").required();
  verb.option(
      "WORDS", options->words,
      "add: the base mesh or rig; remove: rotation or scale, the name of the key, the file; list: the file");
  verb.option("-o,--output", options->out, "the file with the keys: .glb or .gltf");
  verb.repeatable("--key", options->keys,
                  "NAME=FILE: a shape key and the mesh with its shape, in the same vertex order; repeatable");
  verb.repeatable("--mask", options->masks,
                  "NAME=MASK: where a key acts: a vertex attribute, or below:JOINT; a leading ! inverts it; "
                  "NAME=none: everywhere");
  verb.flag("--posed", options->posed,
            "FILE was sculpted in the pose of --set or --clip with --deformer; it is unposed first");
  verb.flag("--example", options->example,
            "let that pose drive the key; --key NAME without a file takes an existing key");
  verb.option("--space", options->space, "the pose space of the example (default: pose)");
  verb.repeatable(
      "--drive", options->drive,
      "JOINT=INFLUENCE: a joint that drives the pose space (default: the joints that the pose rotates)");
  verb.repeatable("--channel", options->channels,
                  "KEY=VALUE: a key whose weight also drives the pose space, and its value in the example");
  verb.option("--radius", options->radius,
              "falloff of the examples in degrees (default: from their distances)")
      .range(0.0, 360.0);
  options->pose.add_set_to(verb);
  verb.option("--clip", options->pose.clip, "the pose from this clip (name or index)");
  verb.option("--time", options->pose.time, "seconds into the clip, clamped").needs("--clip");
  options->pose.add_deformer_to(verb);
  verb.runs([&program, options] { return run_keys(*options, program.console); });
}

}  // namespace sinew::cli
