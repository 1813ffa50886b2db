// SPDX-License-Identifier: Apache-2.0
#include "autorig/body_mirrors.h"

#include <algorithm>
#include <cmath>

namespace sinew::autorig {

namespace {

constexpr double kSameNormal = 1e-3, kSameCentre = 0.01;  // of the size: guesses so alike are one
constexpr double kClearlyNearer = 1e-3;  // of the size: planes that fit as well as that keep their order
constexpr double kTipOnPlane = 0.03;     // of the body's size: a tip so near to the mirror plane is on it
constexpr double kOnPlaneFirst =
    10;  // diameters: more than any tip is high, so that one on the plane is taken

}  // namespace

std::optional<Mirror> MirrorPlanes::first(const BodyMap& body,
                                          std::span<const std::optional<Mirror>> guesses) {
  const double size = body.graph.size;
  for (const auto& guess : guesses) {
    if (!guess) continue;
    auto known = std::find_if(asked_.begin(), asked_.end(), [&](const Asked& one) {
      return (one.guess.normal - guess->normal).norm() < kSameNormal &&
             std::abs((one.guess.centre - guess->centre).dot(guess->normal)) < kSameCentre * size;
    });
    if (known == asked_.end()) {
      if (!surface_) surface_.emplace(mesh_);
      const std::span<const Vec3> points = body.graph.volume ? mesh_.positions : body.graph.positions;
      known = asked_.insert(known, {*guess, find_mirror(points, *surface_, size, *guess)});
    }
    if (known->found) return known->found;
  }
  return std::nullopt;
}

std::optional<Mirror> MirrorPlanes::best(const BodyMap& body,
                                         std::span<const std::optional<Mirror>> guesses) {
  std::optional<Mirror> best;
  for (const auto& guess : guesses)
    if (const auto plane = first(body, {&guess, 1});
        plane && (!best || plane->error < best->error - kClearlyNearer * body.graph.size))
      best = plane;
  return best;
}

std::array<std::optional<Mirror>, 2> axis_mirrors(const BodyMap& body) {
  const Vec3 middle = bounding_box(body.graph.positions).center();
  return {Mirror{Vec3::UnitX(), middle}, Mirror{Vec3::UnitZ(), middle}};
}

std::array<std::optional<Mirror>, 3> plain_mirrors(const BodyMap& body) {
  std::array<std::optional<Mirror>, 3> guesses;
  const TipPairs sides = find_tip_pairs(body);
  Vec3 across = Vec3::Zero(), centre = Vec3::Zero();
  for (const auto& [a, b] : sides.pairs) {
    const Vec3 d = body.graph.positions[body.major[a].point] - body.graph.positions[body.major[b].point];
    across += d.dot(across) < 0 ? Vec3(-d) : d;
    centre += (body.graph.positions[body.major[a].point] + body.graph.positions[body.major[b].point]) / 2;
  }
  const auto along_axes = axis_mirrors(body);
  if (across.norm() > 0) {
    guesses[0] = Mirror{across.normalized(), centre / static_cast<double>(sides.pairs.size())};
    std::copy(along_axes.begin(), along_axes.end(), guesses.begin() + 1);
    return guesses;
  }
  std::copy(along_axes.begin(), along_axes.end(), guesses.begin());
  if (body.major.size() == 2) {  // the arms of a stout toy
    const Vec3 &a = body.graph.positions[body.major[0].point], &b = body.graph.positions[body.major[1].point];
    if ((a - b).norm() > 0) guesses[2] = Mirror{(a - b).normalized(), (a + b) / 2};
  }
  return guesses;
}

TipPairs sides_of(const Match& match) {
  TipPairs sides;
  sides.error = match.features[kAsymmetry];
  for (std::size_t i = 0; i < match.tips.size(); ++i) {
    const int mirror = match.model->mirror_limbs[i];
    if (mirror < 0 || match.tips[i] < 0) continue;
    const auto tip = static_cast<std::size_t>(match.tips[i]);
    if (mirror == static_cast<int>(i)) sides.middle.push_back(tip);
    if (mirror < static_cast<int>(i) && match.tips[static_cast<std::size_t>(mirror)] >= 0)
      sides.pairs.push_back({tip, static_cast<std::size_t>(match.tips[static_cast<std::size_t>(mirror)])});
  }
  return sides;
}

std::size_t root_on_plane(BodyMap& body, const std::optional<Mirror>& mirror) {
  const auto is_on = [&](std::uint32_t v) {
    return mirror && std::abs((body.graph.positions[v] - mirror->centre).dot(mirror->normal)) <
                         kTipOnPlane * body.graph.size;
  };
  std::size_t best = 0;
  double most = -1;
  for (std::size_t i = 0; i < body.major.size(); ++i) {
    const double score =
        (is_on(body.major[i].point) ? kOnPlaneFirst * body.diameter : 0) + body.major[i].height;
    if (score > most) most = score, best = i;
  }
  if (!mirror || is_on(body.major[best].point)) return best;
  double farthest = -1;
  std::uint32_t point = 0;
  for (std::uint32_t v = 0; v < body.graph.positions.size(); ++v) {
    if (!is_on(v)) continue;
    double sum = 0;
    for (std::size_t i = 0; i < body.major.size(); ++i) sum += body.from[i][v];
    if (std::isfinite(sum) && sum > farthest) farthest = sum, point = v;
  }
  if (farthest < 0) return best;
  add_tip(body, point);
  return body.major.size() - 1;
}

}  // namespace sinew::autorig
