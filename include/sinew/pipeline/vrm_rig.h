// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sinew/io/vrm.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// The VRM part of a rig: which of its joints are VRM's bones, and which helpers follow which of them. `meta` as of
/// checked_vrm_meta. kImpossible: no humanoid, or one that lacks bones that VRM requires, which are listed.
Result<Vrm> vrm_of(const Rig& rig, std::string meta);

}  // namespace sinew
