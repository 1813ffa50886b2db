// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// The rig with the skeleton that its weights tell of. A joint that hangs on a control far away, as the feet of
/// rigs with inverse kinematics do, hangs on the joint whose skin it borders on instead; a warning names them.
/// A bone at the end of a chain, where the file does not say where that is, points to the middle of what it
/// carries: the direction of the bone above leads out of a foot. Fails as make_surface.
Result<Rig> as_chains(const Rig& rig, std::vector<std::string>& warnings);

}  // namespace sinew
