// SPDX-License-Identifier: Apache-2.0
#include "render/normals.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace sinew::render_detail {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;

std::uint64_t mix(std::uint64_t h) {
  h ^= h >> 32;
  h *= 0xD6E8FEB86659FD93u;
  return h ^ h >> 32;
}

std::uint64_t hash_position(const Vec3& p) {
  std::uint64_t h = 0;
  for (int i = 0; i < 3; ++i) {
    const double value = p[i] + 0.0;  // -0 and 0 are one place
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    h = mix(h * 3 + bits);
  }
  return h;
}

// For each vertex the first vertex at the same place.
std::vector<std::uint32_t> first_at_place(std::span<const Vec3> positions) {
  const std::size_t slots = std::bit_ceil(2 * positions.size() + 1);
  std::vector<std::uint32_t> table(slots, kNone), first(positions.size());
  for (std::uint32_t i = 0; i < positions.size(); ++i) {
    std::size_t slot = hash_position(positions[i]) & (slots - 1);
    while (table[slot] != kNone && positions[table[slot]] != positions[i]) slot = (slot + 1) & (slots - 1);
    if (table[slot] == kNone) table[slot] = i;
    first[i] = table[slot];
  }
  return first;
}

}  // namespace

std::vector<Vec3f> smooth_normals(std::span<const Vec3> positions, std::span<const Triangle> triangles) {
  const std::vector<std::uint32_t> first = first_at_place(positions);
  std::vector<Vec3> sums(positions.size(), Vec3::Zero());
  for (const Triangle& t : triangles) {
    const Vec3 corner[3] = {positions[t[0]], positions[t[1]], positions[t[2]]};
    const Vec3 cross = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
    const double area = cross.norm();
    if (!(area > 0)) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 a = corner[(k + 1) % 3] - corner[k], b = corner[(k + 2) % 3] - corner[k];
      sums[first[t[k]]] += cross * (std::atan2(area, a.dot(b)) / area);
    }
  }
  std::vector<Vec3f> normals(positions.size());
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const Vec3& sum = sums[first[i]];
    const double length = sum.norm();
    normals[i] = length > 0 ? Vec3f((sum / length).cast<float>()) : Vec3f::Zero();
  }
  return normals;
}

}  // namespace sinew::render_detail
