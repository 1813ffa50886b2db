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

TurnValues pair_factors(const Vec3& own, const Vec3& partner) {
  const double angle = std::hypot(own.x(), own.y());
  const double first = std::sin(angle), rise = 1 - std::cos(angle), both = rise * first,
               twist = std::sin(own.z());
  const double other = std::hypot(partner.x(), partner.y()), per = other > 0 ? std::sin(other) / other : 0;
  const double x = per * partner.x(), y = per * partner.y(), z = std::sin(partner.z());
  const double up = 1 - std::cos(other), lift = 1 - std::cos(partner.z());
  return {first * x,         first * x,         first * y, first * y,  rise * x,     rise * y,
          rise * x,          rise * x,          rise * y,  rise * y,   both * up,    both * up,
          twist * x,         twist * y,         twist * z, twist * up, first * up,   first * up,
          first * z,         first * z,         rise * up, rise * z,   first * lift, first * lift,
          first * twist * z, first * twist * z, rise * up, rise * up,  rise * z,     rise * z};
}

TurnValues turn_functions(const Vec3& turn, double t) {
  const TurnParts parts(turn);
  const auto harmonics = parts.harmonics(std::cos(t * turn.z()), std::sin(t * turn.z()));
  TurnValues values;
  for (std::size_t f = 0; f < kTurnFunctions; ++f) values[f] = parts.factors[f] * harmonics[kHarmonicOf[f]];
  return values;
}

}  // namespace sinew
