// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "joint_naming.h"
#include "sinew/binding/bind.h"
#include "sinew/io/write_mesh.h"
#include "sinew/skeleton/conventions.h"
#include "skeleton_options.h"

namespace sinew::cli {
namespace {

struct SkeletonArguments {
  std::vector<std::string> in;
  std::string out;
  SkeletonOptions skeleton;
};

Result<void> save_skeleton_json(const Skeleton& skeleton, const std::string& file, Overwrite overwrite) {
  Json joints = Json::array();
  const auto globals = global_transforms(skeleton, rest_pose(skeleton).local);
  const std::vector<Bone> bones = bones_of(skeleton, globals);
  // What lies above the bones deforms nothing: there is no place for it here.
  const auto above = [&](std::size_t j) {
    return skeleton[j].parent < static_cast<int>(bones.size()) ? skeleton[j].parent : -1;
  };
  for (std::size_t j = 0; j < bones.size(); ++j)
    joints.push_back({{"name", skeleton[j].name},
                      {"parent", above(j)},
                      {"head", {bones[j].head.x(), bones[j].head.y(), bones[j].head.z()}},
                      {"tail", {bones[j].tail.x(), bones[j].tail.y(), bones[j].tail.z()}}});
  return write_file(file, Json{{"joints", joints}}.dump(1) + "\n", overwrite);
}

Result<void> run_skeleton(const SkeletonArguments& options, const Console& console) {
  if (!options.skeleton.names.empty()) SINEW_CHECK(check_convention(options.skeleton.names));
  const bool plain = options.out.ends_with(".json");
  if (!plain) {
    SINEW_TRY(const FileKind kind, writable_kind(options.out));
    if (kind != FileKind::kGlb && kind != FileKind::kGltf)
      return usage_error(fmt::format("{}: skeletons are written to .glb, .gltf or .json", options.out));
  }
  SINEW_CHECK(check_writable(options.out, console.overwrite()));
  std::vector<Asset> assets;
  for (const std::string& file : options.in) {
    SINEW_TRY(Asset asset, console.read(file));
    console.warnings(file, asset.warnings);
    if (asset.rig.mesh.face_count() == 0) return bad_input(fmt::format("{}: holds no mesh", file));
    assets.push_back(std::move(asset));
  }
  std::vector<const PolyMesh*> poses;
  for (const Asset& asset : assets) poses.push_back(&asset.rig.mesh);
  SINEW_TRY(FoundSkeleton found, options.skeleton.find(console, options.in[0], poses));
  // Clips of the file go by the names before.
  const std::size_t clips = count_joint_clips(assets[0].rig);
  set_skeleton(assets[0].rig, found.skeleton);
  Json document = Json::object();
  SINEW_CHECK(rename_joints(console, options.in[0], options.skeleton.names, assets[0].rig, document));
  found.skeleton = assets[0].rig.skeleton;
  if (plain) {
    SINEW_CHECK(save_skeleton_json(found.skeleton, options.out, console.overwrite()));
  } else {
    Rig& rig = assets[0].rig;
    note_clips(console, options.in[0], clips, count_joint_clips(rig));
    for (MeshPart& part : rig.parts) part.skinned = true;
    GltfWriteOptions write;
    write.edit.skin = true;
    SINEW_CHECK(save_asset(assets[0], options.out, console.overwrite(), write));
  }
  document.update(to_json(found));
  document["output"] = options.out;
  console.print(document, fmt::format("{}: {}", options.out, to_text(found)));
  return {};
}

}  // namespace

void add_skeleton(Program& program) {
  auto options = std::make_shared<SkeletonArguments>();
  const Verb verb = add_verb(program, "skeleton", "fit a skeleton into a mesh",
                             "  sinew skeleton body.obj -o body.glb\n"
                             "  sinew skeleton rest.obj bent.obj --template biped -o body.glb\n"
                             "  sinew skeleton spider.glb --template none -o spider.rig.glb\n"
                             "  sinew skeleton hero.obj --names unreal --root ground -o hero.glb\n"
                             "  sinew skeleton cat.ply --template mycat.glb -o cat.json --curves cat.obj\n");
  verb.option("IN", options->in,
              "the mesh: .glb, .gltf, .obj, .ply, .off, .stl; several: one mesh in several poses")
      .required();
  verb.option("-o,--output", options->out, "the skeleton: .glb or .gltf with the mesh, .json alone")
      .required();
  verb.option(
      "--template", options->skeleton.request.skeleton_template,
      fmt::format("{}, none (joints where the limbs meet and bend), or a rigged file (default: what fits "
                  "best, else none; arm and cylinder only by name)",
                  template_names()));
  options->skeleton.add_to(verb);
  verb.runs([&program, options] { return run_skeleton(*options, program.console); });
}

}  // namespace sinew::cli
