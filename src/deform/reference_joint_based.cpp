// SPDX-License-Identifier: Apache-2.0
// Written from the formulas with the math module alone, so that a fault in the kernel or its table shows.
#include "deform/joint_table.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/joint_based.h"
#include "sinew/deform/reference.h"
#include "sinew/math/polar.h"
#include "sinew/math/quaternion.h"
#include "sinew/math/swing_twist.h"
#include "sinew/skeleton/bone_tree.h"

namespace sinew {
namespace {

Affine3 about(const Vec3& centre, const Quat& turn) {
  return Eigen::Translation3d(centre) * turn * Eigen::Translation3d(-centre);
}

Affine3 between(const Affine3& a, const Affine3& b, double share) {
  Affine3 result;
  result.matrix() = (1 - share) * a.matrix() + share * b.matrix();
  return result;
}

// One joint of a pose.
struct PosedJoint {
  Affine3 above, below;
  Quat turn;  // of the joint against what lies above it, in the axes of bind space
  JointFrame frame;

  Affine3 linear(double s) const { return between(above, below, s); }

  Affine3 swing_twist_blend(double s, double t, TwistPower power) const {
    const Quat twist = swing_twist(turn, frame.axes.col(2)).twist;
    const Quat part = power == TwistPower::kFast ? twist_power_fast(twist, t) : twist_power(twist, t);
    return between(above, below * about(frame.origin, twist.conjugate()), s) * about(frame.origin, part);
  }

  Affine3 spherical(double s) const {
    const Quat q = turn.w() < 0 ? Quat(-turn.coeffs()) : turn;
    Quat part(1 - s + s * q.w(), s * q.x(), s * q.y(), s * q.z());
    part.normalize();
    return between(above, below * about(frame.origin, q.conjugate()), s) * about(frame.origin, part);
  }

  Affine3 blend(JointBlend kind, const JointInfluence& w, const JointBasedOptions& options) const {
    const double s = static_cast<double>(w.swing), t = static_cast<double>(w.twist);
    switch (kind) {
      case JointBlend::kSwingTwist:
        return swing_twist_blend(s, t, options.twist);
      case JointBlend::kLinear:
        return linear(s);
      case JointBlend::kDqs:
        return spherical(s);
      case JointBlend::kMix:
        return between(linear(s), spherical(s), options.mix);
      case JointBlend::kAngle:
        return between(linear(s), spherical(s), turn.vec().squaredNorm());  // sin^2 of half the angle
    }
    return above;
  }
};

std::vector<PosedJoint> pose_joints(const Rig& rig, std::span<const Affine3> matrices) {
  const std::vector<Bone> bones = bones_of(rig.skeleton, bind_transforms(rig));
  const std::vector<int> parents = bone_parents(rig.skeleton);
  std::vector<PosedJoint> joints(bones.size());
  for (std::size_t j = 0; j < bones.size(); ++j) {
    PosedJoint& joint = joints[j];
    joint.above = matrices[parents[j] < 0 ? j : static_cast<std::size_t>(parents[j])];
    joint.below = matrices[j];
    joint.turn = Quat(polar_decomposition(joint.above.linear()).rotation).conjugate() *
                 Quat(polar_decomposition(joint.below.linear()).rotation);
    joint.frame = joint_frame(bones, parents, j);
  }
  return joints;
}

Affine3 joint_row(std::span<const JointInfluence> row, const JointWeights& weights,
                  std::span<const PosedJoint> joints, const JointBasedOptions& options) {
  Affine3 sum;
  sum.matrix().setZero();
  for (const JointInfluence& influence : row) {
    const JointBlend kind = options.blend_of(influence.joint, weights);
    sum.matrix() += static_cast<double>(influence.deformer_weight) *
                    joints[influence.joint].blend(kind, influence, options).matrix();
  }
  return sum;
}

}  // namespace

void reference_joint_based(const Rig& rig, const FrameInput& input, const JointBasedOptions& options,
                           const ReferenceOutput& out) {
  const std::vector<PosedJoint> joints = pose_joints(rig, input.matrices);
  const std::vector<int> parents = bone_parents(rig.skeleton);
  reference_lbs(rig, input, out);  // for vertices without joint weights
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    const auto row = rig.joint_weights.row(i);
    if (row.empty() || !joint_weights_fit(rig, parents, i)) continue;
    const Affine3 motion = joint_row(row, rig.joint_weights, joints, options);
    out.positions[i] = motion * input.positions[i].cast<double>();
    if (out.normals.empty()) continue;
    const double determinant = motion.linear().determinant();
    Mat3 cofactors;
    for (int k = 0; k < 3; ++k)
      cofactors.row(k) = motion.linear().row((k + 1) % 3).cross(motion.linear().row((k + 2) % 3));
    const Vec3 rest = input.normals[i].cast<double>();
    const Vec3 normal = (determinant < 0 ? -1.0 : 1.0) * (cofactors * rest);
    out.normals[i] = normal.norm() > 1e-18 ? normal.normalized() : rest;
  }
}

void joint_based_points(const Rig& rig, const JointWeights& weights, std::span<const Affine3> matrices,
                        const JointBasedOptions& options, std::span<const Vec3> points, std::span<Vec3> out) {
  const std::vector<PosedJoint> joints = pose_joints(rig, matrices);
  parallel_for(points.size(), 2048, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = weights.row(i);
      out[i] = row.empty() ? points[i] : Vec3(joint_row(row, weights, joints, options) * points[i]);
    }
  });
}

}  // namespace sinew
