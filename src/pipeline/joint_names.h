// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sinew/core/result.h"
#include "sinew/skeleton/skeleton.h"

namespace sinew {

// The same skeleton with a humanoid's joints called as `style` has them: "mixamo" (as the templates have
// them: Hips, LeftArm, ...), "mixamorig" (the same behind 'mixamorig:') or "vrm" (hips, leftUpperArm, ...).
// Other joints keep their names. kUsage: no such style.
Result<Skeleton> with_names(const Skeleton& skeleton, const std::string& style);

}  // namespace sinew
