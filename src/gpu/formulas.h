// SPDX-License-Identifier: Apache-2.0
// The formulas of the deformers for one pose, as host and device compile them. A lane is one of 32 poses that
// a warp deforms together: what depends on the pose lies 32 floats apart, what does not is the same for all.
#pragma once

#include "gpu/flesh_formulas.h"
#include "gpu/joint_formulas.h"
#include "gpu/kinematics.h"
#include "gpu/skin_formulas.h"
