// SPDX-License-Identifier: Apache-2.0
#include "export_files.h"

#include <filesystem>

#include "sinew/io/write_mesh.h"

namespace sinew::cli {

Result<std::size_t> ExportFile::save(const Rig& rig, const GltfDocument* document,
                                     const std::string& out) const {
  if (const FileKind kind = kind_of(out); kind == FileKind::kUsda) {
    SINEW_CHECK(save_usda(rig, *write.looks, out, overwrite, fps));
  } else {
    GltfWriteOptions options = write;
    options.binary = kind == FileKind::kGlb;
    SINEW_TRY(const std::string bytes, write_gltf(rig, document, options));
    SINEW_CHECK(write_file(out, bytes, overwrite));
  }
  return static_cast<std::size_t>(std::filesystem::file_size(out));
}

}  // namespace sinew::cli
