// SPDX-License-Identifier: Apache-2.0
#include "sinew/io/asset.h"

#include <Eigen/LU>
#include <string>

#include "sinew/core/text.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/skeleton_files.h"

namespace sinew {
namespace {

using MeshReader = Result<MeshFile> (*)(std::string_view, std::string_view);
using SkeletonReader = Result<SkeletonFile> (*)(std::string_view, std::string_view);

struct MeshFormat {
  std::string_view ending;
  MeshReader read;
};
constexpr MeshFormat kMeshFormats[] = {
    {".obj", read_obj}, {".ply", read_ply}, {".off", read_off}, {".stl", read_stl}, {".mesh", read_medit}};

struct SkeletonFormat {
  std::string_view ending;
  SkeletonReader read;
};
constexpr SkeletonFormat kSkeletonFormats[] = {
    {".bvh", read_bvh}, {".tgf", read_tgf}, {".json", read_skeleton_json}};

bool is_gltf(std::string_view bytes, const std::string& ending) {
  return bytes.starts_with("glTF") || equals_ignoring_case(ending, ".glb") ||
         equals_ignoring_case(ending, ".gltf");
}

Asset asset_of(MeshFile file) {
  Asset asset;
  asset.from_text = true;
  asset.notes = std::move(file.notes);
  asset.rig.mesh = std::move(file.mesh);
  asset.rig.loose_edges = std::move(file.edges);
  MeshPart part;
  part.vertex_count = asset.rig.mesh.vertex_count();
  part.face_count = asset.rig.mesh.face_count();
  asset.rig.parts.push_back(std::move(part));
  asset.rig.weights.offsets.assign(asset.rig.mesh.vertex_count() + 1, 0);
  return asset;
}

Asset asset_of(SkeletonFile file) {
  Asset asset;
  asset.notes = std::move(file.notes);
  asset.rig.skeleton = std::move(file.skeleton);
  asset.rig.clips = std::move(file.clips);
  const Pose rest = rest_pose(asset.rig.skeleton);
  for (const Affine3& global : global_transforms(asset.rig.skeleton, rest.local))
    asset.rig.inverse_bind.push_back(global.inverse());
  return asset;
}

Asset asset_of(GltfFile file) {
  Asset asset;
  asset.rig = std::move(file.rig);
  asset.document = std::move(file.document);
  asset.notes = std::move(file.notes);
  return asset;
}

// All formats but glTF lie in one file.
Result<Asset> read_plain(std::string_view bytes, const std::string& name, const std::string& ending) {
  for (const MeshFormat& format : kMeshFormats) {
    if (!equals_ignoring_case(ending, format.ending)) continue;
    SINEW_TRY(MeshFile file, format.read(bytes, name));
    return asset_of(std::move(file));
  }
  for (const SkeletonFormat& format : kSkeletonFormats) {
    if (!equals_ignoring_case(ending, format.ending)) continue;
    SINEW_TRY(SkeletonFile file, format.read(bytes, name));
    return asset_of(std::move(file));
  }
  return usage_error(name +
                     ": an ending that is not known; .glb, .gltf, .obj, .ply, .off, .stl, .mesh, .bvh, .tgf "
                     "and .json are read");
}

// The joints that deform (all, where none does), each below its nearest ancestor among them, at rest in the
// bind pose.
Result<Skeleton> bind_skeleton(const Rig& rig) {
  const Skeleton& skeleton = rig.skeleton;
  const std::size_t count = skeleton.deforming_count() > 0 ? skeleton.deforming_count() : skeleton.size();
  const std::vector<Affine3> bind = bind_transforms(rig);
  std::vector<Joint> joints(skeleton.joints().begin(),
                            skeleton.joints().begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t j = 0; j < count; ++j) {
    int parent = skeleton[j].parent;
    while (parent >= 0 && static_cast<std::size_t>(parent) >= count)
      parent = skeleton[static_cast<std::size_t>(parent)].parent;
    joints[j].parent = parent;
    joints[j].deforms = true;
    const Affine3 above = parent < 0 ? Affine3::Identity() : bind[static_cast<std::size_t>(parent)];
    const Affine3 local = above.inverse() * bind[j];
    if (local.matrix().allFinite()) joints[j].rest_local = local;
  }
  return Skeleton::create(std::move(joints));
}

}  // namespace

Result<Asset> read_asset(const std::filesystem::path& path) {
  SINEW_TRY(const std::string bytes, read_file(path));
  const std::string ending = path.extension().string();
  if (!is_gltf(bytes, ending)) return read_plain(bytes, path.string(), ending);
  SINEW_TRY(GltfFile file, read_gltf(bytes, path));
  return asset_of(std::move(file));
}

Result<Asset> read_asset(std::string_view bytes, const std::string& name) {
  const std::string ending = std::filesystem::path(name).extension().string();
  if (!is_gltf(bytes, ending)) return read_plain(bytes, name, ending);
  SINEW_TRY(GltfFile file, read_gltf_alone(bytes, name));
  return asset_of(std::move(file));
}

Result<Skeleton> read_skeleton(const std::filesystem::path& path) {
  SINEW_TRY(const Asset asset, read_asset(path));
  if (asset.rig.skeleton.empty())
    return bad_input(path.string() +
                     ": holds no skeleton; give a .glb or .gltf with a skin, or a .bvh, .tgf or .json");
  return bind_skeleton(asset.rig);
}

}  // namespace sinew
