// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sinew/math/types.h"

namespace sinew {

/// The centres of the rings of a limb, from the seam to the tip (of a trunk: from its tip to its end).
struct Curve {
  std::vector<Vec3> points;
  std::vector<double> radii;   ///< per point: mean distance of the ring from its centre
  std::vector<double> levels;  ///< per point: distance of the ring from where distances begin
  std::vector<double> along;   ///< per point: arc length from the first

  bool empty() const { return points.empty(); }
  double length() const { return along.empty() ? 0 : along.back(); }
  void measure();  ///< fills `along`

  /// At an arc length, clamped to the curve's ends.
  Vec3 at(double s) const;
  double radius_at(double s) const;
  /// Unit direction, averaged over `window` to either side.
  Vec3 direction(double s, double window) const;
  double middle_radius() const;  ///< median

  /// Arc length of the nearest point.
  double project(const Vec3& p) const;
  /// Arc length where `levels` passes a value.
  double at_level(double level) const;

  /// How much the curve turns at s: the angle between its mean directions over one `window` of arc length
  /// before and one behind, in degrees. Does not depend on how many rings there are.
  double turn(double s, double window) const;
};

/// A place where a curve turns.
struct Bend {
  double s = 0;  ///< arc length
  double degrees = 0;
};
/// The largest turn in every stretch that turns by more than `threshold` degrees, in order. The window is one
/// radius of the limb, but at least two rings.
std::vector<Bend> bends_of(const Curve& curve, double threshold = 20);

}  // namespace sinew
