// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/endpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "bone_problem.h"

namespace sinew {
namespace {

using test::BoneProblem;

constexpr std::array kMethods = {EndpointMethod::kProjection, EndpointMethod::kInverseDistance,
                                 EndpointMethod::kHeat, EndpointMethod::kBbw};

EndpointFields fields_of(const BindInput& input, EndpointMethod method) {
  auto fields = endpoint_weights(input, {.method = method, .voxels = 24});
  EXPECT_TRUE(fields.ok()) << fields.error().message;
  return fields.ok() ? *std::move(fields) : EndpointFields();
}

TEST(Endpoint, ProjectionIsTheFootOfThePerpendicular) {
  const Bone bone{0, Vec3(1, 2, 3), Vec3(1, 6, 3)};
  const Vec3 aside(5, 0, -7);
  EXPECT_EQ(endpoint_by_projection(bone, bone.head + aside), 0.0);
  EXPECT_EQ(endpoint_by_projection(bone, bone.tail + aside), 1.0);
  EXPECT_EQ(endpoint_by_projection(bone, 0.5 * (bone.head + bone.tail) + aside), 0.5);
  EXPECT_EQ(endpoint_by_projection(bone, bone.tail + Vec3(0, 9, 0)), 1.0);
  EXPECT_EQ(endpoint_by_projection(bone, bone.head - Vec3(0, 9, 0)), 0.0);
  EXPECT_EQ(endpoint_by_projection({0, aside, aside}, bone.head), 0.0);
}

TEST(Endpoint, ProjectionIsLinearAlongTheBoneInThePlane) {
  const BoneProblem problem(test::grid(20, 5, 4, 1), {{0, Vec3(1, 0.5, 0), Vec3(3, 0.5, 0)}});
  const EndpointFields fields = fields_of(problem.input(), EndpointMethod::kProjection);
  for (std::size_t i = 0; i < problem.welded.weld.positions.size(); ++i) {
    const double x = problem.welded.weld.positions[i].x();
    EXPECT_NEAR(fields.values(static_cast<Eigen::Index>(i), 0), std::clamp((x - 1) / 2, 0.0, 1.0), 1e-12);
  }
}

TEST(Endpoint, LiesInTheUnitIntervalOnEveryShapeByEveryMethod) {
  for (const auto& shape : test::all_shapes()) {
    const BoneProblem problem(shape.mesh, {{0, Vec3::Zero(), Vec3::UnitX()},
                                           {1, Vec3::UnitX(), Vec3(2, 1, 0)},
                                           {2, Vec3(0, 5, 0), Vec3(0, 5, 0)}});
    for (const EndpointMethod method : kMethods) {
      const EndpointFields fields = fields_of(problem.input(), method);
      ASSERT_EQ(fields.values.cols(), 3) << shape.name;
      ASSERT_EQ(fields.values.rows(), static_cast<Eigen::Index>(problem.welded.weld.positions.size()));
      EXPECT_GE(fields.values.minCoeff(), 0) << shape.name << ' ' << static_cast<int>(method);
      EXPECT_LE(fields.values.maxCoeff(), 1) << shape.name << ' ' << static_cast<int>(method);
    }
  }
}

// A bar whose surface holds the ends of the bones: what interpolates is exact there.
TEST(Endpoint, PointWeightsThatInterpolateAreExactAtHeadAndTail) {
  const PolyMesh mesh = test::capped_cylinder(0.5, 4, 16, 33);
  BoneProblem problem(mesh, {});
  const auto vertex_near = [&](double x) {
    Eigen::Index best = 0;
    for (std::size_t i = 0; i < problem.welded.weld.positions.size(); ++i)
      if ((problem.welded.weld.positions[i] - Vec3(x, 0.5, 0)).norm() <
          (problem.welded.weld.positions[static_cast<std::size_t>(best)] - Vec3(x, 0.5, 0)).norm())
        best = static_cast<Eigen::Index>(i);
    return best;
  };
  const std::array<Eigen::Index, 3> joints = {vertex_near(0.5), vertex_near(2), vertex_near(3.5)};
  const auto place = [&](int k) {
    return problem.welded.weld.positions[static_cast<std::size_t>(joints[static_cast<std::size_t>(k)])];
  };
  problem.bones = {{0, place(0), place(1)}, {1, place(1), place(2)}};
  for (const EndpointMethod method : {EndpointMethod::kInverseDistance, EndpointMethod::kBbw}) {
    const EndpointFields fields = fields_of(problem.input(), method);
    EXPECT_EQ(fields.values(joints[0], 0), 0.0) << static_cast<int>(method);
    EXPECT_EQ(fields.values(joints[1], 0), 1.0) << static_cast<int>(method);
    EXPECT_EQ(fields.values(joints[1], 1), 0.0) << static_cast<int>(method);
    EXPECT_EQ(fields.values(joints[2], 1), 1.0) << static_cast<int>(method);
  }
}

// What [jacobson2011] asks of endpoint weights, along a line on a bar whose joints lie on the line: 0 and 1
// at the ends of the bone, no kinks, and nothing to do with parts beyond the neighbouring bones.
struct EndpointQuality {
  double at_ends = 0;     // largest error at head and tail
  double kink = 0;        // largest change of slope from one vertex to the next, in steps of a linear rise
  double far_change = 0;  // how much e varies two bones away and farther
};

EndpointQuality quality_of(EndpointMethod method) {
  constexpr int kRings = 129;
  constexpr double kSpacing = 8.0 / (kRings - 1);
  BoneProblem problem(test::capped_cylinder(0.4, 8, 16, kRings), {});
  const auto& points = problem.welded.weld.positions;
  std::vector<Eigen::Index> line;  // along the bar, 0 ... 8
  for (std::size_t i = 0; i < points.size(); ++i)
    if (std::abs(points[i].z()) < 1e-9 && points[i].y() > 0.39) line.push_back(static_cast<Eigen::Index>(i));
  std::sort(line.begin(), line.end(), [&](Eigen::Index a, Eigen::Index b) {
    return points[static_cast<std::size_t>(a)].x() < points[static_cast<std::size_t>(b)].x();
  });
  EXPECT_EQ(line.size(), static_cast<std::size_t>(kRings));
  const auto place = [&](std::size_t k) { return points[static_cast<std::size_t>(line[k])]; };
  for (std::size_t b = 0; b < 4; ++b) problem.bones.push_back({b, place(32 * b), place(32 * (b + 1))});
  const auto fields = endpoint_weights(problem.input(), {.method = method, .voxels = 128});
  EXPECT_TRUE(fields.ok());
  EXPECT_GE(fields->values.minCoeff(), 0);
  EXPECT_LE(fields->values.maxCoeff(), 1);
  const auto e = [&](std::size_t k) { return fields->values(line[k], 0); };  // of the first bone, 0 ... 2
  EndpointQuality quality;
  quality.at_ends = std::max(std::abs(e(0)), std::abs(1 - e(32)));
  for (std::size_t k = 2; k + 2 < line.size(); ++k)
    quality.kink = std::max(quality.kink, std::abs(e(k + 1) - 2 * e(k) + e(k - 1)) / (kSpacing / 2));
  double least = 1, most = 0;
  for (std::size_t k = 96; k < line.size(); ++k) least = std::min(least, e(k)), most = std::max(most, e(k));
  quality.far_change = most - least;
  return quality;
}

TEST(Endpoint, MethodsDifferInSmoothnessInterpolationAndLocality) {
  // Linear between the ends and constant beyond them: exact and local, with one whole kink at an end.
  const EndpointQuality projection = quality_of(EndpointMethod::kProjection);
  EXPECT_LT(projection.at_ends, 1e-12);
  EXPECT_NEAR(projection.kink, 1, 1e-9);
  EXPECT_LT(projection.far_change, 1e-12);
  // Smooth, and felt everywhere.
  const EndpointQuality distance = quality_of(EndpointMethod::kInverseDistance);
  EXPECT_EQ(distance.at_ends, 0);
  EXPECT_LT(distance.kink, 0.25);
  EXPECT_GT(distance.far_change, 1e-3);
  // Local, but it nears the values at the ends without reaching them.
  const EndpointQuality heat = quality_of(EndpointMethod::kHeat);
  EXPECT_GT(heat.at_ends, 0);
  EXPECT_LT(heat.at_ends, 1e-2);
  EXPECT_LT(heat.far_change, 1e-3);
  // Exact and local, and smoother than projection.
  const EndpointQuality bbw = quality_of(EndpointMethod::kBbw);
  EXPECT_EQ(bbw.at_ends, 0);
  EXPECT_LT(bbw.kink, 0.75);
  EXPECT_LT(bbw.far_change, 1e-3);
}

TEST(Endpoint, InverseDistanceFollowsTheFormula) {
  // From p the three joints are 1, 2 and 2 away: q = 4/6, 1/6, 1/6.
  const BoneProblem problem(test::one_triangle(), {});
  const Vec3 p = problem.welded.weld.positions[0];
  const std::vector<Bone> bones = {{0, p + Vec3(0, 0, 1), p + Vec3(0, 0, 2)},
                                   {1, p + Vec3(0, 0, 2), p - Vec3(0, 0, 2)}};
  const EndpointFields fields = fields_of({problem.welded.view(), bones}, EndpointMethod::kInverseDistance);
  EXPECT_NEAR(fields.values(0, 0), 0.5 * (1 - 4.0 / 6 + 1.0 / 6), 1e-12);
  EXPECT_NEAR(fields.values(0, 1), 0.5, 1e-12);
}

TEST(Endpoint, RisesFromHeadToTailByEveryMethod) {
  const BoneProblem problem = test::two_bone_bar();
  for (const EndpointMethod method : kMethods) {
    const EndpointFields fields = fields_of(problem.input(), method);
    double low = 0, middle = 0, high = 0;  // at the places nearest to the head, middle and tail of bone 0
    double at_low = 9, at_middle = 9, at_high = 9;
    for (std::size_t i = 0; i < problem.welded.weld.positions.size(); ++i) {
      const double x = problem.welded.weld.positions[i].x(),
                   e = fields.values(static_cast<Eigen::Index>(i), 0);
      if (std::abs(x - 0.2) < at_low) at_low = std::abs(x - 0.2), low = e;
      if (std::abs(x - 1.1) < at_middle) at_middle = std::abs(x - 1.1), middle = e;
      if (std::abs(x - 2.0) < at_high) at_high = std::abs(x - 2.0), high = e;
    }
    EXPECT_LT(low + 0.1, middle) << static_cast<int>(method);
    EXPECT_LT(middle + 0.1, high) << static_cast<int>(method);
  }
}

TEST(Endpoint, WhatSeesNoJointIsProjectedAndCounted) {
  // A closed box around the joints hides them from the far triangle.
  const BoneProblem problem(test::cube_with_island(), {{0, Vec3(0.3, 0.5, 0.5), Vec3(0.7, 0.5, 0.5)}});
  const EndpointFields fields = fields_of(problem.input(), EndpointMethod::kHeat);
  EXPECT_EQ(fields.filled, 3u);
}

}  // namespace
}  // namespace sinew
