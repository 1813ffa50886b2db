// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/inbetween.h"

#include <fmt/format.h>

#include "sinew/core/text.h"
#include "sinew/io/write_mesh.h"
#include "sinew/pipeline/bake.h"
#include "sinew/rig/skinned_mesh.h"
#include "verbs.h"
#include "words.h"

namespace sinew::cli {
namespace {

constexpr int kFramesBetween =
    23;  // of two shapes, where nobody says otherwise: the second is the 24th frame

struct InbetweenArguments {
  std::vector<std::string> in;
  std::string out, motion = "skeleton";
  InbetweenRequest request;
};

Result<std::vector<PolyMesh>> read_shapes(const InbetweenArguments& options, const Console& console) {
  std::vector<PolyMesh> shapes;
  for (const std::string& file : options.in) {
    SINEW_TRY(const Asset asset, console.read(file));
    console.warnings(file, asset.warnings);
    if (asset.rig.mesh.vertex_count() == 0) return bad_input(fmt::format("{}: holds no mesh", file));
    PolyMesh mesh = skinned_mesh(asset.rig, rest_pose(asset.rig.skeleton));
    if (!shapes.empty() && mesh.vertex_count() != shapes[0].vertex_count())
      return bad_input(
          fmt::format("{}: has {} vertices and {} has {}; in-betweens need the same mesh in "
                      "every file",
                      file, mesh.vertex_count(), options.in[0], shapes[0].vertex_count()));
    if (!shapes.empty() && mesh.face_vertices != shapes[0].face_vertices)
      console.warn(fmt::format("{}: its faces differ from those of {}, which are used", file, options.in[0]));
    shapes.push_back(std::move(mesh));
  }
  return shapes;
}

Result<void> check_output(const InbetweenArguments& options, const Console& console) {
  const FileKind kind = kind_of(options.out);
  if (kind != FileKind::kFolder) return check_writable(options.out, console.overwrite());
  std::error_code failure;
  if (!console.force && std::filesystem::exists(options.out, failure)) return exists_already(options.out);
  return {};
}

Json optional_number(const std::optional<double>& change) {
  return change ? Json(*change) : Json(nullptr);
}

// "limb lengths within 0.4 % (straight lines: 24.1 %), volume within 1.2 % (8.3 %)"
std::string changes_text(const InbetweenReport& report) {
  std::string text;
  const auto add = [&](const char* what, const std::optional<double>& now,
                       const std::optional<double>& straight) {
    if (now && straight)
      text += fmt::format("{}{} within {:.2g} % (straight lines {:.2g} %)", text.empty() ? "" : ", ", what,
                          100 * std::abs(*now), 100 * std::abs(*straight));
  };
  add("limb lengths", report.changes.limbs, report.straight.limbs);
  add("volume", report.changes.volume, report.straight.volume);
  return text;
}

Result<void> run_inbetween(const InbetweenArguments& options, const Console& console) {
  SINEW_CHECK(check_output(options, console));
  SINEW_TRY(std::vector<PolyMesh> shapes, read_shapes(options, console));
  const FileKind kind = kind_of(options.out);
  InbetweenRequest request = options.request;
  if (options.motion == "paper")
    request.motion = InbetweenMotion::kPaper;
  else if (options.motion != "skeleton")
    return parameter_error("motion",
                           fmt::format("is '{}': give skeleton or paper", printable(options.motion)));
  if (request.frames == 0) request.frames = 1 + kFramesBetween * static_cast<int>(shapes.size() - 1);
  request.normals = kind == FileKind::kGlb || kind == FileKind::kGltf;
  request.progress = console.progress();
  InbetweenReport report;
  SINEW_TRY(const BakedFrames frames, inbetween(shapes, request, &report));
  console.warnings(options.in[0], report.warnings);
  Asset asset = plain_asset(std::move(shapes[0]), std::filesystem::path(options.in[0]).stem().string());
  asset.rig.mesh.normals = request.normals ? frames.normals[0] : std::vector<Vec3f>{};
  SINEW_CHECK(save_frames(asset, frames, options.out, console.overwrite(), console.progress()));
  const std::string changes = changes_text(report);
  console.print(
      {{"frames", frames.positions.size()},
       {"milliseconds", report.milliseconds},
       {"curves_milliseconds", report.curves_milliseconds},
       {"fps", frames.fps},
       {"rings", report.rings},
       {"closed_rings", report.closed},
       {"from_quads", report.from_quads},
       {"stiffest", report.stiffest},
       {"motion", options.motion},
       {"skeleton", report.skeleton.empty() ? Json(nullptr) : Json(report.skeleton)},
       {"joints", report.joints},
       {"skeleton_milliseconds", report.skeleton_milliseconds},
       {"limb_length_change", optional_number(report.changes.limbs)},
       {"volume_change", optional_number(report.changes.volume)},
       {"straight_limb_length_change", optional_number(report.straight.limbs)},
       {"straight_volume_change", optional_number(report.straight.volume)}},
      fmt::format("{}: {} in {:.2f} ms, {}, {} closed{}{}", options.out,
                  counted(frames.positions.size(), "frame"), report.milliseconds,
                  counted(report.rings, "curve"), report.closed, changes.empty() ? "" : "\n", changes));
  return {};
}

}  // namespace

void add_inbetween(Program& program) {
  auto options = std::make_shared<InbetweenArguments>();
  const Verb verb = add_verb(
      program, "inbetween", "interpolate between shapes of a mesh by elastic curves along its skeleton",
      "  sinew inbetween stand.obj crouch.obj -o crouching.glb\n"
      "  sinew inbetween a.obj b.obj c.obj --frames 49 -o frames\n"
      "  sinew inbetween a.obj b.obj --frames 9 --motion paper --stiffest 1 -o soft.pc2\n");
  verb.option("SHAPES", options->in, "two or more files of one mesh, in order").required().values(2, 1 << 16);
  verb.option("-o,--output", options->out,
              ".glb or .gltf (morph targets and a clip), .pc2 or .mdd (vertex caches), or a folder of .obj "
              "files (no file extension)")
      .required();
  verb.option("--frames", options->request.frames, "total frames, including the first and last shape")
      .show_default("24, and 23 for each further shape")
      .range(2, 1000000);
  verb.option("--fps", options->request.fps, "frames per second").show_default().range(0.001, 1000.0);
  verb.option("--motion", options->motion,
              "skeleton: curves follow the skeleton found in the shapes, and bend on top of that; paper: "
              "curves alone, as published")
      .show_default();
  CurveMaterial& material = options->request.options.material;
  verb.option("--bending", material.bending,
              "flexural rigidity EI of every curve, for unit length and unit time (default: from --slowest "
              "or --stiffest)");
  verb.option("--mass", material.mass, "mass per length (rho A) of every curve, with --bending")
      .show_default();
  verb.option("--slowest", material.slowest,
              "for --motion skeleton: phase in radians that the lowest bending mode of each curve reaches; "
              "higher modes are damped and do not overshoot")
      .show_default();
  verb.option("--stiffest", material.stiffest,
              "for --motion paper: phase in radians that the highest bending mode of each curve reaches; "
              "above pi it overshoots")
      .show_default();
  verb.option("--steps", options->request.options.least_steps, "minimum time steps between two shapes")
      .show_default();
  verb.runs([&program, options] { return run_inbetween(*options, program.console); });
}

}  // namespace sinew::cli
