// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "characters/blueprint.h"

namespace sinew::characters {
namespace {

constexpr double kSnakeLength = 1.6;  // from the neck to the tip of the tail
constexpr int kBones = 16;

double girth(double s) {
  const double t = s / kSnakeLength;
  return .004 +
         .036 * std::pow(std::sin(std::numbers::pi * std::min(1.0, .20 + .80 * t)), .75) * (1 - .25 * t);
}

// The middle line at distance s behind the neck: gentle waves on the ground, the neck a little raised.
Vec3 spine(double s) {
  const double swing = .10 * std::min(1.0, std::max(0.0, s) / .5);
  return {swing * wave(s / .9), girth(std::max(0.0, s)) + .030 * std::exp(-s * s / .02), -s};
}

std::string bone_name(int k) {
  return k == 0 ? "Root" : "Spine" + std::to_string(k);
}

// The root is where head and body meet: a snake follows its head.
std::vector<JointSpec> snake_joints() {
  std::vector<JointSpec> joints;
  joints.push_back({"Root", "", spine(0), {}});
  joints.push_back({"Head", "Root", spine(-.02), spine(0) + Vec3(0, .004, .115)});
  for (int k = 1; k <= kBones; ++k)
    joints.push_back({bone_name(k), bone_name(k - 1), spine(kSnakeLength * k / (kBones + 1)), {}});
  joints.back().tail = spine(.97 * kSnakeLength);
  return joints;
}

}  // namespace

Blueprint snake_blueprint() {
  Blueprint snake;
  snake.joints = snake_joints();
  snake.cage.emplace(names_of(snake.joints));
  Chain chain = {"Head"};
  for (int k = 0; k <= kBones; ++k) chain.push_back(bone_name(k));
  const double y = spine(0).y();
  const auto ring = [&](double up, double z, double u, double v, double bone) {
    return Ring{Vec3(0, y + up, z), u, v, bone, 2.3};
  };
  std::vector<Ring> rings = {ring(-.006, .122, .009, .005, 0), ring(-.005, .114, .018, .010, 0),
                             ring(-.002, .096, .026, .016, 0), ring(.003, .070, .034, .022, 0),
                             ring(.004, .045, .040, .025, 0),  ring(.002, .020, .036, .025, .15),
                             ring(.000, .000, .028, .024, .6)};
  const int count = 3 * kBones;
  for (int k = 1; k <= count; ++k) {
    const double s = kSnakeLength * k / (count + .3), r = girth(s);
    rings.push_back({spine(s), r, r * .95, 1 + (kBones + 1) * s / kSnakeLength});
  }
  snake.cage->body(4, 2, Vec3::UnitY(), rings, chain);

  ClipBuilder slither("slither", 2, snake.joints);
  for (int k = 1; k <= kBones; ++k)
    slither.turn(bone_name(k), [=](double t) {
      const double grow = std::min(1.0, k / 4.0);
      return Vec3(0, 16 * grow * wave(t - k / 8.0), 0);
    });
  slither.turn("Head", [](double t) { return Vec3(-6, 10 * wave(t + .2), 0); });
  snake.clips = {slither.take()};
  return snake;
}

}  // namespace sinew::characters
