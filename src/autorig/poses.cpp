// SPDX-License-Identifier: Apache-2.0
#include "autorig/poses.h"

#include <cmath>
#include <optional>

namespace sinew::autorig {
namespace {

constexpr double kRingWidths[] = {0.15, 0.3, 0.6, 1.2};  // radii: the narrowest that holds enough vertices
constexpr int kEnough = 8;                               // vertices
constexpr double kClearlyMore = 5;                       // degrees

// The place in the rest pose of the ring about `p`, across `along`.
std::optional<Vec3> ring_at_rest(std::span<const Vec3> rest, std::span<const Vec3> posed, const Vec3& p,
                                 const Vec3& along, double radius) {
  for (const double width : kRingWidths) {
    Vec3 here = Vec3::Zero(), there = Vec3::Zero();
    int count = 0;
    for (std::size_t v = 0; v < posed.size(); ++v) {
      const Vec3 d = posed[v] - p;
      if (d.squaredNorm() > 4 * radius * radius || std::abs(d.dot(along)) > width * radius) continue;
      here += posed[v];
      there += rest[v];
      ++count;
    }
    if (count >= kEnough) return Vec3(there / count);
  }
  return std::nullopt;
}

}  // namespace

void refine_from_pose(std::span<const Vec3> rest, std::span<const Vec3> posed, const Match& posed_match,
                      const std::vector<PlacedJoint>& other, std::vector<PlacedJoint>& placed) {
  for (std::size_t j = 0; j < placed.size(); ++j) {
    if (!placed[j].present || !other[j].present || other[j].degrees < placed[j].degrees + kClearlyMore)
      continue;
    const Anchor& anchor = posed_match.model->joints[j].anchor;
    if (anchor.kind != Anchor::Kind::kLimb) continue;
    const Curve& curve = posed_match.parts.limbs[anchor.part].curve;
    const double s = curve.project(other[j].head);
    // At a bend the rings of both sides meet on the line that halves the angle.
    const auto ring =
        ring_at_rest(rest, posed, curve.at(s), curve.direction(s, curve.radius_at(s)), curve.radius_at(s));
    if (!ring) continue;
    placed[j].head = *ring;
    placed[j].degrees = other[j].degrees;
  }
}

}  // namespace sinew::autorig
