// SPDX-License-Identifier: Apache-2.0
#include "sinew/io/asset.h"

#include <Eigen/LU>
#include <string>

#include "sinew/core/text.h"
#include "sinew/io/looks.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/skeleton_files.h"

namespace sinew {
namespace {

using MeshReader = Result<MeshFile> (*)(std::string_view, std::string_view);
using SkeletonReader = Result<SkeletonFile> (*)(std::string_view, std::string_view);

struct MeshFormat {
  std::string_view extension;
  MeshReader read;
};
constexpr MeshFormat kMeshFormats[] = {
    {".obj", read_obj}, {".ply", read_ply}, {".off", read_off}, {".stl", read_stl}, {".mesh", read_medit}};

struct SkeletonFormat {
  std::string_view extension;
  SkeletonReader read;
};
constexpr SkeletonFormat kSkeletonFormats[] = {
    {".bvh", read_bvh}, {".tgf", read_tgf}, {".json", read_skeleton_json}};

bool is_gltf(std::string_view bytes, const std::string& extension) {
  return bytes.starts_with("glTF") || equals_ignoring_case(extension, ".glb") ||
         equals_ignoring_case(extension, ".gltf");
}

// Materials, textures and colours live on in the document that the mesh would be as a .glb: all that edits
// and writes documents then keeps them.
void keep_looks(const Looks& looks, const std::string& name, Asset& asset) {
  GltfWriteOptions options;
  options.looks = &looks;
  const auto bytes = write_gltf(asset.rig, nullptr, options);
  auto file = bytes ? read_gltf_alone(*bytes, name) : Result<GltfFile>(bytes.error());
  if (!file || file->rig.mesh.vertex_count() != asset.rig.mesh.vertex_count() ||
      file->rig.mesh.face_vertices != asset.rig.mesh.face_vertices) {
    asset.warnings.push_back("its materials and colours cannot be kept in a .glb: left out");
    return;
  }
  asset.document = std::move(file->document);
  file->rig.mesh.positions = std::move(asset.rig.mesh.positions);  // floats in the document
  file->rig.mesh.normals.clear();                                  // made for it
  asset.rig = std::move(file->rig);
}

// Where a file lies, and how it is turned.
struct Origin {
  std::filesystem::path folder;
  Mat3 turn = Mat3::Identity();
};

Asset asset_of(MeshFile file, const std::string& name, const Origin* origin) {
  Asset asset;
  if (origin && !origin->turn.isIdentity()) {
    for (Vec3& p : file.mesh.positions) p = origin->turn * p;
    for (Vec3f& n : file.mesh.normals) n = origin->turn.cast<float>() * n;
  }
  asset.from_text = true;
  const Looks looks = looks_of_obj(file, asset.rig.parts, origin ? &origin->folder : nullptr);
  asset.warnings = std::move(file.warnings);
  asset.rig.mesh = std::move(file.mesh);
  asset.rig.loose_edges = std::move(file.edges);
  asset.rig.weights.offsets.assign(asset.rig.mesh.vertex_count() + 1, 0);
  if (!looks.empty()) keep_looks(looks, name, asset);
  return asset;
}

// A joint above all others turns a skeleton, so that its clips stay as they are.
Result<void> turn_skeleton(const Mat3& turn, Skeleton& skeleton) {
  std::vector<Joint> joints(skeleton.joints().begin(), skeleton.joints().end());
  for (Joint& joint : joints)
    if (joint.parent < 0) joint.parent = static_cast<int>(skeleton.size());
  Joint above;
  above.name = "turned";
  above.deforms = false;
  above.rest_local.linear() = turn;
  joints.push_back(std::move(above));
  SINEW_TRY(skeleton, Skeleton::create(std::move(joints)));
  return {};
}

Result<Asset> asset_of(SkeletonFile file, const Origin* origin) {
  Asset asset;
  if (origin && !origin->turn.isIdentity()) SINEW_CHECK(turn_skeleton(origin->turn, file.skeleton));
  asset.warnings = std::move(file.warnings);
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
  asset.warnings = std::move(file.warnings);
  return asset;
}

// All formats but glTF; materials of an .obj lie in its folder, where there is one.
Result<Asset> read_plain(std::string_view bytes, const std::string& name, const std::string& extension,
                         const Origin* origin) {
  for (const MeshFormat& format : kMeshFormats) {
    if (!equals_ignoring_case(extension, format.extension)) continue;
    SINEW_TRY(MeshFile file, format.read(bytes, name));
    return asset_of(std::move(file), name, origin);
  }
  for (const SkeletonFormat& format : kSkeletonFormats) {
    if (!equals_ignoring_case(extension, format.extension)) continue;
    SINEW_TRY(SkeletonFile file, format.read(bytes, name));
    return asset_of(std::move(file), origin);
  }
  return usage_error(
      name +
      ": unknown file extension; .glb, .gltf, .obj, .ply, .off, .stl, .mesh, .bvh, .tgf and .json are read");
}

}  // namespace

Result<Asset> read_asset(const std::filesystem::path& path, const Facing& facing) {
  SINEW_TRY(const Mat3 turn, turn_of(facing));
  SINEW_TRY(const std::string bytes, read_file(path));
  const std::string extension = path.extension().string();
  if (is_gltf(bytes, extension)) {
    SINEW_TRY(GltfFile file, read_gltf(bytes, path));
    if (facing.given()) file.warnings.push_back("is glTF, which has y up and z forward: it is not rotated");
    return asset_of(std::move(file));
  }
  const Origin origin{path.parent_path(), turn};
  SINEW_TRY(Asset asset, read_plain(bytes, path.string(), extension, &origin));
  if (facing.given()) asset.warnings.push_back("rotated from " + to_text(facing) + ", to y up, z forward");
  return asset;
}

Result<Asset> read_asset(std::string_view bytes, const std::string& name) {
  const std::string extension = std::filesystem::path(name).extension().string();
  if (!is_gltf(bytes, extension)) return read_plain(bytes, name, extension, nullptr);
  SINEW_TRY(GltfFile file, read_gltf_alone(bytes, name));
  return asset_of(std::move(file));
}

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

Result<Skeleton> read_skeleton(const std::filesystem::path& path, const Facing& facing) {
  SINEW_TRY(const Asset asset, read_asset(path, facing));
  if (asset.rig.skeleton.empty())
    return bad_input(path.string() +
                     ": holds no skeleton; give a .glb or .gltf with a skin, or a .bvh, .tgf or .json");
  return bind_skeleton(asset.rig);
}

}  // namespace sinew
