// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "command_line.h"
#include "sinew/core/file.h"
#include "sinew/io/looks.h"

namespace sinew::cli {

// How `export` writes a rig, by the extension of the file.
struct ExportFile {
  GltfWriteOptions write;  // with looks, for files that are not glTF and for levels of detail
  double fps = 30;         // of clips in .usda
  Overwrite overwrite = Overwrite::kNo;

  // The bytes written. `document`: null where the rig has other vertices than the file that it came from.
  Result<std::size_t> save(const Rig& rig, const GltfDocument* document, const std::string& out) const;
};

// hero.glb, 2 -> hero_LOD2.glb
std::string level_file(const std::string& file, std::size_t level);

// Writes levels of detail beside `out`; the list of them with their errors.
Result<Json> save_lods(const Console& console, const Rig& rig, const ExportFile& file, std::size_t count,
                       const std::string& out);

}  // namespace sinew::cli
