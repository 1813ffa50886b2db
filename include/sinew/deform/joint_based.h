// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sinew/deform/deformer.h"

namespace sinew {

/// How the fractional power of a twist is computed.
enum class TwistPower {
  kExact,  ///< by polynomials, to the precision of float
  kFast,   ///< along the corrected chord [math/swing_twist.h]: off by less than 0.001 radians at half a turn
};

/// Options of build_joint_based().
struct JointBasedOptions {
  std::optional<JointBlend> blend = {};  ///< for all joints, in place of what the rig says
  std::vector<JointBlend> blends = {};   ///< per joint, in place of the rig's; or empty
  double mix = 0.5;                      ///< of kMix: 0 is linear, 1 is spherical
  TwistPower twist = TwistPower::kExact;

  JointBlend blend_of(std::size_t joint, const JointWeights& weights) const {
    if (blend) return *blend;
    return blends.empty() ? weights.blend(joint) : blends[joint];
  }
};

/// Joint-based deformers [kavan2012, Sec. 3.3 and 3.4]: p' = sum_j d_j A_j Gamma_j(p), where Gamma_j goes from
/// what lies above joint j, which the joint does not move, to what lies below it, which it moves by M:
///   kSwingTwist  ((1 - s) I + s M twist^-1) twist^t p, twist the part of the joint's turn about its bone
///   kLinear      ((1 - s) I + s M) p
///   kDqs         the same with the turn blended on the sphere: its axis, and the angle of quaternions with
///                the weights (1 - s, s)
///   kMix         (1 - m) kLinear + m kDqs
///   kAngle       as kMix, m = sin^2(a / 2) for a turn by a: linear while the joint is straight, spherical as
///                it folds [kavan2012, Sec. 5]
///
/// Above a root nothing stays behind: it takes all of its share along. Translation and scale of a joint go
/// along linearly with s. In frames whose BoneShapes stretch or twist bones along themselves, what lies above
/// and below a joint moves as the two bones do in deform/stretch.h, by the endpoint weights of the rig or,
/// where it has none for a bone, the vertex's place along it. A swing of 180 degrees leaves no twist. Vertices
/// without joint weights, or with those of joints that none of their bones begins or ends at, move as in LBS.
/// Normals as in LBS, from the blended linear part. kImpossible: the rig has no joint weights. kUsage: a mix
/// outside [0, 1]. Else fails as build_lbs does.
Result<std::unique_ptr<Deformer>> build_joint_based(const Rig& rig, const JointBasedOptions& options = {});

/// Whether a vertex's joint weights tell of the bones that its skin weights name: a joint that one of them
/// begins or ends. Where a body is bound several times, each copy to a skeleton of its own in the same place,
/// joint weights found in space may be those of another copy. parents: of bone_parents.
bool joint_weights_fit(const Rig& rig, std::span<const int> parents, std::size_t vertex);

/// The formulas in double precision, as in deform/reference.h.
struct ReferenceOutput;
void reference_joint_based(const Rig& rig, const FrameInput& input, const JointBasedOptions& options,
                           const ReferenceOutput& out);

/// Where the joint-based deformers carry points that have joint weights of their own, the vertices of a grid
/// for one: a row for every point, in double precision.
void joint_based_points(const Rig& rig, const JointWeights& weights, std::span<const Affine3> matrices,
                        const JointBasedOptions& options, std::span<const Vec3> points, std::span<Vec3> out);

}  // namespace sinew
