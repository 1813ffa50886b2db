// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python.h"
#include "sinew/pipeline/posed_mesh.h"
#include "sinew/player/pose_request.h"

namespace sinew::python {

/// The rig's stack with what `settings` say, by the options of player/stack.h: {"deformer": "dqs",
/// "mush_passes": 4}. Raises as set_option fails.
Stack stack_of(const Rig& rig, const nb::dict& settings);

/// A pose by the names of joints, bones and keys: set, stretch, twist, keys, clip, time.
PoseRequest pose_request(const nb::dict& options);

/// The one pose that arrays of poses.cpp hold: local (1, joints, 4, 4), keys (1, keys) or None, bones (1,
/// joints, 3) or None.
Pose pose_of(const Rig& rig, const nb::tuple& arrays);

}  // namespace sinew::python
