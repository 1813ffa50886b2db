// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sinew/core/file.h"
#include "sinew/io/facing.h"
#include "sinew/io/gltf.h"

namespace sinew {

/// Whatever a file held: a mesh, a skeleton, a motion, or a whole rig.
struct Asset {
  Rig rig;
  std::shared_ptr<const GltfDocument> document;  ///< from .gltf, .glb, and .obj with materials
  std::vector<std::string> warnings;             ///< what was repaired, one sentence each
  bool from_text = false;  ///< .obj, .off, .ply, .stl: vertices are as in the file, no node carries them
};

/// Reads .glb, .gltf, .obj, .ply, .off, .stl, .mesh, .bvh, .tgf or skeleton .json; by content where it is
/// unmistakable (glb magic), else by extension. kIo: not there. kBadInput: broken (the message names file and
/// place). kUsage: an unknown file extension.
/// An .obj with materials, textures or vertex colours (io/looks.h) has a document that holds them. What
/// `facing` says (kUsage where it says nothing sensible) turns all but .glb and .gltf; a note tells.
Result<Asset> read_asset(const std::filesystem::path& path, const Facing& facing = {});
/// The same for bytes in memory, of which `name` is only a label with an extension: no file is opened, and a
/// .gltf whose buffers lie outside is kBadInput.
Result<Asset> read_asset(std::string_view bytes, const std::string& name);

/// The joints that deform (all, where none does), each below its nearest ancestor among them, at rest in the
/// bind pose.
Result<Skeleton> bind_skeleton(const Rig& rig);

/// The skeleton of a .glb, .gltf, .bvh, .tgf or .json, its rest pose the bind pose, tails where the file has
/// them.
Result<Skeleton> read_skeleton(const std::filesystem::path& path, const Facing& facing = {});

}  // namespace sinew
