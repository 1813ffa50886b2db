// SPDX-License-Identifier: Apache-2.0
#include "skeleton_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/io/write_mesh.h"
#include "sinew/skeleton/conventions.h"
#include "sinew/skeleton/pose.h"
#include "words.h"

namespace sinew::cli {
namespace {

// Polylines: .obj with `l` lines, or .json with centres and radii.
Result<void> save_curves(const std::vector<Curve>& curves, const std::string& file, Overwrite overwrite) {
  std::string text;
  if (file.ends_with(".json")) {
    Json list = Json::array();
    for (const Curve& curve : curves) {
      Json points = Json::array();
      for (std::size_t k = 0; k < curve.points.size(); ++k) {
        const Vec3& p = curve.points[k];
        points.push_back({{"centre", {p.x(), p.y(), p.z()}}, {"radius", curve.radii[k]}});
      }
      list.push_back(points);
    }
    text = Json{{"curves", list}}.dump(1) + "\n";
  } else if (file.ends_with(".obj")) {
    std::size_t first = 1;
    for (const Curve& curve : curves) {
      for (const Vec3& p : curve.points) text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", p.x(), p.y(), p.z());
      text += "l";
      for (std::size_t k = 0; k < curve.points.size(); ++k) text += fmt::format(" {}", first + k);
      text += "\n";
      first += curve.points.size();
    }
  } else {
    return usage_error(fmt::format("{}: curves are written to .obj or .json", file));
  }
  return write_file(file, text, overwrite);
}

Error named(const std::string& file, const Error& error) {
  if (error.code == ErrorCode::kUsage) return error;
  return {error.code, fmt::format("{}: {}", file, error.message)};
}

Error nothing_fits(const std::string& file, const FoundSkeleton& found) {
  return impossible(
      fmt::format("{}: {}; give the joints with --skeleton FILE, a template with --template NAME|FILE, or "
                  "save the curves that were found with --curves FILE.obj",
                  file, found.problem));
}

constexpr double kSureEnough = 0.65;  // the confidence below which alternatives are told
constexpr std::size_t kMostAlternatives = 3;

// What else the mesh may be, and how to ask for it.
void note_alternatives(const Console& console, const std::string& file, const FoundSkeleton& found) {
  if (found.confidence >= kSureEnough) return;
  std::vector<TemplateCost> others;
  for (const TemplateCost& one : found.tried)
    if (one.name != found.name && std::isfinite(one.cost)) others.push_back(one);
  std::stable_sort(others.begin(), others.end(),
                   [](const TemplateCost& a, const TemplateCost& b) { return a.cost < b.cost; });
  if (others.size() > kMostAlternatives) others.resize(kMostAlternatives);
  std::string list;
  for (const TemplateCost& one : others)
    list += fmt::format("\n  sinew skeleton {} --template {} -o OUT.glb", file, one.name);
  if (found.name != "none") list += fmt::format("\n  sinew skeleton {} --template none -o OUT.glb", file);
  if (found.method != SkeletonMethod::kVolume)
    list += fmt::format("\n  sinew skeleton {} --through-volume -o OUT.glb", file);
  console.note(fmt::format("{}: confidence is {:.0f} % only; look at the skeleton, or try{}", file,
                           100 * found.confidence, list));
}

}  // namespace

void SkeletonOptions::add_to(const Verb& verb) {
  verb.option("--names", names,
              "naming convention of a humanoid's joints: " + convention_list() +
                  " (default: the template's, which is mixamo, or the file's own)");
  verb.option("--axes", request.axes,
              "joint axes: bone (y along the bone, x the axis about which it bends, mirrored left and right) "
              "or world (x left, y up, z forward)")
      .show_default();
  verb.option("--root", request.root,
              "a joint above all others: none, or ground (on the ground under the body, by which game "
              "engines move it; "
              "it deforms nothing)")
      .show_default();
  verb.option("--curves", curves, "also save the curve skeleton: .obj (lines) or .json (centres and radii)");
  verb.option(
      "--tip", request.tips,
      "a vertex at the tip of a limb, the head or the tail, by its index from 0; repeatable: these are "
      "all tips, instead of those that are found");
  verb.option("--joints", request.joints,
              "about so many joints: long bones are cut in two, or straight ones joined (default: as many as "
              "the template has)");
  verb.flag("--through-volume", request.volume,
            "search for limbs in a solid voxel grid, without trying the surface first");
}

Result<void> SkeletonOptions::keep_curves(const Console& console, const FoundSkeleton& found) const {
  return curves.empty() ? Result<void>() : save_curves(found.curves, curves, console.overwrite());
}

Result<FoundSkeleton> SkeletonOptions::find(const Console& console, const std::string& file,
                                            std::span<const PolyMesh* const> poses) const {
  if (!curves.empty()) SINEW_CHECK(check_writable(curves, console.overwrite()));
  SkeletonRequest wanted = request;
  wanted.progress = console.progress();
  Result<FoundSkeleton> found = auto_skeleton(poses, wanted);
  if (!found) return named(file, found.error());
  SINEW_CHECK(keep_curves(console, *found));
  if (found->skeleton.empty()) return nothing_fits(file, *found);
  if (request.skeleton_template.empty()) note_alternatives(console, file, *found);
  return found;
}

Result<SkeletonFor> SkeletonOptions::give(const Console& console, const std::string& file, Rig& rig) const {
  if (!curves.empty()) SINEW_CHECK(check_writable(curves, console.overwrite()));
  SkeletonRequest wanted = request;
  wanted.progress = console.progress();
  Result<SkeletonFor> made = find_skeleton_for(rig, wanted);
  if (!made) return named(file, made.error());
  SINEW_CHECK(keep_curves(console, made->found));
  if (!made->given) return nothing_fits(file, made->found);
  if (request.skeleton_template.empty()) note_alternatives(console, file, made->found);
  return made;
}

std::size_t count_joint_clips(const Rig& rig) {
  return static_cast<std::size_t>(std::count_if(rig.clips.begin(), rig.clips.end(), [](const Clip& clip) {
    return std::any_of(clip.channels.begin(), clip.channels.end(),
                       [](const Channel& c) { return c.path != ChannelPath::kKeyWeights; });
  }));
}

void note_clips(const Console& console, const std::string& file, std::size_t before, std::size_t after) {
  if (after > 0)
    console.note(fmt::format("{}: {} {} carried over to the new joints, by their names", file,
                             counted(after, "clip"), after == 1 ? "is" : "are"));
  if (const std::size_t gone = before - after; gone > 0)
    console.warn(fmt::format("{}: {} of the joints it had {} left out: the new joints are others", file,
                             counted(gone, "clip"), gone == 1 ? "is" : "are"));
}

std::string to_text(const FoundSkeleton& found) {
  const char* way = found.method == SkeletonMethod::kRings     ? "by the rings of its quads"
                    : found.method == SkeletonMethod::kSurface ? "along its surface"
                                                               : "through a solid voxel grid";
  return fmt::format("{} {} {} (confidence {:.0f} %{}), {} of {}, {:.1f} ms",
                     counted(found.skeleton.deforming_count(), "joint"), describe_template(found), way,
                     100 * found.confidence, found.symmetric ? ", symmetric" : "",
                     counted(found.curves.size(), "curve"), counted(found.rings, "ring"),
                     found.curve_ms + found.skeleton_ms);
}

}  // namespace sinew::cli
