// SPDX-License-Identifier: Apache-2.0
#include "autorig/symmetry.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace sinew::autorig {
namespace {

constexpr double kMostError = 0.01;  // of the size
constexpr double kMoved = 0.03;      // of the size: a part whose image is so far off has moved
constexpr double kNoMirror = 0.05;   // the same, on average: this is no guess to begin with
constexpr std::size_t kPoints = 1500, kFewPoints = 300;
constexpr double kSlack = 1.3;  // for few points
constexpr int kMostRounds = 20;
constexpr double kNoNearer = 0.97, kSettled = 1e-7;

// `slack`: so many times as far from an image the points may be.
std::optional<Mirror> refine(std::span<const Vec3> points, std::size_t step, const Bvh& surface, double size,
                             double slack, Mirror guess) {
  double error = 0, before = std::numeric_limits<double>::infinity(), least = before;
  Mirror best = guess;
  for (int round = 0; round < kMostRounds; ++round) {
    Vec3 normal = Vec3::Zero(), middle = Vec3::Zero();
    error = 0;
    int count = 0, near = 0;
    for (std::size_t i = 0; i < points.size(); i += step) {
      const NearestPoint image = surface.nearest(guess(points[i]));
      if (!image.found()) continue;
      const double away = std::sqrt(image.squared_distance);
      error += away;
      ++count;
      if (away > kMoved * size) continue;
      const Vec3 d = points[i] - image.point;
      normal += d.dot(guess.normal) < 0 ? Vec3(-d) : d;
      ++near;
      middle += (points[i] + image.point) / 2;
    }
    if (count == 0) return std::nullopt;
    error /= count;
    if (round == 0 && error > slack * kNoMirror * size) return std::nullopt;
    if (near == 0 || !(normal.norm() > 0)) return std::nullopt;
    if (error < least) least = error, best = guess;
    const Mirror last = std::exchange(guess, {normal.normalized(), middle / near});
    if ((guess.normal - last.normal).norm() < kSettled &&
        (guess.centre - last.centre).norm() < kSettled * size)
      break;
    // Too far from a mirror image, and coming no nearer.
    if (round > 2 && error > slack * kMostError * size && error > kNoNearer * before) return std::nullopt;
    before = error;
  }
  if (least > slack * kMostError * size) return std::nullopt;
  // What is on one side only, a tail that swings, draws the plane to itself: it may have begun nearer.
  if (!(error > least)) best = guess;
  best.error = least;
  return best;
}

}  // namespace

std::optional<Mirror> find_mirror(std::span<const Vec3> points, const Bvh& surface, double size,
                                  Mirror guess) {
  const auto step = [&](std::size_t count) { return std::max<std::size_t>(1, points.size() / count); };
  if (step(kFewPoints) > step(kPoints)) {
    // Most guesses are wrong, which few points tell.
    const auto near = refine(points, step(kFewPoints), surface, size, kSlack, guess);
    if (!near) return std::nullopt;
    guess = *near;
  }
  return refine(points, step(kPoints), surface, size, 1, guess);
}

}  // namespace sinew::autorig
