// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "command_line.h"
#include "sinew/rig/rig.h"

namespace sinew::cli {

// Renames the joints of a rig that is a humanoid, and lists those that the convention has no name for, for the
// user and as report["names"]. Empty: keeps all names. Fails as joint_names.
Result<void> rename_joints(const Console& console, const std::string& file, const std::string& convention,
                           Rig& rig, Json& report);

}  // namespace sinew::cli
