// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "sinew/core/file.h"
#include "sinew/pipeline/export.h"

namespace sinew {

/// Writes the certificate of an exported rig as a page into a folder: its figures, the error over the number
/// of helpers and morphs, and pictures of ExportedRig::poses (source, exported, their difference, and linear
/// blending by the source's weights). index.html and .png files; a folder that exists is written into only
/// with kYes. `rig`: the source.
Result<void> save_export_page(const Rig& rig, const ExportedRig& exported, const std::string& title,
                              const std::filesystem::path& folder, Overwrite overwrite,
                              const Progress* progress = nullptr);

}  // namespace sinew
