// SPDX-License-Identifier: Apache-2.0
#include "bind_options.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "joint_naming.h"
#include "sinew/binding/weight_methods.h"
#include "sinew/core/text.h"
#include "sinew/io/write_mesh.h"
#include "sinew/skeleton/conventions.h"
#include "words.h"

namespace sinew::cli {
namespace {

// The joints that a template or the mesh alone gives.
Result<void> find_skeleton_of(const BindOptions& options, const Console& console, Asset& asset) {
  SkeletonOptions wanted = options.found;
  wanted.request.skeleton_template = options.skeleton_template;
  SINEW_TRY(const SkeletonFor made, wanted.give(console, options.in, asset.rig));
  console.note(made.stretched
                   ? fmt::format("{}: the template does not fit this mesh and was scaled to its bounding box",
                                 options.in)
                   : fmt::format("{}: {}", options.in, to_text(made.found)));
  return {};
}

// Files that say where joints are, and not how they are turned.
bool holds_no_axes(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  return equals_ignoring_case(extension, ".json") || equals_ignoring_case(extension, ".tgf");
}

Result<void> give_skeleton(const BindOptions& options, const Console& console, Asset& asset) {
  if (!options.skeleton.empty() && !options.skeleton_template.empty())
    return usage_error("give --skeleton or --template, not both");
  if (!options.skeleton.empty()) {
    SINEW_TRY(Skeleton skeleton, read_skeleton(options.skeleton, console.facing));
    SINEW_TRY(Skeleton turned, with_axes(skeleton, options.found.request.axes));
    if (holds_no_axes(options.skeleton)) skeleton = std::move(turned);
    set_skeleton(asset.rig, std::move(skeleton));
  } else if (!options.skeleton_template.empty() ||
             (options.finds && asset.rig.skeleton.deforming_count() == 0)) {
    return find_skeleton_of(options, console, asset);
  } else if (asset.rig.skeleton.deforming_count() == 0) {
    return impossible(
        fmt::format("{}: has no skeleton; give one with --skeleton FILE (.glb, .bvh, .tgf, .json), fit one "
                    "with --template biped|quadruped|hand|bird|snake, or use `sinew rig`",
                    options.in));
  }
  return {};
}

Result<std::vector<std::size_t>> read_vertex_list(const std::string& file) {
  std::vector<std::size_t> list;
  if (file.empty()) return list;
  SINEW_TRY(const std::string text, read_file(file, 64 << 20));
  const Json document = Json::parse(text, nullptr, false);
  const Error problem = bad_input(fmt::format("{}: give a list of vertex indices, such as [0, 5, 17]", file));
  if (!document.is_array()) return problem;
  for (const Json& entry : document) {
    if (!entry.is_number_unsigned()) return problem;
    list.push_back(entry.get<std::size_t>());
  }
  return list;
}

Result<void> read_degrees(const std::string& file, const Json& from, const std::string& where,
                          MotionRange& range) {
  for (const auto& [key, degrees] : {std::pair{"swing", &range.swing}, std::pair{"twist", &range.twist}}) {
    const auto found = from.find(key);
    if (found == from.end()) continue;
    const double value = found->is_number() ? found->get<double>() : -1;
    if (!(value >= 0 && value <= 170))
      return bad_input(fmt::format("{}: {}{} must be a number of degrees from 0 to 170", file, where, key));
    *degrees = value * 0.017453292519943295;
  }
  return {};
}

// A range of motion in a file, or that of the rig's own clips.
Result<void> read_range(const std::string& file, const Rig& rig, FleshRequest& flesh) {
  if (file.empty()) return {};
  if (file == "clips") {
    flesh.ranges = ranges_of_clips(rig);
    if (flesh.ranges.empty())
      return usage_error("--range clips: no clip of the file rotates a joint; give a .json file instead");
    return {};
  }
  SINEW_TRY(const std::string text, read_file(file, 64 << 20));
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object())
    return bad_input(fmt::format("{}: give degrees, such as {{\"swing\": 90, \"twist\": 90}}", file));
  SINEW_CHECK(read_degrees(file, document, "", flesh.range));
  const auto joints = document.find("joints");
  if (joints == document.end()) return {};
  if (!joints->is_object())
    return bad_input(fmt::format("{}: joints must be an object of ranges by joint names", file));
  for (const auto& [name, degrees] : joints->items()) {
    if (!degrees.is_object())
      return bad_input(fmt::format("{}: joints.{}: give degrees, such as {{\"swing\": 90, \"twist\": 90}}",
                                   file, printable(name)));
    MotionRange range = flesh.range;
    SINEW_CHECK(read_degrees(file, degrees, fmt::format("joints.{}.", printable(name)), range));
    flesh.ranges[name] = range;
  }
  return {};
}

Result<NamedNumbers> read_stiffness(const std::vector<std::string>& given) {
  NamedNumbers numbers;
  for (const std::string& text : given) {
    const std::size_t at = text.rfind('=');
    double value = 0;
    const auto end = text.data() + text.size();
    if (at == std::string::npos || at == 0 || std::from_chars(text.data() + at + 1, end, value).ptr != end ||
        !(value > 0))
      return usage_error(
          fmt::format("--stiffness {}: give JOINT=VALUE with a value above 0", printable(text)));
    numbers[text.substr(0, at)] = value;
  }
  return numbers;
}

}  // namespace

