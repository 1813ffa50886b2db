// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <emscripten/val.h>

#include "sinew/pipeline/methods.h"

namespace sinew {

// DeformSettings of sinew.d.ts, both ways. What the object does not say is as `usual` has it. kUsage: a field
// of the wrong kind.
Result<DeformRequest> request_of(const emscripten::val& settings, DeformRequest usual);
emscripten::val settings_value(const DeformRequest& request);

}  // namespace sinew
