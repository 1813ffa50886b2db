// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "sinew/core/file.h"
#include "sinew/core/progress.h"
#include "sinew/io/asset.h"
#include "sinew/pipeline/posed_mesh.h"
#include "sinew/player/pose_request.h"

namespace sinew {

/// What to do: the parameters of bake().
struct BakeRequest {
  std::size_t clip = 0;  ///< index into rig.clips
  double fps = 30;
  double start = 0, end = -1;  ///< seconds; an end below the start: the clip's end
  PoseRequest pose =
      {};  ///< turns, stretches, twists and keys on top of every frame; its clip counts for nothing
  DeformChoice deform = {};
  bool normals = true;  ///< morph targets carry normals
  const Progress* progress = nullptr;
};

/// The clip's frames, deformed, world space: start, start + 1/fps, … up to the end.
/// `made`: what the deformer needed and the rig lacked, a sentence each. `refined`: the mesh that the frames
/// are of, where the stack ends with subdivision; else it stays as it is.
Result<BakedFrames> bake(const Rig& rig, const BakeRequest& request, std::vector<std::string>* made = nullptr,
                         std::optional<PolyMesh>* refined = nullptr);

/// A mesh alone, as one part: what frames of a mesh that no file holds are saved with.
Asset plain_asset(PolyMesh mesh, const std::string& name);

/// .glb/.gltf morph targets, .pc2, .mdd, or, without an extension, a folder of OBJ files 0000.obj, 0001.obj, …
/// A folder that exists is filled only with kYes; each file in it is whole or absent.
Result<void> save_frames(const Asset& asset, const BakedFrames& frames, const std::filesystem::path& path,
                         Overwrite overwrite, const Progress* progress = nullptr);

}  // namespace sinew
