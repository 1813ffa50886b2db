// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/joint_axes.h"

#include <cassert>
#include <cmath>

namespace sinew {
namespace {

constexpr double kUneven = 1e-5;  // below, it is rounding

bool is_even(const Vec3& scale) {
  return (scale.array() - scale[0]).abs().maxCoeff() <= kUneven * std::abs(scale[0]);
}

// Whether a joint's scale is the same along all axes wherever its axes are used.
std::vector<bool> even_joints(const Rig& rig) {
  std::vector<bool> even(rig.skeleton.size(), true);
  for (std::size_t j = 0; j < even.size(); ++j) {
    const Joint& joint = rig.skeleton[j];
    const Mat3 square = joint.rest_local.linear().transpose() * joint.rest_local.linear();
    const double size = square.trace() / 3;
    even[j] = (square - size * Mat3::Identity()).cwiseAbs().maxCoeff() <= 2 * kUneven * size &&
              (!joint.rest_parts || is_even(joint.rest_parts->scale));
  }
  for (const Clip& clip : rig.clips)
    for (const Channel& channel : clip.channels)
      for (std::size_t k = 0; channel.path == ChannelPath::kScale && k + 2 < channel.values.size(); k += 3)
        if (!is_even(Vec3f(channel.values[k], channel.values[k + 1], channel.values[k + 2]).cast<double>()))
          even[static_cast<std::size_t>(channel.joint)] = false;
  return even;
}

// Each group of numbers is a vector or a quaternion, or a tangent of one: both change by a linear map.
void turn_channel(Channel& channel, const Quat& above, const Quat& own) {
  const bool rotates = channel.path == ChannelPath::kRotation;
  const std::size_t width = rotates ? 4 : 3;
  for (std::size_t k = 0; k + width <= channel.values.size(); k += width) {
    float* at = &channel.values[k];
    if (rotates) {
      const Quat q(static_cast<double>(at[3]), static_cast<double>(at[0]), static_cast<double>(at[1]),
                   static_cast<double>(at[2]));
      Eigen::Map<Eigen::Vector4f>{at} = (above.conjugate() * q * own).coeffs().cast<float>();
    } else {
      Eigen::Map<Vec3f> place(at);
      place = (above.conjugate() * place.cast<double>()).cast<float>();
    }
  }
}

}  // namespace

std::vector<std::size_t> turn_joint_axes(Rig& rig, std::span<const Quat> turns) {
  assert(turns.size() == rig.skeleton.size() && rig.pose_spaces.empty());
  std::vector<Quat> own(turns.begin(), turns.end());
  std::vector<std::size_t> kept;
  const std::vector<bool> even = even_joints(rig);
  for (std::size_t j = 0; j < own.size(); ++j)
    if (!even[j] && own[j].angularDistance(Quat::Identity()) > 1e-9) {
      own[j] = Quat::Identity();
      kept.push_back(j);
    }
  const auto above = [&](std::size_t j) {
    const int parent = rig.skeleton[j].parent;
    return parent < 0 ? Quat::Identity() : own[static_cast<std::size_t>(parent)];
  };
  std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    Joint& joint = joints[j];
    if (joint.rest_parts && !compose(*joint.rest_parts).isApprox(joint.rest_local, 1e-6))
      joint.rest_parts.reset();
    joint.rest_local = Affine3(above(j).conjugate()) * joint.rest_local * Affine3(own[j]);
    if (joint.rest_parts) {
      joint.rest_parts->translation = above(j).conjugate() * joint.rest_parts->translation;
      joint.rest_parts->rotation = (above(j).conjugate() * joint.rest_parts->rotation * own[j]).normalized();
      // So that parts and matrix stay one.
      if (even[j]) joint.rest_parts->scale = Vec3::Constant(joint.rest_parts->scale.mean());
      if (even[j]) joint.rest_local = compose(*joint.rest_parts);
    }
    if (joint.tail) joint.tail = own[j].conjugate() * *joint.tail;
    rig.inverse_bind[j] = Affine3(own[j].conjugate()) * rig.inverse_bind[j];
  }
  for (Clip& clip : rig.clips)
    for (Channel& channel : clip.channels)
      if (channel.path == ChannelPath::kRotation || channel.path == ChannelPath::kTranslation)
        turn_channel(channel, above(static_cast<std::size_t>(channel.joint)),
                     own[static_cast<std::size_t>(channel.joint)]);
  if (auto made = Skeleton::create(std::move(joints))) rig.skeleton = *std::move(made);
  return kept;
}

}  // namespace sinew
