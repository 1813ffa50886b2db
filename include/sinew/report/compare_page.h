// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "sinew/core/file.h"
#include "sinew/pipeline/compare.h"

namespace sinew {

/// Writes a comparison as a page with pictures and plots into a folder: index.html and .png files. A folder
/// that exists is written into only with kYes. The rig is the one compared.
Result<void> save_compare_page(const Rig& rig, const CompareReport& report, const std::string& title,
                               const std::filesystem::path& folder, Overwrite overwrite,
                               const Progress* progress = nullptr);

}  // namespace sinew
