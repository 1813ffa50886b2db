// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/bake.h"

#include <fmt/format.h>

#include <algorithm>

#include "pipeline/clip_frames.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/write_mesh.h"
#include "sinew/pipeline/posed_mesh.h"

namespace sinew {
namespace {

// All frames are held at once, since every output format but the folder needs them so.
constexpr double kMaxBytes = 16.0 * (1u << 30);

Result<void> save_folder(const Rig& rig, const BakedFrames& frames, const std::filesystem::path& path,
                         Overwrite overwrite, const Progress* progress) {
  std::error_code failure;
  if (std::filesystem::exists(path, failure) && overwrite == Overwrite::kNo) return exists_already(path);
  std::filesystem::create_directories(path, failure);
  if (failure)
    return io_error(fmt::format("{}: cannot make this folder: {}", path.string(), failure.message()));
  PolyMesh mesh = rig.mesh;
  for (std::size_t k = 0; k < frames.positions.size(); ++k) {
    if (is_cancelled(progress)) return cancelled();
    report(progress, "writing", static_cast<double>(k) / static_cast<double>(frames.positions.size()));
    for (std::size_t i = 0; i < mesh.vertex_count(); ++i)
      mesh.positions[i] = frames.positions[k][i].cast<double>();
    mesh.normals = frames.normals.empty() ? std::vector<Vec3f>{} : frames.normals[k];
    SINEW_CHECK(write_file(path / fmt::format("{:04}.obj", k), write_obj(mesh), overwrite));
  }
  return {};
}

}  // namespace

Asset plain_asset(PolyMesh mesh, const std::string& name) {
  Asset asset;
  asset.rig.parts.push_back({name, 0, mesh.vertex_count(), 0, mesh.face_count()});
  asset.rig.weights.offsets.assign(mesh.vertex_count() + 1, 0);
  asset.rig.mesh = std::move(mesh);
  return asset;
}

Result<BakedFrames> bake(const Rig& rig, const BakeRequest& request, std::vector<std::string>* made,
                         std::optional<PolyMesh>* refined) {
  if (request.clip >= rig.clips.size()) return usage_error("the file has no such clip");
  if (!(request.fps > 0 && request.fps <= 1000))
    return parameter_error("fps",
                           fmt::format("is {}: give a number above 0 and not above 1000", request.fps));
  const Clip& clip = rig.clips[request.clip];
  const double end = request.end < request.start ? std::max(clip.duration(), request.start) : request.end;
  const double count = frame_count(request.start, end, request.fps);
  SINEW_TRY(ReadyDeformer ready, ready_deformer(rig, request.deform));
  const std::size_t n = ready.deformer.output_count();
  const double bytes = count * static_cast<double>(n) * sizeof(Vec3f) * (request.normals ? 2 : 1);
  if (bytes > kMaxBytes)
    return impossible(fmt::format(
        "{:.0f} frames of {} vertices need {:.0f} GiB: take fewer frames per second, or bake a part of it",
        count, n, bytes / (1u << 30)));
  if (refined && ready.deformer.subdivision()) *refined = shown_mesh(rig, ready.deformer);
  if (made) made->insert(made->end(), ready.made.begin(), ready.made.end());
  BakedFrames frames;
  frames.fps = request.fps;
  SINEW_TRY(const std::vector<Pose> poses,
            poses_at(rig, request.pose, clip, frame_times(request.start, end, request.fps)));
  for (const Pose& pose : poses) {
    if (is_cancelled(request.progress)) return cancelled();
    report(request.progress, "baking", static_cast<double>(frames.positions.size()) / count);
    std::vector<Vec3f>& positions = frames.positions.emplace_back(n);
    VertexBuffer normals;
    if (request.normals) normals = frames.normals.emplace_back(n);
    const Status status = ready.deformer.evaluate(pose, ready.workspace, positions, normals);
    if (status != Status::kOk) return frame_error(status);
    SINEW_CHECK(check_frame(rig, positions, ready));
  }
  return frames;
}

Result<void> save_frames(const Asset& asset, const BakedFrames& frames, const std::filesystem::path& path,
                         Overwrite overwrite, const Progress* progress) {
  const FileKind kind = kind_of(path);
  if (kind == FileKind::kFolder) return save_folder(asset.rig, frames, path, overwrite, progress);
  SINEW_CHECK(check_writable(path, overwrite));
  if (kind == FileKind::kPc2 || kind == FileKind::kMdd) {
    SINEW_TRY(const std::string bytes, kind == FileKind::kPc2 ? write_pc2(frames.positions, frames.fps)
                                                              : write_mdd(frames.positions, frames.fps));
    return write_file(path, bytes, overwrite);
  }
  if (kind != FileKind::kGlb && kind != FileKind::kGltf)
    return usage_error(
        fmt::format("{}: the output must have the file extension .glb, .gltf, .pc2 or .mdd, or be a folder "
                    "(no extension)",
                    path.string()));
  GltfWriteOptions options;
  options.baked = &frames;
  options.binary = kind == FileKind::kGlb;
  SINEW_TRY(const std::string bytes, write_gltf(asset.rig, asset.document.get(), options));
  return write_file(path, bytes, overwrite);
}

}  // namespace sinew
