// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sinew/deform/deformer.h"
#include "sinew/skeleton/bone_tree.h"

namespace sinew {

// The bones of a rig at rest, and what ends each of them.
struct RestBones {
  explicit RestBones(const Rig& rig);
  std::vector<Bone> bones;                           // per deforming joint
  std::vector<JointFrame> frames;                    // z along the bone
  std::vector<std::vector<std::size_t>> end_joints;  // per bone: joints at its tail
};

// The endpoint weight that a rig has for a vertex and a bone, or, where it has none, the vertex's place along
// the bone.
float place_along(const Rig& rig, std::span<const Bone> bones, std::size_t vertex, std::size_t joint);

// Whether any bone is stretched or twisted along itself.
bool is_shaped(std::span<const BoneShape> bones) noexcept;

// One bone of a frame. A point of bind space goes to `rigid` p + e `stretch`, before any twist.
struct PosedBone {
  Affine3 rigid =
      Affine3::Identity();      // carries the bone's head along and turns the bone onto its posed place
  Vec3 stretch = Vec3::Zero();  // what the tail moves beyond that
  double twist_head = 0, twist_tail = 0;
};
// Joints without a bone (they deform nothing) move as their matrix says.
PosedBone posed_bone(const RestBones& rest, std::size_t joint, const FrameInput& input);

}  // namespace sinew