void add_quantise(const Verb& verb, int& weight_bits) {
  verb.option("--quantise", weight_bits, "8 or 16: store weights with this many bits, summing exactly to 1")
      .one_of({8, 16});
}

void BindOptions::add_to(const Verb& verb) {
  verb.option("IN", in, "the mesh: .glb, .gltf, .obj, .ply, .off, .stl, .mesh").required();
  verb.option("-o,--output", out, "the rig: .glb or .gltf").required();
  verb.option("--skeleton", skeleton,
              "joints from this .glb, .gltf, .bvh, .tgf or .json (default: the file's own)");
  verb.option("--template", skeleton_template,
              fmt::format("fit this template: {}, or a rigged file", template_names()));
  found.add_to(verb);
  std::vector<std::pair<std::string_view, std::string_view>> rows;
  for (const WeightMethod& method : weight_methods()) rows.emplace_back(method.name, method.summary);
  verb.option("--method", request.method, "weight method:" + name_table(rows)).show_default();
  verb.option("--influences", request.influences, "maximum influences per vertex").show_default();
  verb.option("--voxels", request.voxels,
              "cells along the longest side of the solid voxel grid (default: chosen from the mesh)")
      .range(4, 1024);
  for (const WeightOption& option : weight_options()) {
    const auto [owners, usual] = owners_and_usual(option.owners);
    settings.add(verb, option.descriptor, owners, usual, kWeightSettings);
  }
  verb.option("--joint-weights", request.joint_weights,
              "also store the weights of joint-based deformers: elastic, elastic-dqs, lsq, "
              "lsq-nonnegative, skin (from the weights above); none")
      .show_default();
  verb.option("--endpoint", request.endpoint,
              fmt::format("also store endpoint weights, by {}; painted: keep the file's own; none",
                          endpoint_names()))
      .show_default();
  verb.option("--endpoint-twist", request.endpoint_twist,
              "separate endpoint weights for twist, same choices (default: those of --endpoint)");
  verb.repeatable(
      "--follow,--link", request.islands.layers,
      "MESH: an island that follows the body beneath it (clothes, hair): the name of its mesh, or "
      "its number by area from 0; repeatable");
  verb.repeatable("--rigid", request.islands.rigid,
                  "MESH: an island that one joint moves (eyes, buttons, weapons); repeatable");
  verb.flag("--own-islands", own_islands, "bind all other islands by the weight method");
  verb.repeatable(
      "--add-joint", request.added_joints,
      "JOINT: also bind to this joint, though the file's own weights leave it out; all: every joint; "
      "repeatable");
  verb.repeatable("--lock", locked, "JOINT: lock its weights and distribute the rest; repeatable");
  verb.option("--lock-vertices", locked_vertices, "a .json list of vertex indices whose weights are locked");
  add_quantise(verb, weight_bits);
  verb.flag("--strict", request.strict, "any fallback is an error (exit 4)");
}

