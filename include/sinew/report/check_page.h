// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "sinew/core/file.h"
#include "sinew/pipeline/check.h"

namespace sinew {

/// Writes what check found as a page with pictures into a folder: index.html and .png files. A folder that
/// exists is written into only with kYes. The rig is the one checked.
Result<void> save_check_page(const Rig& rig, const CheckReport& report, const std::string& title,
                             const std::filesystem::path& folder, Overwrite overwrite,
                             const Progress* progress = nullptr);

}  // namespace sinew
