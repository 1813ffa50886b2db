// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/filesystem.h>

#include "job.h"
#include "nouns.h"
#include "sinew/binding/bind.h"
#include "sinew/characters/characters.h"
#include "sinew/io/skeleton_files.h"
#include "sinew/io/write_mesh.h"
#include "sinew/pipeline/bake.h"

namespace sinew::python {
namespace {

using Path = std::filesystem::path;

Overwrite overwrite(bool force) {
  return force ? Overwrite::kYes : Overwrite::kNo;
}

RigObject load(const Path& path, const std::string& up, const std::string& front) {
  Asset asset = run_job(nb::none(), [&](const Progress*) { return read_asset(path, Facing{up, front}); });
  RigObject made;
  made.warnings = asset.warnings;
  made.asset = std::make_shared<const Asset>(std::move(asset));
  return made;
}

SkeletonObject load_skeleton(const Path& path) {
  return {std::make_shared<const Skeleton>(value_of(read_skeleton(path)))};
}

SkeletonObject skeleton_in_bind_pose(const RigObject& rig) {
  if (rig.rig().skeleton.empty()) raise(parameter_error("skeleton", "is a rig without joints"));
  return {std::make_shared<const Skeleton>(value_of(bind_skeleton(rig.rig())))};
}

void save(const RigObject& rig, const Path& path, bool force, int weight_bits) {
  GltfWriteOptions write;
  write.influences = rig.influences;
  write.weight_bits = weight_bits;
  write.edit = rig.edit;
  write.sparse_keys = rig.sparse;
  write.certificate = rig.certificate;
  if (weight_bits != 0 && weight_bits != 8 && weight_bits != 16)
    raise(parameter_error("quantise", "is " + std::to_string(weight_bits) + ": give 8, 16 or 0"));
  run_job(nb::none(), [&](const Progress*) { return save_asset(*rig.asset, path, overwrite(force), write); });
}

void save_plain_mesh(const MeshObject& mesh, const Path& path, bool force) {
  run_job(nb::none(), [&](const Progress*) { return save_mesh(*mesh.mesh, path, overwrite(force)); });
}

using Floats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;

std::vector<std::vector<Vec3f>> frames_of(const Floats& array) {
  const std::size_t n = array.shape(1);
  std::vector<std::vector<Vec3f>> frames(array.shape(0), std::vector<Vec3f>(n));
  for (std::size_t k = 0; k < frames.size(); ++k)
    for (std::size_t i = 0; i < n; ++i) frames[k][i] = Vec3f::Map(array.data() + 3 * (n * k + i));
  return frames;
}

// Frames (frames, vertices, 3) of a rig's mesh, or of `refined`, its subdivided one.
void write_frames(const RigObject& rig, const MeshObject* refined, const Floats& positions,
                  const std::optional<Floats>& normals, double fps, const Path& path, bool force,
                  const nb::object& progress) {
  const PolyMesh& mesh = refined ? *refined->mesh : rig.rig().mesh;
  if (positions.shape(1) != mesh.vertex_count())
    raise(parameter_error("frames", "have " + std::to_string(positions.shape(1)) +
                                        " vertices, and the mesh has " +
                                        std::to_string(mesh.vertex_count())));
  BakedFrames frames{fps, frames_of(positions),
                     normals ? frames_of(*normals) : std::vector<std::vector<Vec3f>>{}};
  Asset plain;
  if (refined) {
    plain = plain_asset(mesh, path.stem().string());
    if (!frames.normals.empty()) plain.rig.mesh.normals = frames.normals[0];
  }
  run_job(progress, [&](const Progress* live) {
    return save_frames(refined ? plain : *rig.asset, frames, path, overwrite(force), live);
  });
}

RigObject make(const std::string& kind, int resolution) {
  Asset asset;
  asset.rig = value_of(make_character(kind, {resolution}));
  return {std::make_shared<const Asset>(std::move(asset))};
}

RigObject rig_of_mesh(const MeshObject& mesh, const std::string& name) {
  return {std::make_shared<const Asset>(plain_asset(*mesh.mesh, name))};
}

// A rig of another program: rows of weights as they are.
RigObject make_rig(const MeshObject& mesh, const SkeletonObject& skeleton, const Doubles& weights) {
  Asset asset = plain_asset(*mesh.mesh, "mesh");
  Rig& rig = asset.rig;
  set_skeleton(rig, *skeleton.skeleton);
  for (MeshPart& part : rig.parts) part.skinned = true;
  const std::size_t joints = rig.skeleton.size();
  rig.weights = {};
  std::vector<Influence> row;
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    row.clear();
    for (std::size_t j = 0; j < joints; ++j)
      if (const double weight = weights.data()[i * joints + j]; weight != 0)
        row.push_back({static_cast<std::uint32_t>(j), weight});
    rig.weights.add_row(row);
  }
  value_of(validate(rig));
  RigObject made;
  made.influences = static_cast<int>((rig.weights.max_influences() + 3) / 4 * 4);
  made.asset = std::make_shared<const Asset>(std::move(asset));
  return made;
}

}  // namespace

void add_files(nb::module_& module) {
  module.def("load", load, nb::arg("path"), nb::arg("up"), nb::arg("front"));
  module.def("load_skeleton", load_skeleton, nb::arg("path"));
  module.def("bind_skeleton", skeleton_in_bind_pose, nb::arg("rig"));
  module.def("save", save, nb::arg("rig"), nb::arg("path"), nb::arg("force"), nb::arg("quantise"));
  module.def("save_mesh", save_plain_mesh, nb::arg("mesh"), nb::arg("path"), nb::arg("force"));
  module.def("save_frames", write_frames, nb::arg("rig"), nb::arg("refined").none(),
             nb::arg("positions").noconvert(), nb::arg("normals").noconvert().none(), nb::arg("fps"),
             nb::arg("path"), nb::arg("force"), nb::arg("progress").none());
  module.def("make", make, nb::arg("kind"), nb::arg("resolution"));
  module.def("rig_of_mesh", rig_of_mesh, nb::arg("mesh"), nb::arg("name"));
  module.def("make_rig", make_rig, nb::arg("mesh"), nb::arg("skeleton"), nb::arg("weights").noconvert());
}

}  // namespace sinew::python
