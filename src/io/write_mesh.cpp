// SPDX-License-Identifier: Apache-2.0
#include "sinew/io/write_mesh.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "sinew/core/text.h"
#include "sinew/io/mesh_files.h"
#include "sinew/rig/skinned_mesh.h"

namespace sinew {
namespace {

constexpr std::array<std::pair<std::string_view, FileKind>, 8> kEndings = {{{".glb", FileKind::kGlb},
                                                                            {".gltf", FileKind::kGltf},
                                                                            {".obj", FileKind::kObj},
                                                                            {".ply", FileKind::kPly},
                                                                            {".off", FileKind::kOff},
                                                                            {".stl", FileKind::kStl},
                                                                            {".pc2", FileKind::kPc2},
                                                                            {".mdd", FileKind::kMdd}}};

std::string text_of(const PolyMesh& mesh, FileKind kind) {
  switch (kind) {
    case FileKind::kPly:
      return write_ply(mesh);
    case FileKind::kOff:
      return write_off(mesh);
    case FileKind::kStl:
      return write_stl(mesh);
    default:
      return write_obj(mesh);
  }
}

}  // namespace

FileKind kind_of(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending.empty()) return FileKind::kFolder;
  for (const auto& [name, kind] : kEndings)
    if (equals_ignoring_case(ending, name)) return kind;
  return FileKind::kUnknown;
}

Result<FileKind> writable_kind(const std::filesystem::path& path) {
  const FileKind kind = kind_of(path);
  if (kind == FileKind::kUnknown || kind == FileKind::kFolder || kind == FileKind::kPc2 ||
      kind == FileKind::kMdd)
    return usage_error(
        fmt::format("{}: the output must end in .glb, .gltf, .obj, .ply, .off or .stl", path.string()));
  return kind;
}

Result<void> save_asset(const Asset& asset, const std::filesystem::path& path, Overwrite overwrite,
                        GltfWriteOptions options) {
  SINEW_TRY(const FileKind kind, writable_kind(path));
  SINEW_CHECK(check_writable(path, overwrite));
  if (kind == FileKind::kGlb || kind == FileKind::kGltf) {
    options.binary = kind == FileKind::kGlb;
    SINEW_TRY(const std::string bytes, write_gltf(asset.rig, asset.document.get(), options));
    return write_file(path, bytes, overwrite);
  }
  return write_file(path, text_of(skinned_mesh(asset.rig, rest_pose(asset.rig.skeleton)), kind), overwrite);
}

Result<void> save_mesh(const PolyMesh& mesh, const std::filesystem::path& path, Overwrite overwrite) {
  Asset asset;
  asset.rig.mesh = mesh;
  asset.rig.parts.push_back({path.stem().string(), 0, mesh.vertex_count(), 0, mesh.face_count()});
  asset.rig.weights.offsets.assign(mesh.vertex_count() + 1, 0);
  return save_asset(asset, path, overwrite);
}

}  // namespace sinew
