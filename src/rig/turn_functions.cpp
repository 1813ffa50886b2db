// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/turn_functions.h"

#include <algorithm>
#include <cmath>

namespace sinew {

Vec3 MotionRange::clamp(const Vec3& turn) const {
  const double angle = std::hypot(turn.x(), turn.y());
  const double scale = angle > swing ? swing / angle : 1;
  return {scale * turn.x(), scale * turn.y(), std::clamp(turn.z(), -twist, twist)};
}

TurnParts::TurnParts(const Vec3& turn) {
  const double angle = std::hypot(turn.x(), turn.y());
  cosine = angle > 0 ? turn.x() / angle : 1;
  sine = angle > 0 ? turn.y() / angle : 0;
  first = std::sin(angle);
  rise = 1 - std::cos(angle);
  twist_sine = std::sin(turn.z());
  twist_rise = 1 - std::cos(turn.z());
  twist_double = 0.5 * std::sin(2 * turn.z());
}

TurnValues turn_functions(const Vec3& turn, double t) {
  return TurnParts(turn).values(std::cos(t * turn.z()), std::sin(t * turn.z()));
}

}  // namespace sinew
