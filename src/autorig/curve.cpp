// SPDX-License-Identifier: Apache-2.0
#include "sinew/autorig/curve.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

// The piece of `along` that holds s, and where in it.
std::size_t piece_of(const std::vector<double>& along, double s, double& fraction) {
  const auto above = std::upper_bound(along.begin(), along.end(), s);
  const auto last = static_cast<std::ptrdiff_t>(along.size()) - 2;
  const auto k = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(above - along.begin() - 1, 0, std::max<std::ptrdiff_t>(last, 0)));
  const double width = k + 1 < along.size() ? along[k + 1] - along[k] : 0;
  fraction = width > 0 ? std::clamp((s - along[k]) / width, 0.0, 1.0) : 0;
  return k;
}

}  // namespace

void Curve::measure() {
  along.assign(points.size(), 0);
  for (std::size_t k = 1; k < points.size(); ++k)
    along[k] = along[k - 1] + (points[k] - points[k - 1]).norm();
}

Vec3 Curve::at(double s) const {
  if (points.size() < 2) return points.empty() ? Vec3::Zero().eval() : points[0];
  double t = 0;
  const std::size_t k = piece_of(along, s, t);
  return points[k] + t * (points[k + 1] - points[k]);
}

double Curve::radius_at(double s) const {
  if (radii.size() < 2) return radii.empty() ? 0 : radii[0];
  double t = 0;
  const std::size_t k = piece_of(along, s, t);
  return radii[k] + t * (radii[k + 1] - radii[k]);
}

Vec3 Curve::direction(double s, double window) const {
  const double low = std::max(0.0, s - window), high = std::min(length(), s + window);
  const Vec3 d = at(high) - at(low);
  return d.norm() > 0 ? d.normalized() : Vec3::UnitY().eval();
}

double Curve::middle_radius() const {
  if (radii.empty()) return 0;
  std::vector<double> sorted = radii;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                   sorted.end());
  return sorted[sorted.size() / 2];
}

double Curve::project(const Vec3& p) const {
  double best = 0, nearest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const Vec3 d = points[k + 1] - points[k];
    const double dd = d.squaredNorm();
    const double t = dd > 0 ? std::clamp((p - points[k]).dot(d) / dd, 0.0, 1.0) : 0;
    const double away = (points[k] + t * d - p).squaredNorm();
    if (away < nearest) nearest = away, best = along[k] + t * (along[k + 1] - along[k]);
  }
  return best;
}

double Curve::at_level(double level) const {
  if (levels.empty()) return 0;
  if (level <= levels.front()) return 0;
  for (std::size_t k = 0; k + 1 < levels.size(); ++k)
    if (level <= levels[k + 1]) {
      const double width = levels[k + 1] - levels[k];
      return along[k] + (width > 0 ? (level - levels[k]) / width : 0) * (along[k + 1] - along[k]);
    }
  return length();
}

double Curve::turn(double s, double window) const {
  const Vec3 before = at(s) - at(std::max(0.0, s - window));
  const Vec3 behind = at(std::min(length(), s + window)) - at(s);
  if (!(before.norm() > 0) || !(behind.norm() > 0)) return 0;
  return std::atan2(before.cross(behind).norm(), before.dot(behind)) * 180 / M_PI;
}

std::vector<Bend> bends_of(const Curve& curve, double threshold) {
  std::vector<Bend> bends;
  if (curve.points.size() < 4) return bends;
  const double step = curve.length() / static_cast<double>(curve.points.size() - 1);
  const double window = std::max(curve.middle_radius(), 2 * step);
  constexpr int kFiner = 6, kAround = kFiner - 1;  // every sixth of a window, then finer about the largest
  constexpr double kMostLooks = 400;
  const double coarse = std::max(std::max(curve.length() / kMostLooks, window / kFiner), 1e-12),
               fine = coarse / kFiner;
  const auto sharpened = [&](Bend best) {
    const double middle = best.s;
    for (int k = -kAround; k <= kAround; ++k)
      if (const double degrees = curve.turn(middle + k * fine, window); degrees > best.degrees)
        best = {middle + k * fine, degrees};
    return best;
  };
  Bend best;
  bool inside = false;
  for (double s = window; s <= curve.length() - 0.5 * window; s += coarse) {
    const double degrees = curve.turn(s, window);
    if (degrees > threshold) {
      if (!inside || degrees > best.degrees) best = {s, degrees};
      inside = true;
    } else if (inside) {
      bends.push_back(sharpened(best));
      inside = false;
    }
  }
  if (inside) bends.push_back(sharpened(best));
  return bends;
}

}  // namespace sinew
