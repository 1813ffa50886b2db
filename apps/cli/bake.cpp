// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/bake.h"

#include <fmt/format.h>

#include <algorithm>

#include "motion.h"
#include "pose_options.h"
#include "sinew/io/skeleton_files.h"
#include "sinew/io/write_mesh.h"
#include "verbs.h"
#include "words.h"

namespace sinew::cli {
namespace {

struct BakeArguments {
  std::string in, out, bvh;
  std::string clip = "0";
  double fps = 30, start = 0, end = -1;
  PoseOptions pose;
};

// Adds the first motion of a file to the rig, fitted to its skeleton; returns its index.
Result<std::size_t> add_motion(const BakeArguments& options, const Console& console, Rig& rig) {
  RetargetRequest request;
  request.fps = std::max(request.fps, options.fps);  // feet that stand are found between few frames too
  request.progress = console.progress();
  SINEW_TRY(std::vector<RetargetedClip> made,
            motion_clips(console, options.bvh, {}, rig, options.in, request));
  rig.clips.push_back(std::move(made.front().clip));
  return rig.clips.size() - 1;
}

Result<void> run_bake(const BakeArguments& options, const Console& console) {
  SINEW_TRY(Asset asset, console.read(options.in));
  console.warnings(options.in, asset.warnings);
  BakeRequest request;
  request.fps = options.fps;
  request.start = options.start;
  request.end = options.end;
  SINEW_TRY(request.pose, options.pose.request());
  SINEW_TRY(request.deform, options.pose.choice(console, asset.rig));
  request.progress = console.progress();
  if (!options.bvh.empty()) {
    SINEW_TRY(request.clip, add_motion(options, console, asset.rig));
  } else {
    if (asset.rig.clips.empty())
      return impossible(fmt::format("{}: holds no clip; give a motion with --bvh FILE", options.in));
    SINEW_TRY(request.clip, find_clip(asset.rig, options.clip));
  }
  std::vector<std::string> made;
  std::optional<PolyMesh> refined;
  auto baked = bake(asset.rig, request, &made, &refined);
  if (!baked) return in_file(options.in, baked.error());
  const BakedFrames& frames = *baked;
  console.warnings(options.in, made);
  if (asset.document && summarise(*asset.document).tangents)
    console.warn(fmt::format("{}: tangents are left out: they would not follow the frames", options.in));
  if (refined) {
    if (asset.document && (kind_of(options.out) == FileKind::kGlb || kind_of(options.out) == FileKind::kGltf))
      console.warn(fmt::format("{}: the subdivided mesh is written without materials", options.in));
    asset = plain_asset(*std::move(refined), std::filesystem::path(options.in).stem().string());
    if (!frames.normals.empty()) asset.rig.mesh.normals = frames.normals[0];
  }
  SINEW_CHECK(save_frames(asset, frames, options.out, console.overwrite(), console.progress()));
  console.print(
      {{"frames", frames.positions.size()},
       {"fps", frames.fps},
       {"vertices", frames.positions[0].size()},
       {"deformer", deformer_of(request.deform.stack)}},
      fmt::format("{}: {} at {} fps", options.out, counted(frames.positions.size(), "frame"), frames.fps));
  return {};
}

}  // namespace

void add_bake(Program& program) {
  auto options = std::make_shared<BakeArguments>();
  const Verb verb =
      add_verb(program, "bake", "bake a clip or a motion file to a vertex animation",
               "  sinew bake biped.glb --clip walk --deformer dqs -o walk.glb\n"
               "  sinew bake biped.glb --bvh dance.bvh --fps 60 -o dance.pc2\n"
               "  sinew bake biped.glb -o frames\n"
               "  sinew bake biped.glb --deformer stretch-lbs --stretch LeftArm=1.3 -o long.glb\n");
  verb.option("IN", options->in, "the rig: .glb or .gltf").required();
  verb.option("-o,--output", options->out,
              ".glb or .gltf (morph targets), .pc2 or .mdd (vertex caches), or a folder of .obj files (no "
              "file extension)")
      .required();
  verb.option("--clip", options->clip, "a clip of the file, by name or index").show_default();
  verb.option("--bvh", options->bvh, "a motion file instead of a clip, fitted to the rig as `retarget` does");
  verb.option("--fps", options->fps, "frames per second").show_default();
  verb.option("--start", options->start, "first frame, seconds into the clip");
  verb.option("--end", options->end, "last frame, seconds into the clip (default: its end)");
  options->pose.add_changes_to(verb);
  options->pose.add_deformer_to(verb);
  verb.runs([&program, options] { return run_bake(*options, program.console); });
}

}  // namespace sinew::cli
