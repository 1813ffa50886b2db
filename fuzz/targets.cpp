// SPDX-License-Identifier: Apache-2.0
#include "targets.h"

#include <cmath>
#include <utility>

#include "sinew/io/gltf.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/skeleton_files.h"

namespace sinew::fuzz {
namespace {

std::string check_error(const Error& error) {
  if (error.code != ErrorCode::kBadInput) return "an error that is not kBadInput: " + error.message;
  if (error.message.find("fuzz.") == std::string::npos)
    return "an error that does not name the file: " + error.message;
  return {};
}

std::string check_mesh(const PolyMesh& mesh) {
  for (const Vec3& position : mesh.positions)
    if (!position.allFinite()) return "a position that is not finite";
  for (const std::uint32_t corner : mesh.face_vertices)
    if (corner >= mesh.vertex_count()) return "an index out of range";
  for (std::size_t f = 0; f < mesh.face_count(); ++f)
    if (mesh.face_offsets[f] + 3 > mesh.face_offsets[f + 1]) return "a face with fewer than three corners";
  if (mesh.face_count() > 0 && mesh.face_offsets.back() != mesh.face_vertices.size())
    return "offsets that do not fit the corners";
  if (!mesh.normals.empty() && mesh.normals.size() != mesh.vertex_count()) return "a wrong number of normals";
  if (!mesh.texcoords.empty() && mesh.texcoords.size() != mesh.vertex_count())
    return "a wrong number of texture coordinates";
  for (const Vec3f& normal : mesh.normals)
    if (!normal.allFinite()) return "a normal that is not finite";
  for (const Vec2f& texcoord : mesh.texcoords)
    if (!texcoord.allFinite()) return "a texture coordinate that is not finite";
  return {};
}

using MeshReader = Result<MeshFile> (*)(std::string_view, std::string_view);
using MeshWriter = std::string (*)(const PolyMesh&);

std::string mesh_target(std::string_view bytes, MeshReader read, MeshWriter write,
                        MeshReader read_again = nullptr) {
  const auto file = read(bytes, "fuzz.bin");
  if (!file.ok()) return check_error(file.error());
  if (std::string wrong = check_mesh(file->mesh); !wrong.empty()) return wrong;
  // An OBJ file needs a vertex to be one; what has none need not come back.
  if (file->mesh.vertex_count() == 0) return {};
  const auto again = (read_again ? read_again : read)(write(file->mesh), "fuzz.again");
  if (!again.ok()) return "what was written is not read: " + again.error().message;
  if (read != read_stl) {
    if (again->mesh.vertex_count() != file->mesh.vertex_count()) return "vertices got lost in writing";
    if (again->mesh.face_vertices != file->mesh.face_vertices) return "faces changed in writing";
  }
  return check_mesh(again->mesh);
}

std::string check_clip(const Clip& clip, const Skeleton& skeleton) {
  for (const Channel& channel : clip.channels) {
    if (channel.joint < 0 || static_cast<std::size_t>(channel.joint) >= skeleton.size())
      return "a channel of no joint";
    if (channel.values.size() != channel.times.size() * static_cast<std::size_t>(channel.width))
      return "a wrong number of values";
    for (const float value : channel.values)
      if (!std::isfinite(value)) return "a value that is not finite";
    for (std::size_t k = 1; k < channel.times.size(); ++k)
      if (!(channel.times[k] > channel.times[k - 1])) return "times that do not rise";
  }
  return {};
}

std::string skeleton_target(std::string_view bytes,
                            Result<SkeletonFile> (*read)(std::string_view, std::string_view)) {
  const auto file = read(bytes, "fuzz.bin");
  if (!file.ok()) return check_error(file.error());
  Rig rig;
  rig.skeleton = file->skeleton;
  for (const Joint& joint : file->skeleton.joints())
    if (!joint.rest_local.matrix().allFinite()) return "a transform that is not finite";
  for (const Clip& clip : file->clips)
    if (std::string wrong = check_clip(clip, file->skeleton); !wrong.empty()) return wrong;
  for (const Affine3& global : global_transforms(file->skeleton, rest_pose(file->skeleton).local))
    if (!global.matrix().allFinite()) return "a rest pose that is not finite";
  return {};
}

std::string check_gltf_writing(const Rig& rig, const GltfDocument* document,
                               const GltfWriteOptions& options) {
  const auto written = write_gltf(rig, document, options);
  if (!written.ok()) return "what was read is not written: " + written.error().message;
  const auto again = read_gltf(*written, "/nonexistent/fuzz.again.glb");
  if (!again.ok()) return "what was written is not read: " + again.error().message;
  if (again->rig.mesh.vertex_count() != rig.mesh.vertex_count()) return "vertices got lost in writing";
  if (const auto valid = validate(again->rig); !valid.ok())
    return "an unsound rig after writing: " + valid.error().message;
  return {};
}

std::string fuzz_gltf(std::string_view bytes) {
  // A folder that does not exist: nothing outside the bytes can be read.
  const auto file = read_gltf(bytes, "/nonexistent/fuzz.glb");
  if (!file.ok()) return check_error(file.error());
  if (const auto valid = validate(file->rig); !valid.ok()) return "an unsound rig: " + valid.error().message;
  // Copied, with all that can be edited, and as a new file.
  GltfWriteOptions edited;
  edited.edit.geometry = edited.edit.skin = edited.edit.keys = edited.edit.clips = true;
  const std::pair<const GltfDocument*, GltfWriteOptions> ways[] = {
      {file->document.get(), {}}, {file->document.get(), edited}, {nullptr, {}}};
  for (const auto& [document, options] : ways)
    if (std::string wrong = check_gltf_writing(file->rig, document, options); !wrong.empty()) return wrong;
  return {};
}

}  // namespace

const std::vector<NamedTarget>& targets() {
  static const std::vector<NamedTarget> all = {
      {"gltf", fuzz_gltf},
      {"obj", [](std::string_view bytes) { return mesh_target(bytes, read_obj, write_obj); }},
      {"ply", [](std::string_view bytes) { return mesh_target(bytes, read_ply, write_ply); }},
      {"off", [](std::string_view bytes) { return mesh_target(bytes, read_off, write_off); }},
      {"stl", [](std::string_view bytes) { return mesh_target(bytes, read_stl, write_stl); }},
      // Which is not written: as .ply.
      {"medit", [](std::string_view bytes) { return mesh_target(bytes, read_medit, write_ply, read_ply); }},
      {"bvh", [](std::string_view bytes) { return skeleton_target(bytes, read_bvh); }},
      {"tgf", [](std::string_view bytes) { return skeleton_target(bytes, read_tgf); }},
      {"skeleton_json", [](std::string_view bytes) { return skeleton_target(bytes, read_skeleton_json); }},
  };
  return all;
}

}  // namespace sinew::fuzz
