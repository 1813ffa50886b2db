// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>
#include <string>

#include "sinew/skeleton/clip.h"

namespace sinew::test {

// Turns the named joint about z by `degrees` at 1 s, and moves the hips by one unit along x.
inline Clip wave(const Skeleton& skeleton, const std::string& name, double degrees) {
  Channel turn;
  turn.joint = static_cast<int>(*skeleton.find(name));
  turn.path = ChannelPath::kRotation;
  turn.width = 4;
  turn.times = {0, 1};
  const double half = degrees * std::numbers::pi / 360;
  turn.values = {0, 0, 0, 1, 0, 0, static_cast<float>(std::sin(half)), static_cast<float>(std::cos(half))};
  Channel path;
  path.joint = 0;
  path.times = {0, 1};
  const Vec3 rest = skeleton[0].rest_local.translation();
  for (const double x : {0.0, 1.0})
    for (const double value : {rest.x() + x, rest.y(), rest.z()})
      path.values.push_back(static_cast<float>(value));
  return {"wave", {turn, path}};
}

}  // namespace sinew::test
