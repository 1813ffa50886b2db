// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/export.h"

#include <fmt/format.h>

#include <algorithm>

#include "export_files.h"
#include "pose_options.h"
#include "sinew/core/text.h"
#include "sinew/io/write_mesh.h"
#include "sinew/report/export_page.h"
#include "sinew/report/report_json.h"
#include "target_options.h"
#include "verbs.h"
#include "words.h"

namespace sinew::cli {
namespace {

struct ExportArguments {
  std::string in, out, page;
  std::vector<std::string> clips;
  int influences = 4, reference = 4;
  std::size_t helpers = 24, morphs = 16;
  std::size_t lods = 0;
  double tolerance = 0, fps = 30;
  bool keep = false, no_clips = false, no_check = false;
  PoseOptions pose;
  TargetOptions target;
};

Result<void> run_export(ExportArguments& options, const Console& console) {
  SINEW_CHECK(options.target.check());
  SINEW_CHECK(options.target.check_output(options.out));
  for (std::size_t k = 1; k <= options.lods; ++k)
    SINEW_CHECK(check_writable(level_file(options.out, k), console.overwrite()));
  SINEW_CHECK(check_writable(options.out, console.overwrite()));
  if (!options.page.empty() && console.overwrite() == Overwrite::kNo && std::filesystem::exists(options.page))
    return exists_already(options.page);
  SINEW_TRY(Asset asset, console.read(options.in));
  console.warnings(options.in, asset.warnings);
  ExportRequest request;
  request.influences = static_cast<std::size_t>(options.influences);
  request.helpers = options.helpers;
  request.morphs = options.morphs;
  request.tolerance = options.tolerance;
  request.fps = options.fps;
  request.keep = options.keep;
  request.reference_poses = options.reference;
  request.grade = !options.no_check;
  if (!options.page.empty()) request.pictures = 2;
  request.progress = console.progress();
  SINEW_TRY(request.deform, options.pose.choice(console, asset.rig));
  for (const std::string& name : options.clips) {
    SINEW_TRY(const std::size_t clip, find_clip(asset.rig, name));
    request.clips.push_back(clip);
  }
  if (options.clips.empty() && !options.no_clips)
    for (std::size_t c = 0; c < asset.rig.clips.size(); ++c) request.clips.push_back(c);
  if (subdivision_levels(request.deform.stack) > 0)
    console.warn(fmt::format(
        "{}: subdivision is left out: let the engine subdivide, or subdivide the mesh first", options.in));
  if (request.clips.empty())
    console.note(fmt::format("{}: no clips: fitted to the range of motion alone", options.in));
  auto made = export_plain(asset.rig, request);
  if (!made) return in_file(options.in, made.error());
  console.warnings(options.in, made->made);
  console.warnings(options.in, made->warnings);
  const Certificate& certificate = made->certificate;
  if (certificate.joints > 256)
    console.warn(fmt::format("{}: {} joints: some engines take at most 256 in a skin", options.out,
                             certificate.joints));
  Json report = to_json(certificate);
  GltfWriteOptions write = export_write_options(asset.rig, *made, request);
  if (!options.page.empty())
    SINEW_CHECK(save_export_page(asset.rig, *made,
                                 std::filesystem::path(options.in).stem().string() + " exported",
                                 options.page, console.overwrite(), console.progress()));
  asset.rig = std::move(made->rig);
  if (auto done = options.target.apply(console, options.out, asset.rig, write, report); !done)
    return in_file(options.in, done.error());
  write.certificate = report.dump();
  std::vector<std::string> unread;
  const Looks looks = asset.document ? looks_of(*asset.document, asset.rig, unread) : Looks();
  write.looks = &looks;
  const ExportFile file{write, options.fps, console.overwrite()};
  SINEW_TRY(report["bytes"], file.save(asset.rig, asset.document.get(), options.out));
  if (options.lods > 0) {
    auto levels = save_lods(console, asset.rig, file, options.lods, options.out);
    if (!levels) return in_file(options.in, levels.error());
    report["lods"] = *std::move(levels);
  }
  const bool moving = certificate.clips.poses > 0;
  console.print(report, fmt::format("{}: {}, {}, {} per vertex; error {:.2f} % of the diagonal at 99.9 % of "
                                    "{} (linear blending: {:.2f} %)",
                                    options.out, counted(certificate.helpers, "helper joint"),
                                    counted(certificate.morphs, "morph target"),
                                    counted(certificate.influences, "joint"),
                                    100 * (moving ? certificate.clips.p999 : certificate.held_out.p999),
                                    moving ? "its clips" : "the range of motion",
                                    100 * (moving ? certificate.plain_clips.p999 : certificate.plain.p999)));
  return {};
}

}  // namespace

void add_export(Program& program) {
  auto options = std::make_shared<ExportArguments>();
  const Verb verb =
      add_verb(program, "export", "bake any deformer to plain skinning for engines",
               "  sinew export biped.glb --for web -o biped.web.glb\n"
               "  sinew export biped.glb --for web --page certificate -o biped.web.glb\n"
               "  sinew export biped.glb --influences 8 --helpers 12 --morphs 0 -o biped.plain.glb\n"
               "  sinew export biped.glb --for unreal --lods 3 -o biped.unreal.glb\n"
               "  sinew export biped.glb --for vrm --meta ann.json -o ann.vrm\n"
               "  sinew export biped.glb -o biped.usda\n"
               "  sinew export biped.glb --tolerance 0.003 --clips walk -o walk.glb\n");
  verb.option("IN", options->in, "the rig: .glb or .gltf").required();
  verb.option("-o,--output", options->out, "the rig as plain skinning: .glb, .gltf, .vrm or .usda")
      .required();
  options->target.add_to(verb);
  verb.option("--lods", options->lods,
              "also write this many levels of detail, each with half the triangles: NAME_LOD1.glb and so on")
      .range(0, 8);
  verb.option("--influences", options->influences, "maximum influences per vertex")
      .one_of({4, 8})
      .show_default();
  verb.option("--helpers", options->helpers, "maximum number of helper joints to add").show_default();
  verb.option("--morphs", options->morphs, "maximum number of corrective morph targets to add")
      .show_default();
  verb.option("--tolerance", options->tolerance,
              "use the fewest helpers and morphs with an error below this fraction of the diagonal at 99.9 % "
              "of vertices and frames")
      .range(0.0, 1.0);
  verb.repeatable("--clips", options->clips, "keep only this clip, by name or index; repeatable");
  verb.flag("--no-clips", options->no_clips, "leave all clips out");
  verb.option("--fps", options->fps, "keyframes of helpers and morphs per second").show_default();
  verb.flag("--keep", options->keep, "keep the data of sinew's own deformers in the file");
  verb.option("--reference", options->reference,
              "poses in which the elastic reference is solved for the report")
      .range(0, 64)
      .show_default();
  verb.flag("--no-check", options->no_check,
            "do not grade the weights before and after, as `sinew check` does: some seconds less");
  verb.option("--page", options->page, "a folder for the certificate as a page with pictures");
  options->pose.add_deformer_to(verb);
  verb.runs([&program, options] { return run_export(*options, program.console); });
}

}  // namespace sinew::cli
