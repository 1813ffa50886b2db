// SPDX-License-Identifier: Apache-2.0
#include "autorig/body_mirrors.h"

#include <algorithm>

namespace sinew::autorig {

std::optional<Mirror> first_mirror(MeshView mesh, const BodyMap& body,
                                   std::span<const std::optional<Mirror>> guesses) {
  const Bvh surface(mesh);
  const std::span<const Vec3> points = body.graph.volume ? mesh.positions : body.graph.positions;
  for (const auto& guess : guesses)
    if (guess)
      if (auto mirror = find_mirror(points, surface, body.graph.size, *guess)) return mirror;
  return std::nullopt;
}

std::array<std::optional<Mirror>, 2> axis_mirrors(const BodyMap& body) {
  const Vec3 middle = bounding_box(body.graph.positions).center();
  return {Mirror{Vec3::UnitX(), middle}, Mirror{Vec3::UnitZ(), middle}};
}

std::array<std::optional<Mirror>, 3> plain_mirrors(const BodyMap& body) {
  std::array<std::optional<Mirror>, 3> guesses;
  const TipPairs sides = find_tip_pairs(body);
  Vec3 across = Vec3::Zero(), centre = Vec3::Zero();
  for (const auto& [a, b] : sides.pairs) {
    const Vec3 d = body.graph.positions[body.major[a].point] - body.graph.positions[body.major[b].point];
    across += d.dot(across) < 0 ? Vec3(-d) : d;
    centre += (body.graph.positions[body.major[a].point] + body.graph.positions[body.major[b].point]) / 2;
  }
  if (across.norm() > 0)
    guesses[0] = Mirror{across.normalized(), centre / static_cast<double>(sides.pairs.size())};
  const auto along_axes = axis_mirrors(body);
  std::copy(along_axes.begin(), along_axes.end(), guesses.begin() + 1);
  return guesses;
}

TipPairs sides_of(const Match& match) {
  TipPairs sides;
  sides.error = match.features[kAsymmetry];
  for (std::size_t i = 0; i < match.tips.size(); ++i) {
    const int mirror = match.model->mirror_limbs[i];
    if (mirror < 0 || match.tips[i] < 0) continue;
    const auto tip = static_cast<std::size_t>(match.tips[i]);
    if (mirror == static_cast<int>(i)) sides.middle.push_back(tip);
    if (mirror < static_cast<int>(i) && match.tips[static_cast<std::size_t>(mirror)] >= 0)
      sides.pairs.push_back({tip, static_cast<std::size_t>(match.tips[static_cast<std::size_t>(mirror)])});
  }
  return sides;
}

}  // namespace sinew::autorig
