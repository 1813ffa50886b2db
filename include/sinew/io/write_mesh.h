// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "sinew/core/file.h"
#include "sinew/io/asset.h"
#include "sinew/io/looks.h"

namespace sinew {

/// Formats by file extension.
enum class FileKind { kGlb, kGltf, kUsda, kObj, kPly, kOff, kStl, kPc2, kMdd, kFolder, kUnknown };

/// By the extension, in any case; a path without one is a folder.
FileKind kind_of(const std::filesystem::path& path);

/// kUsage naming the extensions that can be written where `path` has none of them.
Result<FileKind> writable_kind(const std::filesystem::path& path);

/// Writes the asset in the format of the extension. A .glb or .gltf keeps all that sinew does not own and takes
/// from the rig what `options.edit` says; a .usda is written as UsdSkel; formats without a skeleton get the mesh in the file's own pose
/// (linear blend), world space.
Result<void> save_asset(const Asset& asset, const std::filesystem::path& path, Overwrite overwrite,
                        GltfWriteOptions options = {});

/// Writes a rig as UsdSkel (io/write_usda.h), its textures (PNG, JPEG) beside it as NAME_*.png: each whole or not
/// there, the .usda last.
Result<void> save_usda(const Rig& rig, const Looks& looks, const std::filesystem::path& path,
                       Overwrite overwrite, double fps = 30);

/// Writes the asset's mesh with other positions; for formats without a skeleton. An .obj gets the materials,
/// textures (PNG, JPEG) and vertex colours of the asset's document: NAME.mtl and NAME_*.png lie beside it,
/// under the same rule of overwriting, each whole or not there, the .obj last.
Result<void> save_posed(const Asset& asset, const PolyMesh& mesh, const std::filesystem::path& path,
                        Overwrite overwrite);

/// Writes a plain mesh; a .glb or .gltf gets it as one static node.
Result<void> save_mesh(const PolyMesh& mesh, const std::filesystem::path& path, Overwrite overwrite);

}  // namespace sinew
