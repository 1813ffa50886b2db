// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/compare.h"

#include <fmt/format.h>

#include <filesystem>

#include "pose_options.h"
#include "sinew/core/text.h"
#include "sinew/io/asset.h"
#include "sinew/report/compare_page.h"
#include "sinew/report/report_json.h"
#include "verbs.h"
#include "words.h"

namespace sinew::cli {
namespace {

struct CompareArguments {
  std::string in, out;
  std::vector<std::string> pairs, poses;
  CompareRequest request;
};

// A line a joint, or two: worst and mean of every pair.
std::string rotation_table(const CompareReport& report) {
  if (report.rotations.empty()) return {};
  std::size_t width = 5;
  const auto name = [](const JointRotations& joint) {
    return joint.with.empty() ? joint.joint : joint.with + " and " + joint.joint;
  };
  for (const JointRotations& joint : report.rotations) width = std::max(width, name(joint).size());
  std::string text = fmt::format("{:<{}}", "joint", width);
  for (const RotationFigures& method : report.rotations.front().methods)
    text += fmt::format("  {:>11}", method.pair.deformer);
  for (const JointRotations& joint : report.rotations) {
    text += fmt::format("\n{:<{}}", name(joint), width);
    for (const RotationFigures& method : joint.methods)
      text += fmt::format("  {:5.2f} {:5.2f}", method.worst, method.mean);
  }
  return text + "\n";
}

Result<void> run_compare(const CompareArguments& options, const Console& console) {
  std::error_code failure;
  if (std::filesystem::exists(options.out, failure) && !console.force) return exists_already(options.out);
  CompareRequest request = options.request;
  for (const std::string& text : options.pairs) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == text.size())
      return usage_error(fmt::format("--pair '{}': give WEIGHTS:DEFORMER, such as heat:lbs", text));
    request.pairs.push_back({text.substr(0, colon), text.substr(colon + 1)});
  }
  for (const std::string& text : options.poses) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == text.size())
      return usage_error(fmt::format(
          "--pose '{}': give NAME:JOINT=X,Y,Z, several joints separated by semicolons", printable(text)));
    PoseOptions turns;
    for (std::size_t from = colon + 1; from < text.size();) {
      const std::size_t end = std::min(text.find(';', from), text.size());
      if (end > from) turns.set.push_back(text.substr(from, end - from));
      from = end + 1;
    }
    SINEW_TRY(PoseRequest pose, turns.request());
    request.poses.push_back({text.substr(0, colon), std::move(pose)});
  }
  request.progress = console.progress();
  SINEW_TRY(const Asset asset, console.read(options.in));
  console.warnings(options.in, asset.warnings);
  Result<CompareReport> compared = compare(asset.rig, request);
  if (!compared)
    return Error{compared.error().code, fmt::format("{}: {}", options.in, compared.error().message)};
  console.warnings(options.in, compared->warnings);
  const std::string title = std::filesystem::path(options.in).stem().string() + " compared";
  SINEW_CHECK(
      save_compare_page(asset.rig, *compared, title, options.out, console.overwrite(), console.progress()));
  const Json document = to_json(*compared);
  SINEW_CHECK(write_file(std::filesystem::path(options.out) / "report.json", document.dump(1) + "\n",
                         console.overwrite()));
  console.print(document, rotation_table(*compared) +
                              fmt::format("{}: {} compared in {:.1f} s",
                                          (std::filesystem::path(options.out) / "index.html").string(),
                                          counted(compared->poses.size(), "pose"), compared->seconds));
  return {};
}

}  // namespace

void add_compare(Program& program) {
  auto options = std::make_shared<CompareArguments>();
  const Verb verb =
      add_verb(program, "compare", "measure weights and deformers against the elastic reference",
               "  sinew compare arm.glb -o report\n"
               "  sinew compare biped.glb --joints LeftArm --joints LeftForeArm --pair heat:lbs -o report\n"
               "  sinew compare arm.glb --pose \"reach:ForeArm=0,0,-60;Hand=20,0,0\" -o report\n"
               "  sinew compare arm.glb --rotations 32 -o report\n");
  verb.option("IN", options->in, "the rig: .glb or .gltf").required();
  verb.option("-o,--output", options->out, "a folder for the page, report.json and the pictures").required();
  verb.repeatable(
      "--pair", options->pairs,
      "WEIGHTS:DEFORMER: an additional pair; 'own' stands for the weights of the file; repeatable");
  verb.repeatable("--pose", options->poses,
                  "NAME:JOINT=X,Y,Z: an additional pose, as in `pose --set`; separate several joints by "
                  "semicolons; repeatable");
  verb.repeatable("--joints", options->request.joints, "JOINT: only poses of this joint; repeatable");
  verb.option("--clip-samples", options->request.clip_samples, "poses from the first clip")
      .range(0, 100)
      .show_default();
  verb.option("--voxels", options->request.voxels,
              "cells along the longest side of the solid voxel grid (default: chosen from the mesh)")
      .range(4, 1024);
  verb.option("--rotations", options->request.rotations,
              "rotations of every joint, and of every two neighbours, that the fit of flesh did not sample: "
              "a table of energies (default: 0; 32 take a minute or more on a body of 50 joints)")
      .range(0, 1000);
  verb.option("--pictures", options->request.pictures, "poses shown as pictures").show_default();
  verb.runs([&program, options] { return run_compare(*options, program.console); });
}

}  // namespace sinew::cli
