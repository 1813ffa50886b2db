// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/math/polar.h"
#include "sinew/math/types.h"

namespace sinew {

/// What a bone does along itself, beyond its joint's transform (stretchable and twistable bones).
struct BoneShape {
  double stretch = 1;                     ///< length over rest length
  double twist_head = 0, twist_tail = 0;  ///< extra twist about the bone, radians, any number of turns

  bool operator==(const BoneShape&) const = default;
};

/// One frame of the hierarchy.
struct Joint {
  std::string name;
  int parent = -1;                           ///< index into the skeleton, -1 at a root
  Affine3 rest_local = Affine3::Identity();  ///< relative to the parent; the file's own node transform
  bool deforms = true;       ///< false: a node that only carries others (an armature, a mesh node)
  std::optional<Vec3> tail;  ///< end of the bone in the joint's own space, where a file stores one
  /// rest_local as the file stores it, where it does so in parts: clips that move one part keep the others,
  /// also where the matrix cannot tell them (zero or mirrored scale). Not used where it does not compose to
  /// rest_local.
  std::optional<Trs> rest_parts;
  BoneShape rest_shape = {};  ///< of the file's own pose
  bool helper = false;        ///< follows other joints to hold the skin in shape; is no bone
};

/// Joints and their hierarchy, free of cycles by construction. Joints keep the order of the file; parents need
/// not come first. Joints that deform come before all that do not.
class Skeleton {
 public:
  Skeleton() = default;
  /// kBadInput: a parent out of range, a cycle, a non-finite transform, or a joint that deforms behind one
  /// that does not.
  static Result<Skeleton> create(std::vector<Joint> joints);

  std::span<const Joint> joints() const { return joints_; }
  const Joint& operator[](std::size_t j) const { return joints_[j]; }
  std::size_t size() const { return joints_.size(); }
  bool empty() const { return joints_.empty(); }
  std::size_t deforming_count() const { return deforming_; }
  /// Every joint once, parents before children.
  std::span<const std::uint32_t> order() const { return order_; }
  std::span<const std::uint32_t> children(std::size_t j) const {
    return {children_.data() + child_offsets_[j], children_.data() + child_offsets_[j + 1]};
  }
  /// Exact name first, then ignoring case, then ignoring a prefix up to ':', then "Bone#2" (the second of that
  /// name, in joint order) and "LeftArm/Bone" (by names above it); nullopt where none or several match.
  std::optional<std::size_t> find(std::string_view name) const;

 private:
  std::vector<Joint> joints_;
  std::vector<std::uint32_t> order_, children_, child_offsets_;
  std::size_t deforming_ = 0;
};

/// What moves with a joint and has its name. head to tail is its direction and length (frames, stretch,
/// curves); flesh hangs on segments from the head to each of its ends, the heads of its children.
struct Bone {
  std::size_t joint = 0;
  Vec3 head = Vec3::Zero(), tail = Vec3::Zero();
  std::vector<Vec3> ends = {};  ///< empty: the tail alone
};

/// One bone for every deforming joint, in joint order; globals are the joints' global transforms (the bind
/// pose, say). A bone ends at its child's head (none: the stored tail, else the parent's direction and
/// length). Of several children it has a segment to each; its tail is the mean of their heads, or, where that
/// is nearer to the head than a tenth of the mean segment, the child most in line with the parent's bone (at a
/// root: the one with most bones below). Children are the nearest joints below that deform, also through
/// joints in between that do not. A lone joint has a bone of zero length.
std::vector<Bone> bones_of(const Skeleton& skeleton, std::span<const Affine3> globals);

}  // namespace sinew
