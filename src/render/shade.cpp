// SPDX-License-Identifier: Apache-2.0
#include "render/shade.h"

#include <algorithm>

#include "render/colour.h"

namespace sinew::render_detail {
namespace {

// A light far away. `wrap` lets it reach around the edge of the lit half, as a wide soft box does.
struct Light {
  Vec3f direction;
  float power;
  float wrap;
};

// The lights hang on the camera, so that every view of a subject is lit alike.
const Light kKey = {Vec3f(-0.46f, 0.60f, 0.66f).normalized(), 0.90f, 0.12f};
const Light kFill = {Vec3f(0.86f, 0.02f, 0.51f).normalized(), 0.17f, 0.35f};
const Light kRim = {Vec3f(0.45f, 0.30f, -0.84f).normalized(), 0.34f, 0.05f};
constexpr float kSky = 0.20f, kGround = 0.09f;

// Shadows are a little cooler than lights. One tone gives one colour, so that pictures of clay have few
// colours and pack well.
const Vec3f kCool = {0.94f, 0.98f, 1.07f}, kWarm = {1.03f, 1.0f, 0.96f};

float received(const Light& light, const Vec3f& normal) {
  return std::max(0.0f, (normal.dot(light.direction) + light.wrap) / (1 + light.wrap));
}

}  // namespace

Vec3f clay_albedo() {
  static const Vec3f colour = to_linear({203, 203, 203});
  return colour;
}

Vec3f back_albedo() {
  static const Vec3f colour = to_linear({226, 104, 24});
  return colour;
}

Vec3f shade(const Vec3f& normal, const Vec3f& albedo, bool plain) {
  float tone = kKey.power * received(kKey, normal) + kFill.power * received(kFill, normal) +
               kRim.power * received(kRim, normal) + kGround + (0.5f + 0.5f * normal.y()) * (kSky - kGround);
  if (plain) return albedo * (0.62f * tone + 0.42f);
  // A broad sheen along the key light: dents and creases of a deformation show in it first.
  static const Vec3f half = (kKey.direction + Vec3f::UnitZ()).normalized();
  const float sheen = std::max(0.0f, normal.dot(half));
  const float squared = sheen * sheen, fourth = squared * squared,
              sixteenth = fourth * fourth * fourth * fourth;
  const float warmth = std::min(tone, 1.0f);
  return (albedo * tone + Vec3f::Constant(0.07f * sixteenth)).cwiseProduct(kCool + warmth * (kWarm - kCool));
}

}  // namespace sinew::render_detail
