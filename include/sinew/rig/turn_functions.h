// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sinew/math/types.h"

namespace sinew {

/// How far joints are expected to turn, radians: a swing in any direction, a twist either way.
struct MotionRange {
  double swing = 1.5707963267948966, twist = 1.5707963267948966;

  /// The nearest rotation (JointMove::turn) within it.
  Vec3 clamp(const Vec3& turn) const;
  bool operator==(const MotionRange&) const = default;
};

/// Functions of a joint's rotation by which corrective fields are driven, products of what follows. Of a swing
/// by a in direction b, {sin a, (1 - cos a) sin a} {cos b, sin b}, {1 - cos a, (1 - cos a)^2} {1, cos 2b, sin
/// 2b} and (1 - cos a) sin a {cos 3b, sin 3b}; of a twist by c, {sin c, 1 - cos c, sin 2c / 2, (1 - cos c)^2};
/// of both, {sin a {cos b, sin b}, 1 - cos a, (1 - cos a) sin a {cos b, sin b}, (1 - cos a) {cos 2b, sin 2b}}
/// {sin c, 1 - cos c}. All are exactly 0 at rest.
inline constexpr std::size_t kTurnFunctions = 30;
using TurnValues = std::array<double, kTurnFunctions>;

/// Every function is a factor of the joint's rotation times one of seven harmonics of the direction in which
/// flesh sees the swing: 1, cos b, sin b, cos 2b, sin 2b, cos 3b, sin 3b.
inline constexpr std::size_t kTurnHarmonics = 7;
inline constexpr std::array<std::uint8_t, kTurnFunctions> kHarmonicOf{
    1, 2, 1, 2, 0, 0, 3, 4, 3, 4, 5, 6, 0, 0, 0, 0, 1, 2, 1, 2, 0, 0, 1, 2, 1, 2, 3, 4, 3, 4};

/// What they are made of.
struct TurnParts {
  double cosine = 1, sine = 0;  ///< of the swing's direction
  TurnValues factors{};

  /// turn: swing about x and y of the joint's frame, twist about its z, radians.
  explicit TurnParts(const Vec3& turn);
  /// As flesh sees them that the joint has twisted by an angle of this cosine and sine: there the swing comes
  /// from a direction that is turned back by as much.
  std::array<double, kTurnHarmonics> harmonics(double c, double s) const {
    const double c1 = cosine * c + sine * s, s1 = sine * c - cosine * s;
    const double c2 = c1 * c1 - s1 * s1, s2 = 2 * c1 * s1;
    return {1, c1, s1, c2, s2, c1 * c2 - s1 * s2, s1 * c2 + c1 * s2};
  }
};

/// What takes the place of TurnParts::factors in fields that two joints drive, their own and its partner. Of the
/// own joint's swing by a in direction b and twist by c, and with x, y = sin A {cos B, sin B}, u = 1 - cos A, z =
/// sin C and w = 1 - cos C of the partner's: sin a {cos b, sin b} {x, y, u, z, w, sin c z}, (1 - cos a) {x, y, u,
/// z} {1, cos 2b, sin 2b}, (1 - cos a) sin a u {cos 3b, sin 3b} and sin c {x, y, z, u}, each with the harmonic of
/// kHarmonicOf. All are exactly 0 where one of the two rests.
TurnValues pair_factors(const Vec3& own, const Vec3& partner);

/// The functions for flesh that the joint has twisted by the share t of its twist.
TurnValues turn_functions(const Vec3& turn, double t = 0);

}  // namespace sinew
