// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/paint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "support/shapes.h"

namespace sinew {
namespace {

std::vector<Vec3f> as_shown(const PolyMesh& mesh) {
  std::vector<Vec3f> shown;
  for (const Vec3& p : mesh.positions) shown.push_back(p.cast<float>());
  return shown;
}

struct Painting {
  PolyMesh mesh;
  TriangleView view;
  PaintSurface surface;
  std::vector<Vec3f> shown;

  explicit Painting(PolyMesh made)
      : mesh(std::move(made)),
        view(triangulate(mesh)),
        surface({mesh.positions, view.triangles}),
        shown(as_shown(mesh)) {}
};

SkinWeights alike(std::size_t vertices, std::span<const Influence> row) {
  SkinWeights weights;
  weights.offsets.assign(1, 0);
  for (std::size_t i = 0; i < vertices; ++i) weights.add_row(row);
  return weights;
}

double weight_at(const SkinWeights& weights, std::size_t vertex, std::uint32_t joint) {
  for (const Influence& one : weights.row(vertex))
    if (one.joint == joint) return one.weight;
  return 0;
}

void expect_sums_of_one(const SkinWeights& weights) {
  const WeightStats stats = weight_stats(weights, 0, weights.vertex_count());
  EXPECT_EQ(stats.unweighted, 0u);
  EXPECT_LT(stats.max_row_error, 1e-12);
  EXPECT_GE(stats.min, 0);
}

TEST(Paint, EveryFalloffGoesFromOneToZeroAndNeverRises) {
  for (const Falloff falloff : {Falloff::kSmooth, Falloff::kLinear, Falloff::kSphere, Falloff::kConstant}) {
    EXPECT_EQ(falloff_at(falloff, 0), 1);
    EXPECT_EQ(falloff_at(falloff, 1), 0);
    double last = 1;
    for (double x = 0; x <= 1.5; x += 0.01) {
      EXPECT_LE(falloff_at(falloff, x), last);
      last = falloff_at(falloff, x);
    }
  }
  EXPECT_NEAR(falloff_at(Falloff::kSphere, 0.6), 0.8, 1e-12);
  EXPECT_NEAR(falloff_at(Falloff::kLinear, 0.3), 0.7, 1e-12);
  EXPECT_NEAR(falloff_at(Falloff::kSmooth, 0.5), 0.5625, 1e-12);
}

TEST(Paint, ADabTouchesTheBallAndAddsWhatTheFalloffSays) {
  Painting on(test::grid(40, 40));
  const Vec3 centre = on.mesh.positions[820];
  const auto touched = on.surface.touched(on.shown, 820, centre, 0.21, 0.5, Falloff::kLinear);
  std::size_t inside = 0;
  for (const Vec3& p : on.mesh.positions) inside += (p - centre).norm() < 0.21;
  EXPECT_EQ(touched.size(), inside);
  EXPECT_GT(inside, 50u);
  SkinWeights weights = alike(on.mesh.vertex_count(), std::array{Influence{0, 0.75}, Influence{1, 0.25}});
  const auto before = weights.entries;
  const auto undo =
      apply_rows(weights, paint_weights(weights, on.surface, touched, 1, {BrushMode::kAdd, 0.4}));
  for (std::size_t i = 0; i < on.mesh.vertex_count(); ++i) {
    const double x = (on.mesh.positions[i] - centre).norm() / 0.21;
    const double expected = 0.25 + (x < 1 ? 0.4 * 0.5 * (1 - x) : 0);
    EXPECT_NEAR(weight_at(weights, i, 1), expected, 1e-7);
    EXPECT_NEAR(weight_at(weights, i, 0), 1 - expected, 1e-7);
  }
  expect_sums_of_one(weights);
  apply_rows(weights, undo);
  ASSERT_EQ(weights.entries.size(), before.size());
  for (std::size_t e = 0; e < before.size(); ++e) {
    EXPECT_EQ(weights.entries[e].joint, before[e].joint);
    EXPECT_EQ(weights.entries[e].weight, before[e].weight);
  }
}

TEST(Paint, ABrushOnOneFingerDoesNotReachTheNext) {
  const PolyMesh one = test::capsule({0, 0, 0}, {1, 0, 0}, 0.1);
  const PolyMesh next = test::capsule({0, 0.25, 0}, {1, 0.25, 0}, 0.1);
  Painting on(test::joined({one, next}));
  const auto touched = on.surface.touched(on.shown, 0, on.mesh.positions[0], 0.6, 1, Falloff::kConstant);
  ASSERT_FALSE(touched.empty());
  for (const Touch& touch : touched)
    EXPECT_LT(on.surface.weld().representative[touch.vertex], one.vertex_count());
}

TEST(Paint, ABrushGoesAlongTheSurfaceAndNotAcrossAFold) {
  // A sheet folded like a hairpin: row 0 lies beside the last one, and the surface between them is long.
  constexpr std::uint32_t kRows = 41, kColumns = 5;
  PolyMesh sheet;
  for (std::uint32_t i = 0; i < kRows; ++i)
    for (std::uint32_t j = 0; j < kColumns; ++j)
      sheet.positions.emplace_back(0.05 * std::min(i, kRows - 1 - i), i < kRows / 2 ? 0 : 0.05, 0.05 * j);
  for (std::uint32_t i = 0; i + 1 < kRows; ++i)
    for (std::uint32_t j = 0; j + 1 < kColumns; ++j)
      sheet.add_face(
          {kColumns * i + j, kColumns * i + j + 1, kColumns * (i + 1) + j + 1, kColumns * (i + 1) + j});
  Painting on(std::move(sheet));
  const auto touched = on.surface.touched(on.shown, 2, on.mesh.positions[2], 0.2, 1, Falloff::kConstant);
  ASSERT_GT(touched.size(), kColumns);
  for (const Touch& touch : touched)
    EXPECT_LT(on.surface.weld().representative[touch.vertex], kColumns * kRows / 2);
}

TEST(Paint, ReplaceFloodsTheValueAndTheOthersKeepTheirProportions) {
  Painting on(test::box({0, 0, 0}, {1, 1, 1}, 4));
  SkinWeights weights =
      alike(on.mesh.vertex_count(), std::array{Influence{0, 0.6}, Influence{1, 0.2}, Influence{2, 0.2}});
  apply_rows(weights,
             paint_weights(weights, on.surface, on.surface.flooded(1), 1, {BrushMode::kReplace, 0.6}));
  for (std::size_t i = 0; i < on.mesh.vertex_count(); ++i) {
    EXPECT_NEAR(weight_at(weights, i, 1), 0.6, 1e-12);
    EXPECT_NEAR(weight_at(weights, i, 0), 0.3, 1e-12);
    EXPECT_NEAR(weight_at(weights, i, 2), 0.1, 1e-12);
  }
  // A joint that had no part gets one; the least of the others leaves where there is no room.
  apply_rows(weights, paint_weights(weights, on.surface, on.surface.flooded(1), 3, {BrushMode::kReplace, 0.5},
                                    {.influences = 3}));
  EXPECT_EQ(weights.max_influences(), 3u);
  EXPECT_NEAR(weight_at(weights, 0, 3), 0.5, 1e-12);
  EXPECT_EQ(weight_at(weights, 0, 2), 0);
  expect_sums_of_one(weights);
}

TEST(Paint, LockedJointsKeepTheirWeightsUnderEveryBrush) {
  Painting on(test::grid(20, 20));
  SkinWeights weights;
  weights.offsets.assign(1, 0);
  for (const Vec3& p : on.mesh.positions)
    weights.add_row(
        std::array{Influence{0, 0.3 + 0.2 * p.x()}, Influence{1, 0.5 - 0.2 * p.x()}, Influence{2, 0.2}});
  const std::array<std::uint8_t, 3> locked{1, 0, 0};
  for (const Brush brush :
       {Brush{BrushMode::kAdd, 1}, Brush{BrushMode::kReplace, 0}, Brush{BrushMode::kSmooth, 0}}) {
    SkinWeights painted = weights;
    apply_rows(painted,
               paint_weights(painted, on.surface, on.surface.flooded(0.9), 1, brush, {.locked = locked}));
    expect_sums_of_one(painted);
    for (std::size_t i = 0; i < painted.vertex_count(); ++i)
      EXPECT_NEAR(weight_at(painted, i, 0), weight_at(weights, i, 0), 1e-12);
  }
  EXPECT_TRUE(paint_weights(weights, on.surface, on.surface.flooded(1), 0, {}, {.locked = locked}).empty());
}

TEST(Paint, SmoothIsTheMeanWithTheNeighboursAndKeepsWhatIsEven) {
  Painting on(test::one_triangle());
  SkinWeights weights;
  weights.offsets.assign(1, 0);
  for (std::uint32_t i = 0; i < 3; ++i) weights.add_row(std::array{Influence{i, 1.0}});
  apply_rows(weights,
             paint_weights(weights, on.surface, on.surface.flooded(0.5), 0, {BrushMode::kSmooth, 0}));
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t j = 0; j < 3; ++j) EXPECT_NEAR(weight_at(weights, i, j), i == j ? 0.5 : 0.25, 1e-12);
}

TEST(Paint, AVertexThatOneJointMovesKeepsItWhenNobodyTakesTheRest) {
  Painting on(test::one_triangle());
  SkinWeights weights = alike(3, std::array{Influence{4, 1.0}});
  apply_rows(weights, paint_weights(weights, on.surface, on.surface.flooded(1), 4, {BrushMode::kReplace, 0}));
  EXPECT_EQ(weight_at(weights, 0, 4), 1);
}

TEST(Paint, SeamsStayClosed) {
  Painting on(test::soup(test::grid(12, 12)));
  SkinWeights weights = alike(on.mesh.vertex_count(), std::array{Influence{0, 0.5}, Influence{1, 0.5}});
  const auto touched = on.surface.touched(on.shown, 100, on.mesh.positions[100], 0.4, 1, Falloff::kSmooth);
  apply_rows(weights, paint_weights(weights, on.surface, touched, 1, {BrushMode::kAdd, 0.3}));
  const auto& weld = on.surface.weld();
  for (std::size_t i = 0; i < on.mesh.vertex_count(); ++i)
    EXPECT_EQ(weight_at(weights, i, 1), weight_at(weights, weld.representative[weld.to_welded[i]], 1));
}

TEST(Paint, TheMirrorImageOfADabIsTheDabAtTheMirroredPlace) {
  Painting on(test::uv_sphere({0, 0, 0}, 1, 64));
  const auto vertex = static_cast<std::uint32_t>(on.mesh.vertex_count() / 2 + 7);
  Vec3 centre = on.mesh.positions[vertex];
  ASSERT_GT(std::abs(centre.x()), 0.5);
  const auto touched = on.surface.touched(on.shown, vertex, centre, 0.4, 1, Falloff::kSmooth);
  const auto image = on.surface.mirrored(touched, 0, 0);
  centre.x() = -centre.x();
  ASSERT_GT(image.size(), touched.size() / 2);
  for (const Touch& touch : image) {
    const double x = (on.surface.weld().positions[touch.vertex] - centre).norm() / 0.4;
    EXPECT_NEAR(touch.amount, falloff_at(Falloff::kSmooth, x), 0.02);
  }
}

TEST(Paint, ValuesStayWithinTheirRangeAndWhatIsMissingCountsAsGiven) {
  Painting on(test::grid(10, 10));
  std::vector<float> values(on.mesh.vertex_count(), std::numeric_limits<float>::quiet_NaN());
  paint_values(values, on.surface, on.surface.flooded(0.5), {BrushMode::kReplace, 21}, 0.1, 100, 1);
  for (const float value : values) EXPECT_FLOAT_EQ(value, 11);
  paint_values(values, on.surface, on.surface.flooded(1), {BrushMode::kAdd, 500}, 0.1, 100, 1);
  for (const float value : values) EXPECT_FLOAT_EQ(value, 100);
  values[0] = 1;
  paint_values(values, on.surface, std::array{Touch{0, 1}}, {BrushMode::kSmooth, 0}, 0.1, 100, 1);
  EXPECT_FLOAT_EQ(values[0], 100);
}

}  // namespace
}  // namespace sinew
