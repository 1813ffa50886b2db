// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "console.h"
#include "sinew/pipeline/retarget.h"

namespace sinew::cli {

// The clips of a motion file, fitted to a rig; those of `names` (by name or index) where there are any. Notes
// say how many joints follow. kBadInput: no motion in the file.
Result<std::vector<RetargetedClip>> motion_clips(const Console& console, const std::string& file,
                                                 std::span<const std::string> names, const Rig& rig,
                                                 const std::string& rig_file, const RetargetRequest& request);

}  // namespace sinew::cli
