// SPDX-License-Identifier: Apache-2.0
#include "characters/blueprint.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace sinew::characters {
namespace {

constexpr double kRadians = std::numbers::pi / 180;

const JointSpec& find(const std::vector<JointSpec>& joints, std::string_view name) {
  const auto found =
      std::find_if(joints.begin(), joints.end(), [&](const JointSpec& j) { return j.name == name; });
  assert(found != joints.end());
  return *found;
}

Vec3 offset_of(const std::vector<JointSpec>& joints, const JointSpec& joint) {
  return joint.parent.empty() ? joint.head : Vec3(joint.head - find(joints, joint.parent).head);
}

}  // namespace

std::vector<JointSpec> with_right_side(std::vector<JointSpec> joints) {
  const auto flip = [](const Vec3& p) { return Vec3(-p.x(), p.y(), p.z()); };
  const std::size_t count = joints.size();
  for (std::size_t j = 0; j < count; ++j) {
    JointSpec other = joints[j];
    other.name = mirrored_name(other.name);
    if (other.name == joints[j].name) continue;
    other.parent = mirrored_name(other.parent);
    other.head = flip(other.head);
    if (other.tail) other.tail = flip(*other.tail);
    joints.push_back(other);
  }
  return joints;
}

std::vector<std::string> names_of(const std::vector<JointSpec>& joints) {
  std::vector<std::string> names;
  for (const JointSpec& joint : joints) names.push_back(joint.name);
  return names;
}

Vec3 head_of(const std::vector<JointSpec>& joints, std::string_view name) {
  return find(joints, name).head;
}

Result<Skeleton> build_skeleton(const std::vector<JointSpec>& joints) {
  std::vector<Joint> built;
  for (const JointSpec& spec : joints) {
    Joint joint;
    joint.name = spec.name;
    if (!spec.parent.empty()) joint.parent = static_cast<int>(&find(joints, spec.parent) - joints.data());
    joint.rest_local.translation() = offset_of(joints, spec);
    if (spec.tail) joint.tail = *spec.tail - spec.head;
    built.push_back(joint);
  }
  return Skeleton::create(std::move(built));
}

double wave(double turns) {
  return std::sin(2 * std::numbers::pi * turns);
}
double cowave(double turns) {
  return std::cos(2 * std::numbers::pi * turns);
}

ClipBuilder::ClipBuilder(std::string name, double seconds, const std::vector<JointSpec>& joints, int keys)
    : joints_(joints), seconds_(seconds), keys_(keys) {
  clip_.name = std::move(name);
}

Channel& ClipBuilder::channel(std::string_view joint, ChannelPath path, int width) {
  Channel& channel = clip_.channels.emplace_back();
  channel.joint = static_cast<int>(&find(joints_, joint) - joints_.data());
  channel.path = path;
  channel.width = width;
  for (int k = 0; k < keys_; ++k) channel.times.push_back(static_cast<float>(seconds_ * k / (keys_ - 1)));
  return channel;
}

// The last key is the first one, bit by bit, so that the loop has no seam.
double ClipBuilder::phase(int key) const {
  return key + 1 < keys_ ? static_cast<double>(key) / (keys_ - 1) : 0.0;
}

ClipBuilder& ClipBuilder::rotate(std::string_view joint, const std::function<Quat(double)>& rotation) {
  Channel& out = channel(joint, ChannelPath::kRotation, 4);
  Quat last = Quat::Identity();
  for (int k = 0; k < keys_; ++k) {
    Quat q = rotation(phase(k));
    if (q.dot(last) < 0) q.coeffs() *= -1;
    last = q;
    for (const double c : {q.x(), q.y(), q.z(), q.w()}) out.values.push_back(static_cast<float>(c));
  }
  return *this;
}

ClipBuilder& ClipBuilder::turn(std::string_view joint, const Motion& degrees) {
  return rotate(joint, [&](double at) {
    const Vec3 angle = degrees(at) * kRadians;
    return Quat(Eigen::AngleAxisd(angle.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(angle.y(), Vec3::UnitY()) *
                Eigen::AngleAxisd(angle.x(), Vec3::UnitX()));
  });
}

ClipBuilder& ClipBuilder::spin(std::string_view joint, const Vec3& axis,
                               const std::function<double(double)>& degrees) {
  return rotate(
      joint, [&](double at) { return Quat(Eigen::AngleAxisd(degrees(at) * kRadians, axis.normalized())); });
}

ClipBuilder& ClipBuilder::move(std::string_view joint, const Motion& offset) {
  Channel& out = channel(joint, ChannelPath::kTranslation, 3);
  const Vec3 rest = offset_of(joints_, find(joints_, joint));
  for (int k = 0; k < keys_; ++k) {
    const Vec3 p = rest + offset(phase(k));
    for (const double c : {p.x(), p.y(), p.z()}) out.values.push_back(static_cast<float>(c));
  }
  return *this;
}

}  // namespace sinew::characters
