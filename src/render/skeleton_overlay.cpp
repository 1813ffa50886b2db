// SPDX-License-Identifier: Apache-2.0
#include "render/skeleton_overlay.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew::render_detail {
namespace {

constexpr Rgb8 kBone = {255, 246, 222}, kBoneDark = {226, 200, 150}, kInk = {46, 36, 28},
               kJoint = {196, 66, 28};
constexpr double kWaist = 0.16;  // where along the bone it is thickest, and its half width over its length

struct ScreenBone {
  Vec3 head, tail;  // pixels
};

// The six corners: head, tail, four at the waist.
std::array<Vec3, 6> octahedron(const ScreenBone& bone, double thickest) {
  const Vec3 axis = bone.tail - bone.head;
  const double length = axis.norm();
  const double half = std::min(0.5 * kWaist * length, thickest);
  const Vec3 direction = axis / length;
  // One waist corner towards the viewer: the ridge between a lit and a shaded side runs down the middle.
  Vec3 side = direction.cross(Vec3::UnitZ());
  side = side.norm() > 1e-6 ? side.normalized() : Vec3::UnitX();
  const Vec3 front = side.cross(direction);
  const Vec3 waist = bone.head + std::min(kWaist * length, 2 * half) * direction;
  return {bone.head,           bone.tail,           waist + half * side, waist + half * front,
          waist - half * side, waist - half * front};
}

void draw_bone(const ScreenBone& bone, double unit, Canvas& canvas) {
  if ((bone.tail - bone.head).norm() < 0.5) return;
  const std::array<Vec3, 6> corner = octahedron(bone, 6.5 * unit);
  const double outline = 0.55 * unit;
  for (const std::size_t end : {std::size_t{0}, std::size_t{1}})
    for (std::size_t k = 0; k < 4; ++k) {
      const Vec3 &a = corner[end], &b = corner[2 + k], &c = corner[2 + (k + 1) % 4];
      const Vec3 centre = (corner[2] + corner[4]) / 2;
      Vec3 normal = (b - a).cross(c - a);
      if (normal.dot((a + b + c) / 3 - centre) < 0) normal = -normal;
      if (normal.z() <= 1e-9) continue;
      const bool lit = normal.normalized().dot(Vec3(-0.6, -0.7, 0.39)) > 0;  // y runs down
      const Vec2 face[] = {a.head<2>(), b.head<2>(), c.head<2>()};
      canvas.convex(face, lit ? kBone : kBoneDark, 0.80);
      const Vec2 loop[] = {face[0], face[1], face[2], face[0]};
      canvas.polyline(loop, outline, kInk, 0.55);
    }
}

void draw_joint(const Vec2& centre, double unit, Canvas& canvas) {
  canvas.disc(centre, 2.6 * unit, kInk, 0.9);
  canvas.disc(centre, 1.9 * unit, kJoint, 1);
}

}  // namespace

void draw_skeleton(std::span<const OverlayBone> bones, const Camera& camera, Canvas& canvas) {
  const double unit = std::max(1.0, std::min(camera.width, camera.height) / 400.0);
  std::vector<ScreenBone> screen;
  for (const OverlayBone& bone : bones)
    if (is_drawable(bone.head) && is_drawable(bone.tail))
      screen.push_back({camera.to_screen(bone.head), camera.to_screen(bone.tail)});
  std::stable_sort(screen.begin(), screen.end(), [](const ScreenBone& a, const ScreenBone& b) {
    return a.head.z() + a.tail.z() < b.head.z() + b.tail.z();
  });
  for (const ScreenBone& bone : screen) draw_bone(bone, unit, canvas);
  for (const ScreenBone& bone : screen) {
    // Small joints on small bones, or a hand becomes one blot.
    const double length = (bone.tail - bone.head).norm();
    const double size = length < 1 ? unit : std::clamp(length / 14, 0.45 * unit, unit);
    draw_joint(bone.head.head<2>(), size, canvas);
    draw_joint(bone.tail.head<2>(), 0.6 * size, canvas);
  }
}

}  // namespace sinew::render_detail
