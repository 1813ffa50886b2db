// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sinew/batch/run_batch.h"
#include "sinew/binding/bind.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// Reports as the command line and the studio print them; whoever includes this needs nlohmann-json.
nlohmann::ordered_json to_json(const BindReport& report);

/// {done, failed, skipped, waiting, seconds, busy, jobs[{line, verb, out, exit, seconds, cpu_seconds, peak_mb,
/// attempts, skipped, message}]}; the figures of a job that has not ended are null.
nlohmann::ordered_json to_json(const BatchReport& report);

/// [{name, parent, position}], the deforming joints with their heads in bind space.
nlohmann::ordered_json joints_to_json(const Rig& rig);

}  // namespace sinew
