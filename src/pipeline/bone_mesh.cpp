// SPDX-License-Identifier: Apache-2.0
#include "pipeline/bone_mesh.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

constexpr int kSides = 8;

void add_prism(const Vec3& a, const Vec3& b, double radius, PolyMesh& mesh) {
  const Vec3 along = (b - a).normalized();
  const Vec3 u = along.unitOrthogonal(), v = along.cross(u);
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (const Vec3& end : {Vec3(a - 0.6 * radius * along), Vec3(b + 0.6 * radius * along)})
    for (int k = 0; k < kSides; ++k) {
      const double angle = 2 * M_PI * k / kSides;
      mesh.positions.push_back(end + radius * (std::cos(angle) * u + std::sin(angle) * v));
    }
  std::vector<std::uint32_t> low, high;
  for (std::uint32_t k = 0; k < kSides; ++k) {
    const std::uint32_t next = (k + 1) % kSides;
    mesh.add_face({first + k, first + next, first + kSides + next, first + kSides + k});
    low.push_back(first + kSides - 1 - k);
    high.push_back(first + kSides + k);
  }
  mesh.add_face(low);
  mesh.add_face(high);
}

}  // namespace

PolyMesh mesh_around_bones(const Skeleton& skeleton, std::span<const Bone> bones) {
  Box3 box;
  for (const Bone& bone : bones) box.extend(bone.head).extend(bone.tail);
  const double size = box.sizes().norm();
  PolyMesh mesh;
  const auto add = [&](const Vec3& from, const Vec3& to) {
    const double length = (to - from).norm();
    if (length < 1e-6 * size) return;
    add_prism(from, to, std::clamp(0.18 * length, 0.012 * size, 0.04 * size), mesh);
  };
  std::vector<std::uint8_t> carries(skeleton.size(), 0);
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    if (skeleton[j].parent < 0) continue;
    const auto above = static_cast<std::size_t>(skeleton[j].parent);
    carries[above] = 1;
    add(bones[above].head, bones[j].head);
  }
  for (std::size_t j = 0; j < skeleton.size(); ++j)
    if (!carries[j]) add(bones[j].head, bones[j].tail);
  return mesh;
}

}  // namespace sinew
