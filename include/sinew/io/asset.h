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

/// The contents of a file: a mesh, a skeleton, a motion, or a complete rig.
struct Asset {
  Rig rig;
  std::shared_ptr<const GltfDocument> document;  ///< from .gltf, .glb, and .obj with materials
  std::vector<std::string> warnings;             ///< about repairs on reading, one sentence each
  bool from_text = false;  ///< .obj, .off, .ply, .stl: vertices are as in the file, no node carries them
};

/// Reads .glb, .gltf, .obj, .ply, .off, .stl, .mesh, .bvh, .tgf or skeleton .json; by content where it is
/// unmistakable (glb magic), else by extension. kIo: no such file. kBadInput: invalid (the message names the
/// file and the location). kUsage: an unknown file extension. An .obj with materials, textures or vertex
/// colours (io/looks.h) has a document that holds them. `facing` gives the axes of the file (kUsage if they
/// are invalid); all but .glb and .gltf are rotated, with a warning.
Result<Asset> read_asset(const std::filesystem::path& path, const Facing& facing = {});
/// The same for bytes in memory, where `name` is only a label with an extension: no file is opened, and a
/// .gltf with external buffers is kBadInput.
Result<Asset> read_asset(std::string_view bytes, const std::string& name);

/// The joints that deform (all, where none does), each below its nearest ancestor among them, at rest in the
/// bind pose.
Result<Skeleton> bind_skeleton(const Rig& rig);

/// The skeleton of a .glb, .gltf, .bvh, .tgf or .json, its rest pose the bind pose, tails where the file has
/// them.
Result<Skeleton> read_skeleton(const std::filesystem::path& path, const Facing& facing = {});

}  // namespace sinew
