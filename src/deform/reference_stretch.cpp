// SPDX-License-Identifier: Apache-2.0
// Written from the formulas of [jacobson2011] with the math module alone, so that a fault in the kernels
// shows.
#include "sinew/deform/reference.h"
#include "sinew/deform/stretch.h"
#include "sinew/math/dual_quaternion.h"
#include "sinew/math/polar.h"
#include "sinew/math/svd.h"
#include "sinew/skeleton/bone_tree.h"

namespace sinew {
namespace {

// One bone: its ends at rest and in the pose, and its joint's motion.
struct StretchedBone {
  Vec3 a, b, posed_a, posed_b;
  Mat3 linear;
  BoneShape shape;

  // The part that depends on the endpoint weight, as scale about a, a rigid motion behind it.
  struct Motion {
    Mat3 scale;
    Affine3 rigid;
  };
  Motion motion(double e) const {
    const Polar polar = polar_decomposition(linear);
    const Vec3 along = linear * (b - a), span = posed_b - posed_a;
    Mat3 turn = polar.rotation;
    Vec3 stretch = Vec3::Zero();
    if (along.norm() > 0 && span.norm() > 1e-9 * along.norm()) {
      const Mat3 onto = shortest_arc(along, span).toRotationMatrix();
      turn = onto * turn;
      stretch = (span.norm() / along.norm() - 1) * (onto * along);
    }
    const Vec3 axis = (b - a).norm() > 0 ? Vec3((b - a).normalized()) : Vec3(Vec3::UnitZ());
    const double angle = (1 - e) * shape.twist_head + e * shape.twist_tail;
    Motion result{polar.stretch, Affine3::Identity()};
    // Twist goes before the scale in the linear form; both orders agree on bones that are not scaled.
    result.rigid.linear() = turn * Eigen::AngleAxisd(angle, axis).toRotationMatrix();
    result.rigid.translation() = posed_a + e * stretch - result.rigid.linear() * a;
    return result;
  }
};

std::vector<StretchedBone> stretched_bones(const Rig& rig, const FrameInput& input) {
  const std::vector<Bone> bones = bones_of(rig.skeleton, bind_transforms(rig));
  const std::vector<int> parents = bone_parents(rig.skeleton);
  const std::vector<std::vector<std::size_t>> ends_of = tail_bones(bones, parents);
  std::vector<StretchedBone> result;
  for (std::size_t j = 0; j < bones.size(); ++j) {
    const Affine3& m = input.matrices[j];
    StretchedBone bone{bones[j].head, bones[j].tail, m * bones[j].head,
                       Vec3::Zero(),  m.linear(),    j < input.bones.size() ? input.bones[j] : BoneShape{}};
    const auto ends = static_cast<double>(ends_of[j].size());
    for (const std::size_t k : ends_of[j]) bone.posed_b += input.matrices[k] * bones[k].head;
    bone.posed_b = ends > 0 ? Vec3(bone.posed_b / ends)
                            : Vec3(bone.posed_a + bone.shape.stretch * (m.linear() * (bone.b - bone.a)));
    result.push_back(bone);
  }
  return result;
}

Vec3 moved_normal(const Mat3& linear, const Vec3& n) {
  const Vec3 normal = linear.inverse().transpose() * n;
  return normal.allFinite() && normal.norm() > 0 ? normal.normalized() : n;
}

}  // namespace

void reference_stretch(const Rig& rig, const FrameInput& input, StretchForm form,
                       const ReferenceOutput& out) {
  const std::vector<StretchedBone> bones = stretched_bones(rig, input);
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    const Vec3 p = input.positions[i].cast<double>();
    const Vec3 n = out.normals.empty() ? Vec3(Vec3::Zero()) : Vec3(input.normals[i].cast<double>());
    Mat3 linear = Mat3::Zero(), scale = Mat3::Zero();
    Vec3 sum = Vec3::Zero(), scaled = Vec3::Zero();
    std::vector<DualQuat> rigid;
    std::vector<double> weights;
    for (std::size_t k = rig.weights.offsets[i]; k < rig.weights.offsets[i + 1]; ++k) {
      const Influence& influence = rig.weights.entries[k];
      const StretchedBone& bone = bones[influence.joint];
      const auto motion = bone.motion(static_cast<double>(rig.endpoint.values[k]));
      if (form == StretchForm::kLinear) {
        // rotation * scale * twist: the joint's whole linear part behind the twist.
        const StretchedBone::Motion plain = bone.motion(static_cast<double>(rig.endpoint.values[k]));
        const Vec3 axis =
            (bone.b - bone.a).norm() > 0 ? Vec3((bone.b - bone.a).normalized()) : Vec3(Vec3::UnitZ());
        const double e = static_cast<double>(rig.endpoint.values[k]);
        const double angle = (1 - e) * bone.shape.twist_head + e * bone.shape.twist_tail;
        const Mat3 twist = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
        const Mat3 whole = plain.rigid.linear() * twist.transpose() * plain.scale * twist;
        sum += influence.weight * (whole * (p - bone.a) + plain.rigid * bone.a);
        linear += influence.weight * whole;
      } else {
        rigid.push_back(dual_quaternion(motion.rigid));
        weights.push_back(influence.weight);
        scale += influence.weight * motion.scale;
        scaled += influence.weight * (bone.a + motion.scale * (p - bone.a));
      }
    }
    if (rig.weights.row(i).empty()) {
      out.positions[i] = p;
      if (!out.normals.empty()) out.normals[i] = n;
    } else if (form == StretchForm::kLinear) {
      out.positions[i] = sum;
      if (!out.normals.empty()) out.normals[i] = moved_normal(linear, n);
    } else {
      const DualQuat blended = blend_rigid(rigid, weights);
      out.positions[i] = transform_point(blended, scaled);
      if (!out.normals.empty()) out.normals[i] = transform_vector(blended, moved_normal(scale, n));
    }
  }
}

}  // namespace sinew
