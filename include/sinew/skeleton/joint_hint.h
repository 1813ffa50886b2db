// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "sinew/skeleton/skeleton.h"

namespace sinew {

/// What stands behind "there is no such joint" where Skeleton::find found none: the joints that are called
/// nearly so ("; did you mean 'LeftArm'?"), or, where several have the name, how to tell them apart. Empty
/// where there is nothing to say.
std::string joint_hint(const Skeleton& skeleton, std::string_view name);

}  // namespace sinew
