// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "pose_options.h"
#include "sinew/deform/vertex_ik.h"
#include "sinew/io/write_mesh.h"
#include "sinew/measure/shape.h"
#include "sinew/pipeline/bake.h"
#include "sinew/player/shape_key.h"
#include "verbs.h"

namespace sinew::cli {
namespace {

struct PoseArguments {
  std::string in, out;
  std::string key = "shape";
  bool apply = false;
  PoseOptions pose;
};

// Steps towards the least energy that a frame takes.
int steps_in(const Stack& stack) {
  for (const StackEntry& entry : stack)
    if (entry.step == "skeleton") return steps_of(entry.word("deformer", "lbs"), entry.settings);
  return 0;
}

Result<void> run_pose(const PoseArguments& options, const Console& console) {
  SINEW_TRY(const FileKind kind, writable_kind(options.out));
  SINEW_CHECK(check_writable(options.out, console.overwrite()));
  SINEW_TRY(const PoseRequest request, options.pose.request());
  SINEW_TRY(Asset asset, console.read(options.in));
  console.warnings(options.in, asset.warnings);
  SINEW_TRY(Pose pose, make_pose(asset.rig, request));
  SINEW_TRY(DeformChoice choice, options.pose.choice(console, asset.rig));
  const bool scene = kind == FileKind::kGlb || kind == FileKind::kGltf;
  if (scene && !options.apply)
    choice.stack = without_subdivision(std::move(choice.stack));  // that is the rig
  if (options.pose.drive_joints) {
    SINEW_TRY(VertexIk driven, pose_by_vertices(asset.rig, pose, choice.held));
    console.warnings(options.in,
                     {fmt::format("the vertices come within {:.3g} of their targets", driven.distance)});
    pose = std::move(driven.pose);
    choice.held.clear();
  }
  auto posed = timed_frame(asset.rig, pose, choice);
  if (!posed) return in_file(options.in, posed.error());
  TimedFrame frame = *std::move(posed);
  console.warnings(options.in, frame.made);
  const auto change = volume_change(frame.rest ? *frame.rest : asset.rig.mesh, frame.mesh.positions);
  if (is_cancelled(console.progress())) return cancelled();

  GltfWriteOptions write;
  if (scene && !options.apply) {
    // Joints cannot say where handles have pulled the mesh: a shape key does.
    if (!choice.held.empty() || !choice.controls.handles.empty()) {
      add_shape_as_key(asset.rig, pose, frame.mesh.positions, options.key);
      write.edit.keys = true;
    }
    write.edit.pose = true;
    write.posed = &pose;
    SINEW_CHECK(save_asset(asset, options.out, console.overwrite(), write));
  } else if (scene) {
    write.without_skin = true;
    if (asset.document && summarise(*asset.document).tangents)
      console.warn(fmt::format("{}: tangents are left out: they belong to the rest shape", options.in));
    if (frame.rest) {
      if (asset.document)
        console.warn(fmt::format("{}: the subdivided mesh is written without materials", options.in));
      asset = plain_asset(std::move(frame.mesh), std::filesystem::path(options.in).stem().string());
    } else {
      asset.rig.mesh = std::move(frame.mesh);
    }
    SINEW_CHECK(save_asset(asset, options.out, console.overwrite(), write));
  } else {
    SINEW_CHECK(save_posed(asset, frame.mesh, options.out, console.overwrite()));
  }
  const std::string deformer = deformer_of(choice.stack);
  const std::size_t vertices = frame.rest ? frame.rest->vertex_count() : asset.rig.mesh.vertex_count();
  const int steps = frame.energy ? steps_in(choice.stack) : 0;
  console.print({{"deformer", deformer},
                 {"milliseconds", frame.milliseconds},
                 {"vertices", vertices},
                 {"energy", frame.energy ? Json(*frame.energy) : Json(nullptr)},
                 {"iterations", steps > 0 ? Json(steps) : Json(nullptr)},
                 {"volume_change", change ? Json(*change) : Json(nullptr)}},
                fmt::format("{}: {} by {}, {:.3f} ms per frame", options.out, options.in, deformer,
                            frame.milliseconds));
  return {};
}

}  // namespace

void add_pose(Program& program) {
  auto options = std::make_shared<PoseArguments>();
  const Verb verb =
      add_verb(program, "pose", "pose a rig, and write the deformed mesh or the rig in that pose",
               "  sinew pose biped.glb --set LeftForeArm=0,-60,0 --deformer dqs -o bent.obj\n"
               "  sinew pose biped.glb --clip walk --time 0.5 -o step.glb\n"
               "  sinew pose arm.obj --deformer arap --handle 12=0,1,0 --handles held.json -o pulled.obj\n");
  verb.option("IN", options->in, "the rig: .glb or .gltf (or any mesh)").required();
  verb.option("-o,--output", options->out,
              "the file to write: .obj, .ply, .off, .stl: the deformed mesh; .glb: the rig")
      .required();
  verb.flag("--apply", options->apply, "write the deformed mesh, without a skin, to a .glb");
  verb.flag("--drive-joints", options->pose.drive_joints,
            "--handle and --handles rotate the joints (inverse kinematics) instead of deforming the mesh");
  verb.option("--key-name", options->key, "name of the shape key that handles create in a .glb")
      .show_default();
  options->pose.add_pose_to(verb);
  options->pose.add_deformer_to(verb);
  verb.runs([&program, options] { return run_pose(*options, program.console); });
}

}  // namespace sinew::cli
