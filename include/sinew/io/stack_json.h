// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sinew/rig/stack.h"

namespace sinew {

/// [{"step", "mask", settings by name}]: as rig files hold it and `sinew stack --json` prints it. Whoever
/// includes this needs nlohmann-json.
nlohmann::ordered_json to_json(const Stack& stack);

}  // namespace sinew
