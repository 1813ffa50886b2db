// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"

namespace sinew {

/// How stretching bones are blended.
enum class StretchForm { kLinear, kDualQuaternion };

/// Stretchable and twistable bones [jacobson2011]. A bone whose ends are a and b at rest and a'
/// and b' in the pose moves a point p with endpoint weight e to
///   a' + R (e s + twist(theta) (p - a)),   s = (|b' - a'| / |b - a| - 1) (b - a),
///   theta = (1 - e) theta_a + e theta_b about the bone,
/// R the joint's rotation and the least turn that puts the bone onto a'b'. So stretch goes along with e and
/// stays the same beyond the ends, where scaling would make hands explode, and twist is spread along the bone.
/// b' is where the joints at the end of the bone are (the mean of several); a bone without any has the stretch
/// of BoneShape. Without stretch and twist this is LBS, or DQS. Bones are blended by the skin weights, as
/// positions or as dual quaternions. Scale of joints goes first, about the joint. Normals ignore how e varies.
/// kImpossible: the rig has no endpoint weights. Else fails as build_lbs does.
Result<std::unique_ptr<Deformer>> build_stretch(const Rig& rig, StretchForm form);

/// The formulas in double precision, as in deform/reference.h.
struct ReferenceOutput;
void reference_stretch(const Rig& rig, const FrameInput& input, StretchForm form, const ReferenceOutput& out);

}  // namespace sinew