void BindOptions::add_flesh_to(const Verb& verb) {
  verb.option("--quality", quality, "flesh: also compute the data of the flesh deformer; fast: weights only")
      .show_default();
  verb.option("--tolerance", tolerance,
              "energy ratio to the elastic reference above which a joint gets corrective fields")
      .range(1.0, 10.0)
      .show_default();
  verb.option("--range", range,
              "range of motion: a .json file in degrees, {\"swing\": 90, \"twist\": 90, \"joints\": "
              "{\"Head\": {\"twist\": 80}}}; or clips: the range of the clips in the file");
  verb.repeatable("--stiffness", stiff,
                  "JOINT=VALUE: relative stiffness of the flesh around a bone (default: 1); repeatable");
  verb.option("--stiffness-attribute", stiffness_attribute,
              "a vertex attribute that holds the stiffness; multiplies that of the bones");
}

Result<BindReport> BindOptions::run(const Console& console, Asset& asset, Json& document) const {
  const FileKind kind = kind_of(out);
  if (kind != FileKind::kGlb && kind != FileKind::kGltf)
    return usage_error(fmt::format("{}: a rig is written to .glb or .gltf", out));
  if (!found.names.empty()) SINEW_CHECK(check_convention(found.names));
  SINEW_CHECK(check_writable(out, console.overwrite()));
  SINEW_TRY(asset, console.read(in));
  console.warnings(in, asset.warnings);
  const std::size_t clips = count_joint_clips(asset.rig);
  const bool stays =
      skeleton.empty() && skeleton_template.empty() && asset.rig.skeleton.deforming_count() > 0;
  SINEW_CHECK(give_skeleton(*this, console, asset));
  if (!stays) note_clips(console, in, clips, count_joint_clips(asset.rig));
  SINEW_CHECK(rename_joints(console, in, found.names, asset.rig, document));
  BindRequest wanted = request;
  wanted.islands.decide = !own_islands;
  wanted.locked_joints = locked;
  SINEW_TRY(wanted.locked_vertices, read_vertex_list(locked_vertices));
  wanted.progress = console.progress();
  SINEW_TRY(wanted.settings, settings.given());
  if (!quality.empty() && quality != "flesh" && quality != "fast")
    return usage_error(fmt::format("--quality is '{}': choose fast or flesh", printable(quality)));
  if (quality == "fast" && (!range.empty() || !stiff.empty() || !stiffness_attribute.empty()))
    return usage_error("--range and --stiffness apply to flesh only: leave them out with --quality fast");
  if (quality == "flesh") {
    wanted.flesh.emplace();
    wanted.flesh->tolerance = tolerance;
    SINEW_CHECK(read_range(range, asset.rig, *wanted.flesh));
    SINEW_TRY(wanted.flesh->elastic.stiffness, read_stiffness(stiff));
    wanted.flesh->elastic.stiffness_attribute = stiffness_attribute;
  }
  Result<BindReport> bound = bind(asset.rig, wanted);
  if (!bound) return in_file(in, bound.error());
  console.warnings(in, bound->warnings);
  GltfWriteOptions write;
  write.influences = request.influences;
  write.weight_bits = weight_bits;
  write.edit.skin = true;
  write.edit.names = !found.names.empty();
  SINEW_CHECK(save_asset(asset, out, console.overwrite(), write));
  return bound;
}

std::string to_text(const std::string& file, const BindReport& report) {
  return fmt::format(
             "{}: {} bound to {} by {} in {:.2f} s; {} filled, {} clamped, largest pruning error {:.3f}",
             file, counted(report.vertices, "vertex", "vertices"), counted(report.bones, "bone"),
             report.method, report.seconds - (report.flesh ? report.flesh->seconds : 0), report.filled,
             report.clamped, report.pruning_error) +
         (report.flesh
              ? fmt::format("\nflesh of {} in {:.2f} s: energy ratio to the elastic reference {:.2f} at "
                            "worst and {:.2f} on average, at rotations that were not sampled",
                            counted(report.flesh->joints.size(), "joint"), report.flesh->seconds,
                            report.flesh->worst, report.flesh->mean)
              : "");
}

}  // namespace sinew::cli
