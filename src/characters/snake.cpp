// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "characters/blueprint.h"

namespace sinew::characters {
namespace {

constexpr double kLength = 1.6, kHeight = .045;
constexpr int kBones = 16;

// The middle line at distance s from the neck towards the tail: gentle waves on the ground.
Vec3 spine(double s) {
  const double swing = .055 * std::min(1.0, s / .35);
  return {swing * wave(s / .8), kHeight, -s};
}

std::string bone_name(int k) {
  return k == 0 ? "Head" : "Spine" + std::to_string(k);
}

// The body is one chain from the middle out would be truer for a spring, but a snake follows its head.
std::vector<JointSpec> snake_joints() {
  std::vector<JointSpec> joints;
  joints.push_back({"Root", "", spine(0), {}});
  joints.push_back({"Head", "Root", spine(0), Vec3(0, kHeight, .11)});
  for (int k = 1; k <= kBones; ++k)
    joints.push_back(
        {bone_name(k), k == 1 ? "Root" : bone_name(k - 1), spine(kLength * k / (kBones + 1)), {}});
  joints.back().tail = spine(kLength);
  return joints;
}

double girth(double s) {
  const double t = s / kLength;
  return .016 + .027 * std::pow(std::sin(std::numbers::pi * std::min(1.0, .18 + .9 * t)), .9) * (1 - .3 * t) -
         .010 * t;
}

}  // namespace

Blueprint snake_blueprint() {
  Blueprint snake;
  snake.joints = snake_joints();
  snake.cage.emplace(names_of(snake.joints));
  Chain chain = {"Head"};
  for (int k = 0; k <= kBones; ++k) chain.push_back(k == 0 ? "Root" : bone_name(k));
  const double y = kHeight;
  std::vector<Ring> rings = {
      {{0, y - .003, .118}, .010, .006, 0},      {{0, y - .001, .108}, .020, .013, 0, 2.4},
      {{0, y + .003, .085}, .028, .019, 0, 2.4}, {{0, y + .006, .055}, .037, .025, 0, 2.3},
      {{0, y + .004, .025}, .038, .026, 0, 2.2}, {{0, y, .000}, .030, .024, .4},
      {{0, y - .003, -.025}, .024, .023, .9}};
  const int count = 3 * kBones;
  for (int k = 1; k <= count; ++k) {
    const double s = kLength * k / (count + .3), r = girth(s);
    rings.push_back({spine(s) + Vec3(0, r - kHeight, 0), r, r * .95, 1 + (kBones + 1) * s / kLength});
  }
  for (Ring& ring : rings) ring.centre.z() = ring.centre.z();
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
