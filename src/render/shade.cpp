// SPDX-License-Identifier: Apache-2.0
#include "render/shade.h"

#include <algorithm>

#include "render/colour.h"

namespace sinew::render_detail {
namespace {

// A light far away. `wrap` lets it reach around the edge of the lit half, as a wide soft box does.
struct Light {
  Vec3f direction;
  Vec3f colour;
  float wrap;
};

// The lights hang on the camera, so that every view of a subject is lit alike.
const Light kKey = {Vec3f(-0.50f, 0.62f, 0.60f).normalized(), {0.82f, 0.80f, 0.76f}, 0.25f};
const Light kFill = {Vec3f(0.85f, 0.05f, 0.52f).normalized(), {0.17f, 0.19f, 0.23f}, 0.45f};
const Light kRim = {Vec3f(0.35f, 0.55f, -0.76f).normalized(), {0.30f, 0.32f, 0.36f}, 0.05f};
const Vec3f kSky = {0.24f, 0.25f, 0.27f}, kGround = {0.13f, 0.12f, 0.11f};

float received(const Light& light, const Vec3f& normal) {
  return std::max(0.0f, (normal.dot(light.direction) + light.wrap) / (1 + light.wrap));
}

}  // namespace

Vec3f clay_albedo() {
  static const Vec3f colour = to_linear({208, 205, 200});
  return colour;
}

Vec3f back_albedo() {
  static const Vec3f colour = to_linear({214, 112, 40});
  return colour;
}

Vec3f shade(const Vec3f& normal, const Vec3f& albedo, bool plain) {
  Vec3f light = kKey.colour * received(kKey, normal) + kFill.colour * received(kFill, normal) +
                kRim.colour * received(kRim, normal);
  const float up = 0.5f + 0.5f * normal.y();
  light += kGround + up * (kSky - kGround);
  if (plain) light = 0.45f * light + Vec3f::Constant(0.52f);
  return albedo.cwiseProduct(light);
}

}  // namespace sinew::render_detail
