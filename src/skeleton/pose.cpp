// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/pose.h"

#include <cassert>
#include <cmath>

namespace sinew {
namespace {

constexpr double kRadians = 3.14159265358979323846 / 180;

Mat3 turn_about_fixed_axes(const Vec3& degrees) {
  const Vec3 angle = degrees * kRadians;
  return (Eigen::AngleAxisd(angle.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(angle.y(), Vec3::UnitY()) *
          Eigen::AngleAxisd(angle.x(), Vec3::UnitX()))
      .toRotationMatrix();
}

// Linear part of the rest transform of the joint's parent, in world axes.
Mat3 parent_rest_axes(const Skeleton& skeleton, std::size_t joint) {
  Mat3 axes = Mat3::Identity();
  for (int p = skeleton[joint].parent; p >= 0; p = skeleton[static_cast<std::size_t>(p)].parent)
    axes = skeleton[static_cast<std::size_t>(p)].rest_local.linear() * axes;
  return axes;
}

}  // namespace

Pose rest_pose(const Skeleton& skeleton) {
  Pose pose;
  pose.local.reserve(skeleton.size());
  bool shaped = false;
  for (const Joint& joint : skeleton.joints()) {
    pose.local.push_back(joint.rest_local);
    shaped = shaped || joint.rest_shape != BoneShape{};
  }
  if (shaped)
    for (const Joint& joint : skeleton.joints()) pose.bones.push_back(joint.rest_shape);
  return pose;
}

void forward_kinematics(const Skeleton& skeleton, std::span<const Affine3> local,
                        std::span<Affine3> globals) noexcept {
  assert(local.size() == skeleton.size() && globals.size() == skeleton.size());
  for (const std::uint32_t j : skeleton.order()) {
    const int parent = skeleton[j].parent;
    if (parent < 0)
      globals[j] = local[j];
    else
      globals[j] = globals[static_cast<std::size_t>(parent)] * local[j];
  }
}

std::vector<Affine3> global_transforms(const Skeleton& skeleton, std::span<const Affine3> local) {
  std::vector<Affine3> globals(skeleton.size());
  forward_kinematics(skeleton, local, globals);
  return globals;
}

void rotate_joint(const Skeleton& skeleton, std::size_t joint, const Vec3& degrees, Pose& pose) {
  assert(joint < skeleton.size() && pose.local.size() == skeleton.size());
  const Mat3 turn = turn_about_fixed_axes(degrees);
  const Mat3 axes = parent_rest_axes(skeleton, joint);
  // The world's turn seen from the parent. Where the parent's axes are flat there is no such view, and its
  // own axes serve.
  const Mat3 seen = axes.inverse() * turn * axes;
  const double size = axes.norm();
  const bool usable = std::abs(axes.determinant()) > 1e-12 * size * size * size && seen.allFinite();
  pose.local[joint].linear() = (usable ? seen : turn) * pose.local[joint].linear();
}

}  // namespace sinew
