// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sinew/core/file.h"
#include "sinew/io/looks.h"

namespace sinew::cli {

// How `export` writes a rig, by the extension of the file.
struct ExportFile {
  GltfWriteOptions write;  // with looks, for files that are not glTF
  double fps = 30;         // of clips in .usda
  Overwrite overwrite = Overwrite::kNo;

  // The bytes written. `document`: null where the rig has other vertices than the file that it came from.
  Result<std::size_t> save(const Rig& rig, const GltfDocument* document, const std::string& out) const;
};

}  // namespace sinew::cli
