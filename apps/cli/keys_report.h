// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "console.h"
#include "sinew/rig/rig.h"

namespace sinew::cli {

// What `sinew keys` tells of a rig: its shape keys by name, and the pose spaces that drive them.
Json keys_json(const Rig& rig);
std::string keys_text(const std::string& file, const Rig& rig);

}  // namespace sinew::cli
