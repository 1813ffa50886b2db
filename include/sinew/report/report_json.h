// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sinew/binding/bind.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// Reports as the command line and the studio print them; whoever includes this needs nlohmann-json.
nlohmann::ordered_json to_json(const BindReport& report);

/// [{name, parent, position}], the deforming joints with their heads in bind space.
nlohmann::ordered_json joints_to_json(const Rig& rig);

}  // namespace sinew
