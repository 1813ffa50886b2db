// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/joint_turns.h"

#include <Eigen/LU>
#include <cassert>
#include <cmath>
#include <numbers>

namespace sinew {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;
constexpr double kFlat = 1e-12;  // volume of the axes over that of a cube of their size

bool invertible(const Mat3& axes) {
  const double size = axes.norm();
  return std::isfinite(size) && std::abs(axes.determinant()) > kFlat * size * size * size;
}

// The transform of what lies above the joint.
Affine3 above(const Skeleton& skeleton, std::size_t joint, std::span<const Affine3> local) {
  Affine3 result = Affine3::Identity();
  for (int p = skeleton[joint].parent; p >= 0; p = skeleton[static_cast<std::size_t>(p)].parent)
    result = local[static_cast<std::size_t>(p)] * result;
  return result;
}

Error flattened(const Joint& joint) {
  return impossible("'" + joint.name + "' cannot be moved: a joint above it has scale 0");
}

// The angles of Rz Ry Rx.
Vec3 angles_of(const Mat3& turn) {
  const double sine = std::clamp(-turn(2, 0), -1.0, 1.0);
  const double cosine = std::hypot(turn(0, 0), turn(1, 0));
  if (cosine < 1e-9)
    return {std::atan2(-turn(1, 2), turn(1, 1)), std::copysign(std::numbers::pi / 2, sine), 0};
  return {std::atan2(turn(2, 1), turn(2, 2)), std::atan2(sine, cosine), std::atan2(turn(1, 0), turn(0, 0))};
}

}  // namespace

Result<void> rotate_joint(const Skeleton& skeleton, std::size_t joint, const Quat& turn, Pose& pose) {
  assert(joint < skeleton.size() && pose.local.size() == skeleton.size());
  const double length = turn.norm();
  if (!(length > 0 && std::isfinite(length)))
    return usage_error("a rotation must be a quaternion other than zero");
  const Mat3 axes = above(skeleton, joint, pose.local).linear();
  if (!invertible(axes)) return flattened(skeleton[joint]);
  const Mat3 seen = axes.inverse() * turn.normalized().toRotationMatrix() * axes;
  pose.local[joint].linear() = seen * pose.local[joint].linear();
  return {};
}

Result<void> place_joint(const Skeleton& skeleton, std::size_t joint, const Vec3& place, Pose& pose) {
  assert(joint < skeleton.size() && pose.local.size() == skeleton.size());
  if (!place.allFinite()) return usage_error("a joint's position must be three finite numbers");
  const Affine3 frame = above(skeleton, joint, pose.local);
  if (!invertible(frame.linear())) return flattened(skeleton[joint]);
  pose.local[joint].translation() = frame.linear().inverse() * (place - frame.translation());
  return {};
}

Vec3 joint_angles(const Skeleton& skeleton, std::size_t joint, const Pose& pose) {
  std::vector<Affine3> rest;
  for (const Joint& j : skeleton.joints()) rest.push_back(j.rest_local);
  const Mat3 axes = above(skeleton, joint, rest).linear(), own = skeleton[joint].rest_local.linear();
  if (!invertible(own)) return Vec3::Zero();
  Mat3 turn = pose.local[joint].linear() * own.inverse();
  if (invertible(axes)) turn = axes * turn * axes.inverse();
  return angles_of(polar_decomposition(turn).rotation) * kDegrees;
}

void set_joint_angles(const Skeleton& skeleton, std::size_t joint, const Vec3& degrees, Pose& pose) {
  pose.local[joint].linear() = skeleton[joint].rest_local.linear();
  rotate_joint(skeleton, joint, degrees, pose);
}

}  // namespace sinew
