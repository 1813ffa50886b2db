// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"

namespace sinew {

/// Shape keys in object space, as a step: adds weight * delta of every key to what comes in, by
/// FrameInput::key_weights (none given: the keys' defaults). Normals get the keys' normal deltas and unit
/// length.
Result<std::unique_ptr<Deformer>> build_keys(const Rig& rig);

}  // namespace sinew
