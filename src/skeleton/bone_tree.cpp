// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/bone_tree.h"

#include <cmath>

namespace sinew {
namespace {

constexpr double kInLine = 0.05;  // sine of the angle below which two bones have no common plane

Vec3 direction(const Bone& bone) {
  const Vec3 along = bone.tail - bone.head;
  const double length = along.norm();
  return length > 0 && std::isfinite(length) ? Vec3(along / length) : Vec3(Vec3::Zero());
}

}  // namespace

std::vector<int> bone_parents(const Skeleton& skeleton) {
  std::vector<int> parents(skeleton.deforming_count(), -1);
  for (std::size_t j = 0; j < parents.size(); ++j) {
    int above = skeleton[j].parent;
    while (above >= 0 && !skeleton[static_cast<std::size_t>(above)].deforms)
      above = skeleton[static_cast<std::size_t>(above)].parent;
    parents[j] = above;
  }
  return parents;
}

std::vector<std::size_t> bone_order(std::span<const int> parents) {
  std::vector<std::size_t> order;
  order.reserve(parents.size());
  std::vector<std::uint8_t> placed(parents.size(), 0);
  std::vector<std::size_t> way;
  for (std::size_t j = 0; j < parents.size(); ++j) {
    for (std::size_t k = j; !placed[k];) {
      way.push_back(k);
      placed[k] = 1;
      if (parents[k] < 0) break;
      k = static_cast<std::size_t>(parents[k]);
    }
    order.insert(order.end(), way.rbegin(), way.rend());
    way.clear();
  }
  return order;
}

std::vector<std::uint8_t> bones_below(std::span<const int> parents, std::size_t bone) {
  std::vector<std::uint8_t> below(parents.size(), 0);
  below[bone] = 1;
  for (const std::size_t j : bone_order(parents))
    if (parents[j] >= 0 && below[static_cast<std::size_t>(parents[j])]) below[j] = 1;
  return below;
}

JointFrame joint_frame(std::span<const Bone> bones, std::span<const int> parents, std::size_t bone) {
  const Vec3 above =
      parents[bone] < 0 ? Vec3(Vec3::Zero()) : direction(bones[static_cast<std::size_t>(parents[bone])]);
  Vec3 z = direction(bones[bone]);
  if (z.isZero()) z = above.isZero() ? Vec3(Vec3::UnitZ()) : above;
  Vec3 x = above.cross(z);
  if (x.norm() < kInLine) {
    const Vec3 world = std::abs(z.x()) < 0.8 ? Vec3(Vec3::UnitX()) : Vec3(Vec3::UnitY());
    x = world - world.dot(z) * z;
  }
  x.normalize();
  JointFrame frame;
  frame.origin = bones[bone].head;
  frame.axes << x, z.cross(x), z;
  return frame;
}

}  // namespace sinew
