// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/retarget.h"

#include <fmt/format.h>

#include <algorithm>

#include "motion.h"
#include "sinew/core/text.h"
#include "sinew/io/write_mesh.h"
#include "sinew/report/report_json.h"
#include "verbs.h"
#include "words.h"

namespace sinew::cli {
namespace {

struct RetargetArguments {
  std::string in, out;
  std::vector<std::string> motions, clips;
  double fps = 30;
  bool slide = false, replace = false;
};

std::string clip_text(const RetargetedClip& made) {
  std::string text =
      fmt::format("clip '{}', {:.2f} s, {}, {}", printable(made.clip.name), made.clip.duration(),
                  counted(made.frames, "frame"), counted(made.matched, "joint"));
  if (made.contacts > 0)
    text += fmt::format("; feet slide by {:.2f} % of the height in {}", 100 * made.foot_slide,
                        counted(made.contacts, "contact"));
  if (!made.worst_joint.empty())
    text += fmt::format("; bones are {:.1f} degrees off in the mean, {} most ({:.1f})", made.mean_degrees,
                        printable(made.worst_joint), made.worst_degrees);
  return text;
}

Result<void> run_retarget(const RetargetArguments& options, const Console& console) {
  const FileKind kind = kind_of(options.out);
  if (kind != FileKind::kGlb && kind != FileKind::kGltf)
    return usage_error(fmt::format("{}: rigs with clips are written to .glb or .gltf", options.out));
  SINEW_CHECK(check_writable(options.out, console.overwrite()));
  SINEW_TRY(Asset asset, console.read(options.in));
  console.warnings(options.in, asset.warnings);
  if (asset.rig.skeleton.deforming_count() == 0)
    return impossible(fmt::format("{}: has no skeleton; give it one with `sinew rig`", options.in));
  if (options.replace) asset.rig.clips.clear();
  RetargetRequest request;
  request.fps = options.fps;
  request.keep_feet = !options.slide;
  request.progress = console.progress();
  Json clips = Json::array();
  std::string text;
  for (const std::string& file : options.motions) {
    SINEW_TRY(std::vector<RetargetedClip> made,
              motion_clips(console, file, options.clips, asset.rig, options.in, request));
    for (RetargetedClip& clip : made) {
      clip.clip.name = asset.rig.clips[add_clip(asset.rig, clip.clip)].name;
      clips.push_back(to_json(clip, file));
      text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", options.out, clip_text(clip));
    }
  }
  GltfWriteOptions write;
  write.edit.clips = true;
  SINEW_CHECK(save_asset(asset, options.out, console.overwrite(), write));
  console.print({{"clips", clips}, {"output", options.out}}, text);
  return {};
}

}  // namespace

void add_retarget(Program& program) {
  auto options = std::make_shared<RetargetArguments>();
  const Verb verb =
      add_verb(program, "retarget", "fit motions of other skeletons to a rig, as clips",
               "  sinew retarget hero.glb --motion walk.bvh -o hero.walk.glb\n"
               "  sinew retarget hero.glb --motion walk.bvh --motion dance.glb -o hero.moves.glb\n"
               "  sinew retarget hero.glb --motion moves.glb --clips Run --fps 60 -o hero.run.glb\n");
  verb.option("RIG", options->in, "the rig: .glb or .gltf").required();
  verb.option("-o,--output", options->out, "the rig with the clips behind its own: .glb or .gltf").required();
  verb.repeatable("--motion", options->motions, "a motion: .bvh, or .glb or .gltf with clips; repeatable")
      .required();
  verb.repeatable("--clips", options->clips,
                  "take this clip of the motions alone, by name or index; repeatable");
  verb.option("--fps", options->fps, "keys per second").show_default();
  verb.flag("--slide", options->slide,
            "leave feet as the joints turn them, without holding them on the ground");
  verb.flag("--replace", options->replace, "leave the rig's own clips out");
  verb.runs([&program, options] { return run_retarget(*options, program.console); });
}

}  // namespace sinew::cli
