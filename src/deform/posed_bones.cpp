// SPDX-License-Identifier: Apache-2.0
#include "deform/posed_bones.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/svd.h"

namespace sinew {

RestBones::RestBones(const Rig& rig) : bones(bones_of(rig.skeleton, bind_transforms(rig))) {
  const std::vector<int> parents = bone_parents(rig.skeleton);
  end_joints = tail_bones(bones, parents);
  for (std::size_t b = 0; b < bones.size(); ++b) frames.push_back(joint_frame(bones, parents, b));
}

float place_along(const Rig& rig, std::span<const Bone> bones, std::size_t vertex, std::size_t joint) {
  if (!rig.endpoint.empty())
    for (std::size_t e = rig.weights.offsets[vertex]; e < rig.weights.offsets[vertex + 1]; ++e)
      if (rig.weights.entries[e].joint == joint) return rig.endpoint.values[e];
  if (joint >= bones.size()) return 0;
  const Vec3 along = bones[joint].tail - bones[joint].head;
  const double length = along.squaredNorm();
  if (!(length > 0)) return 0;
  const double place = (rig.mesh.positions[vertex] - bones[joint].head).dot(along) / length;
  return static_cast<float>(std::clamp(place, 0.0, 1.0));
}

bool is_shaped(std::span<const BoneShape> bones) noexcept {
  return std::any_of(bones.begin(), bones.end(), [](const BoneShape& shape) { return shape != BoneShape{}; });
}

PosedBone posed_bone(const RestBones& rest, std::size_t joint, const FrameInput& input) {
  const Affine3& matrix = input.matrices[joint];
  PosedBone posed;
  posed.rigid = matrix;
  if (joint >= rest.bones.size()) return posed;
  const BoneShape shape = joint < input.bones.size() ? input.bones[joint] : BoneShape{};
  posed.twist_head = shape.twist_head;
  posed.twist_tail = shape.twist_tail;
  const Bone& bone = rest.bones[joint];
  const Vec3 head = matrix * bone.head, along = matrix.linear() * (bone.tail - bone.head);
  Vec3 tail = head + shape.stretch * along;
  if (const auto& ends = rest.end_joints[joint]; !ends.empty()) {
    tail.setZero();
    for (const std::size_t end : ends)
      tail += input.matrices[end] * rest.bones[end].head / static_cast<double>(ends.size());
  }
  const Vec3 span = tail - head;
  const double length = along.norm(), posed_length = span.norm();
  // A bone without length has no direction to stretch in.
  if (!(length > 0) || !(posed_length > 1e-9 * length) || !std::isfinite(posed_length)) return posed;
  const double ratio = posed_length / length;
  const Mat3 turn = shortest_arc(along, span).toRotationMatrix();
  const Mat3 linear = (span - ratio * along).norm() > 1e-12 * posed_length ? Mat3(turn * matrix.linear())
                                                                           : Mat3(matrix.linear());
  posed.rigid.linear() = linear;
  posed.rigid.translation() = head - linear * bone.head;
  posed.stretch = (ratio - 1) * (linear * (bone.tail - bone.head));
  return posed;
}

}  // namespace sinew
