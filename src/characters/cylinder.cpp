// SPDX-License-Identifier: Apache-2.0
// Built straight from its formula: subdivision would pull the surface off the radius.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "characters/blueprint.h"

namespace sinew::characters {
namespace {

constexpr double kRadius = 1, kLength = 8;

struct Counts {
  int side, along;  // quads along one side of a cap (a quarter of the way around), and along the axis
  double vertices() const { return 4.0 * side * (along + 1) + 2.0 * (side - 1) * (side - 1); }
};

Counts counts_for(int side) {
  const double edge = kRadius * std::numbers::pi / 2 / side;
  return {side, 2 * static_cast<int>(
                        std::lround(kLength / 2 / edge))};  // even: a ring runs through the middle joint
}

Counts choose_counts(int resolution) {
  int side = 2;
  while (counts_for(side + 1).vertices() <= resolution) ++side;
  const Counts below = counts_for(side), above = counts_for(side + 1);
  return resolution / below.vertices() <= above.vertices() / resolution ? below : above;
}

// The square [-1, 1]^2 onto the disc, concentric squares onto circles; its border evenly around, from the
// corner (1, -1).
Vec2 square_to_disc(double x, double y) {
  const double r = std::max(std::abs(x), std::abs(y));
  if (r == 0) return Vec2::Zero();
  double eighths;  // counted from the +x axis, counter-clockwise
  if (std::abs(x) >= std::abs(y)) {
    eighths = x > 0 ? y / r : 4 - y / r;
  } else {
    eighths = y > 0 ? 2 - x / r : 6 + x / r;
  }
  const double angle = eighths * std::numbers::pi / 4;
  return r * kRadius * Vec2(std::cos(angle), std::sin(angle));
}

// The axis is y; seen from above (against y), z is to the left of x, so the plane of a ring is (x, -z).
Vec3 at(const Vec2& p, double y) {
  return {p.x(), y, -p.y()};
}

void add_sides(const Counts& counts, PolyMesh& mesh) {
  const int around = 4 * counts.side;
  for (int j = 0; j <= counts.along; ++j)
    for (int k = 0; k < around; ++k) {
      const double angle = 2 * std::numbers::pi * k / around - std::numbers::pi / 4;
      mesh.positions.push_back(
          at(kRadius * Vec2(std::cos(angle), std::sin(angle)), kLength * j / counts.along));
    }
  const auto id = [&](int j, int k) { return static_cast<std::uint32_t>(j * around + k % around); };
  for (int j = 0; j < counts.along; ++j)
    for (int k = 0; k < around; ++k) mesh.add_face({id(j, k), id(j, k + 1), id(j + 1, k + 1), id(j + 1, k)});
}

// A cap is a grid whose border is the ring `row`; it faces up or down.
void add_cap(const Counts& counts, bool up, PolyMesh& mesh) {
  const int n = counts.side, around = 4 * n;
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (int j = 1; j < n; ++j)
    for (int i = 1; i < n; ++i)
      mesh.positions.push_back(at(square_to_disc(2.0 * i / n - 1, 2.0 * j / n - 1), up ? kLength : 0));
  const auto ring = static_cast<std::uint32_t>(up ? counts.along * around : 0);
  const auto id = [&](int i, int j) {
    if (i == n && j < n) return ring + static_cast<std::uint32_t>(j);
    if (j == n && i > 0) return ring + static_cast<std::uint32_t>(n + n - i);
    if (i == 0 && j > 0) return ring + static_cast<std::uint32_t>(2 * n + n - j);
    if (j == 0) return ring + static_cast<std::uint32_t>((3 * n + i) % around);
    return first + static_cast<std::uint32_t>((j - 1) * (n - 1) + i - 1);
  };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      std::array<std::uint32_t, 4> face = {id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)};
      if (!up) std::reverse(face.begin(), face.end());
      mesh.add_face(face);
    }
}

}  // namespace

std::vector<JointSpec> cylinder_joints() {
  return {{"Lower", "", {0, 0, 0}, {}}, {"Upper", "Lower", {0, kLength / 2, 0}, Vec3(0, kLength, 0)}};
}

Result<Rig> cylinder_rig(int resolution) {
  const Counts counts = choose_counts(resolution);
  Rig rig;
  add_sides(counts, rig.mesh);
  add_cap(counts, true, rig.mesh);
  add_cap(counts, false, rig.mesh);
  for (const Vec3& p : rig.mesh.positions) {
    const double t = std::clamp((p.y() - kLength / 2 + kRadius) / (2 * kRadius), 0.0, 1.0);
    const double upper = t * t * (3 - 2 * t);
    std::vector<Influence> row;
    if (upper < 1) row.push_back({0, 1 - upper});
    if (upper > 0) row.push_back({1, upper});
    add_normalised_row(std::move(row), rig.weights);
  }
  const std::vector<JointSpec> joints = cylinder_joints();
  const auto swell = [](double phase) { return (1 - cowave(phase)) / 2; };
  Clip bend = ClipBuilder("bend", 2, joints)
                  .turn("Upper", [&](double t) { return Vec3(0, 0, 90 * swell(t)); })
                  .take();
  Clip twist = ClipBuilder("twist", 2, joints)
                   .turn("Upper", [&](double t) { return Vec3(0, 150 * wave(t), 0); })
                   .take();
  return finish_rig(std::move(rig), "cylinder", joints, {bend, twist});
}

}  // namespace sinew::characters
