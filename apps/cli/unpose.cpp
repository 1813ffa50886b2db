// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/unpose.h"

#include <fmt/format.h>

#include "pose_options.h"
#include "sinew/io/write_mesh.h"
#include "sinew/pipeline/keys.h"
#include "verbs.h"
#include "words.h"

namespace sinew::cli {
namespace {

struct UnposeArguments {
  std::string in, edited, out, key;
  PoseOptions pose;
};

Result<void> save(const UnposeArguments& options, const Console& console, Asset& asset,
                  std::vector<Vec3> rest) {
  SINEW_TRY(const FileKind kind, writable_kind(options.out));
  const bool scene = kind == FileKind::kGlb || kind == FileKind::kGltf;
  if (!options.key.empty()) {
    if (!scene) return usage_error(fmt::format("{}: a key is written to .glb or .gltf", options.out));
    SINEW_CHECK(add_key(asset.rig, options.key, rest));
    GltfWriteOptions write;
    write.edit.keys = true;
    return save_asset(asset, options.out, console.overwrite(), write);
  }
  asset.rig.mesh.positions = std::move(rest);
  asset.rig.mesh.normals.clear();
  if (!scene) return save_posed(asset, asset.rig.mesh, options.out, console.overwrite());
  GltfWriteOptions write;
  write.edit.geometry = true;
  return save_asset(asset, options.out, console.overwrite(), write);
}

Result<void> run_unpose(const UnposeArguments& options, const Console& console) {
  SINEW_CHECK(writable_kind(options.out));
  SINEW_CHECK(check_writable(options.out, console.overwrite()));
  SINEW_TRY(const PoseRequest request, options.pose.request());
  SINEW_TRY(Asset asset, console.read(options.in));
  console.warnings(options.in, asset.warnings);
  SINEW_TRY(const Pose pose, make_pose(asset.rig, request));
  SINEW_TRY(const Asset edited, console.read(options.edited));
  console.warnings(options.edited, edited.warnings);
  SINEW_TRY(const DeformChoice deform, options.pose.choice(console, asset.rig));
  UnposeReport report;
  auto rest = unposed(asset.rig, pose, deform, edited.rig.mesh.positions, report);
  if (!rest) return in_file(options.edited, rest.error());
  console.warnings(options.edited, report.warnings);
  SINEW_CHECK(save(options, console, asset, *std::move(rest)));
  if (!report.singular.empty())
    console.warn(fmt::format("{}: {} cannot be unposed and stay unchanged, the first is {}", options.edited,
                             counted(report.singular.size(), "vertex", "vertices"), report.singular[0]));
  console.print(
      {{"changed", report.changed},
       {"singular", report.singular.size()},
       {"residual", report.residual},
       {"singular_vertices", report.singular}},
      fmt::format("{}: {} changed, {} of them singular, residual {:.1e} of the mesh's size", options.out,
                  counted(report.changed, "vertex", "vertices"), report.singular.size(), report.residual));
  return {};
}

}  // namespace

void add_unpose(Program& program) {
  auto options = std::make_shared<UnposeArguments>();
  const Verb verb =
      add_verb(program, "unpose", "transfer an edit of a posed mesh to the rest shape, or to a shape key",
               "  sinew unpose arm.glb --edited bent.obj --set ForeArm=0,0,90 -o rest.obj\n"
               "  sinew unpose arm.glb --edited bent.obj --set ForeArm=0,0,90 --as-key bulge -o keyed.glb\n");
  verb.option("IN", options->in, "the rig: .glb or .gltf").required();
  verb.option("--edited", options->edited, "the edited mesh in that pose, in the rig's vertex order")
      .required();
  verb.option("-o,--output", options->out, "the rest mesh, or as .glb the rig with it").required();
  verb.option("--as-key", options->key, "NAME: keep the rest mesh and store the edit as this shape key");
  options->pose.add_pose_to(verb);
  options->pose.add_deformer_to(verb);
  verb.runs([&program, options] { return run_unpose(*options, program.console); });
}

}  // namespace sinew::cli
