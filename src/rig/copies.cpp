// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/copies.h"

#include <algorithm>
#include <map>

namespace sinew {
namespace {

bool same_places(const Rig& rig, const MeshPart& a, const MeshPart& b) {
  const auto from = [&](const MeshPart& part) {
    return rig.mesh.positions.begin() + static_cast<std::ptrdiff_t>(part.vertex_begin);
  };
  return std::equal(from(a), from(a) + static_cast<std::ptrdiff_t>(a.vertex_count), from(b));
}

bool same_weights(const Rig& rig, const MeshPart& a, const MeshPart& b) {
  for (std::size_t i = 0; i < a.vertex_count; ++i) {
    const auto one = rig.weights.row(a.vertex_begin + i), other = rig.weights.row(b.vertex_begin + i);
    if (!std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Influence& p, const Influence& q) { return p.joint == q.joint; }))
      return false;
  }
  return true;
}

}  // namespace

std::vector<std::uint32_t> copies_of(const Rig& rig) {
  std::vector<std::uint32_t> copies;
  if (rig.weights.vertex_count() != rig.mesh.vertex_count()) return copies;
  // Parts by what is quick to compare; only those of one list can be copies.
  std::map<std::array<double, 4>, std::vector<const MeshPart*>> alike;
  for (const MeshPart& part : rig.parts) {
    if (part.vertex_count == 0) continue;
    const Vec3& first = rig.mesh.positions[part.vertex_begin];
    if (!first.allFinite()) continue;
    auto& earlier = alike[{static_cast<double>(part.vertex_count), first.x(), first.y(), first.z()}];
    std::uint32_t copy = 0;
    for (const MeshPart* other : earlier)
      if (same_places(rig, *other, part) && !same_weights(rig, *other, part)) ++copy;
    earlier.push_back(&part);
    if (copy == 0) continue;
    copies.resize(rig.mesh.vertex_count(), 0);
    std::fill_n(copies.begin() + static_cast<std::ptrdiff_t>(part.vertex_begin), part.vertex_count, copy);
  }
  return copies;
}

}  // namespace sinew
