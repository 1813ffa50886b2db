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
  const double first = std::sin(angle), rise = 1 - std::cos(angle), both = rise * first, square = rise * rise;
  const double twist = std::sin(turn.z()), lift = 1 - std::cos(turn.z());
  factors = {first,        first,         both,          both,         rise,
             square,       rise,          rise,          square,       square,
             both,         both,          twist,         lift,         0.5 * std::sin(2 * turn.z()),
             lift * lift,  first * twist, first * twist, first * lift, first * lift,
             rise * twist, rise * lift,   both * twist,  both * twist, both * lift,
             both * lift,  rise * twist,  rise * twist,  rise * lift,  rise * lift};
}

TurnValues turn_functions(const Vec3& turn, double t) {
  const TurnParts parts(turn);
  const auto harmonics = parts.harmonics(std::cos(t * turn.z()), std::sin(t * turn.z()));
  TurnValues values;
  for (std::size_t f = 0; f < kTurnFunctions; ++f) values[f] = parts.factors[f] * harmonics[kHarmonicOf[f]];
  return values;
}

}  // namespace sinew
