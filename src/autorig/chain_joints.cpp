// SPDX-License-Identifier: Apache-2.0
#include "autorig/chain_joints.h"

#include <algorithm>
#include <cmath>

namespace sinew::autorig {
namespace {

constexpr double kNearBends = 0.3;  // of a limb's shortest straight bone: bends so near to each other are one
constexpr double kOffCurve = 0.5;   // radii: so far from its curve a bone may be,
constexpr double kFarOff = 0.06;    // or so much of the curve's length
constexpr double kThinCurve = 0.02;  // of its length: thinner it is taken for as thick as this

// Adds a joint where a straight bone would be farthest from a curve, as long as that is more than `most`: what bends
// little by little has no bend of its own.
void follow_curve(const Curve& curve, double most, std::vector<double>& ends) {
  for (std::size_t k = 0; k + 1 < ends.size();) {
    const Vec3 a = curve.at(ends[k]), along = (curve.at(ends[k + 1]) - a).normalized();
    double farthest = most, where = -1;
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      if (curve.along[i] <= ends[k] || curve.along[i] >= ends[k + 1]) continue;
      const Vec3 p = curve.points[i] - a;
      if (const double off = (p - p.dot(along) * along).norm(); off > farthest)
        farthest = off, where = curve.along[i];
    }
    if (where < 0)
      ++k;
    else
      ends.insert(ends.begin() + static_cast<std::ptrdiff_t>(k) + 1, where);
  }
}

}  // namespace

std::vector<double> chain_joints(const Curve& curve, double least_bone) {
  std::vector<double> joints;
  if (curve.points.size() < 2) return joints;
  const double radius = std::max(curve.middle_radius(), kThinCurve * curve.length());
  const double apart = std::max(radius, kNearBends * least_bone * curve.length());
  std::vector<Bend> bends = bends_of(curve);
  std::stable_sort(bends.begin(), bends.end(),
                   [](const Bend& a, const Bend& b) { return a.degrees > b.degrees; });
  std::vector<double> ends = {0, curve.length()};
  for (const Bend& bend : bends)
    if (std::all_of(ends.begin(), ends.end(), [&](double s) { return std::abs(s - bend.s) > apart; }))
      ends.push_back(bend.s);
  std::sort(ends.begin(), ends.end());
  follow_curve(curve, std::max(kOffCurve * radius, kFarOff * curve.length()), ends);
  const double longest = std::max(kSlenderBone * radius, least_bone * curve.length());
  for (std::size_t k = 1; k < ends.size(); ++k) {
    const double length = ends[k] - ends[k - 1];
    const auto pieces = static_cast<int>(std::ceil(length / longest - 1e-9));
    for (int piece = 1; piece < pieces; ++piece) joints.push_back(ends[k - 1] + length * piece / pieces);
    if (k + 1 < ends.size()) joints.push_back(ends[k]);
  }
  return joints;
}

}  // namespace sinew::autorig
