// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// Flesh (rig/flesh.h): corrective fields of every joint that turns are added to what comes in, then composed
/// joints carry it. Normals by the inverse transpose of the composed linear part, from rest normals to which
/// the fields' own are added. Before all of it the twist and stretch of bones along themselves (BoneShape)
/// move what each bone carries, by endpoint weights as in deform/stretch.h. At rest nothing moves. kImpossible: the rig has no flesh.
Result<std::unique_ptr<Deformer>> build_flesh(const Rig& rig);

/// The formulas in double precision, as in deform/reference.h.
struct ReferenceOutput;
void reference_flesh(const Rig& rig, const FrameInput& input, const ReferenceOutput& out);

}  // namespace sinew
