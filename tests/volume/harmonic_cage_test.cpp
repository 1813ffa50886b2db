// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/harmonic_cage.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/parallel.h"
#include "support/shapes.h"
#include "volume/cage_body.h"
#include "volume/cut_multigrid.h"

namespace sinew {
namespace {

constexpr double kReach = 0.1;

HarmonicCage built(const PolyMesh& cage, int resolution) {
  auto result = HarmonicCage::build(cage, resolution);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return *std::move(result);
}

CageBinding bound(const PolyMesh& cage, int resolution, std::span<const Vec3> points,
                  double threshold = 1e-6) {
  CageSolveOptions options;
  options.threshold = threshold;
  auto result = built(cage, resolution).bind(points, kReach, options);
  EXPECT_TRUE(result.ok());
  return *std::move(result);
}

Vec3 moved(const ControlRows& rows, std::size_t i, std::span<const Vec3> controls) {
  Vec3 sum = Vec3::Zero();
  for (const ControlRows::Entry& entry : rows[i])
    sum += static_cast<double>(entry.weight) * controls[entry.control];
  return sum;
}

PolyMesh tetrahedron() {
  PolyMesh mesh;
  mesh.positions = {Vec3(0, 0, 0), Vec3(1.1, 0.1, 0), Vec3(0.2, 1.3, 0.1), Vec3(0.1, 0.2, 0.9)};
  mesh.add_face({0, 2, 1});
  mesh.add_face({0, 1, 3});
  mesh.add_face({1, 2, 3});
  mesh.add_face({0, 3, 2});
  return mesh;
}

// An L of boxes: not convex, of quads.
PolyMesh bracket() {
  PolyMesh mesh;
  const std::vector<Vec2> outline{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  for (const double z : {0.0, 1.0})
    for (const Vec2& p : outline) mesh.positions.emplace_back(p.x(), p.y(), z);
  mesh.add_face({0, 5, 4, 3, 2, 1});
  mesh.add_face({6, 7, 8, 9, 10, 11});
  for (std::uint32_t k = 0; k < 6; ++k) mesh.add_face({k, (k + 1) % 6, 6 + (k + 1) % 6, 6 + k});
  return mesh;
}

// Points of a box that lie inside the cage.
std::vector<Vec3> inside_points(const PolyMesh& cage, int count) {
  const TriangleView view = triangulate(cage);
  const WindingNumber winding({cage.positions, view.triangles});
  const Box3 box = bounding_box(cage.positions);
  std::vector<Vec3> points;
  std::uint32_t state = 12345;
  const auto random = [&] { return ((state = state * 1664525u + 1013904223u) >> 8) / 16777216.0; };
  while (static_cast<int>(points.size()) < count) {
    const Vec3 p = box.min() + box.sizes().cwiseProduct(Vec3(random(), random(), random()));
    if (winding(p) > 0.5) points.push_back(p);
  }
  return points;
}

void expect_whole(const CageBinding& binding, const PolyMesh& cage, std::span<const Vec3> points) {
  const double size = bounding_box(cage.positions).diagonal().norm();
  for (std::size_t i = 0; i < points.size(); ++i) {
    double sum = 0;
    for (const ControlRows::Entry& entry : binding.rows[i]) {
      EXPECT_GT(entry.weight, 0.0f);
      sum += static_cast<double>(entry.weight);
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    EXPECT_LT((moved(binding.rows, i, cage.positions) - points[i]).norm(), 1e-5 * size) << i;
    EXPECT_EQ(binding.masks[i], 1.0f);
  }
  EXPECT_GT(binding.figures.smallest, -1e-5);
  EXPECT_EQ(binding.figures.outside, 0u);
}

TEST(HarmonicCage, RowsAreWholeAndReproducePositionsAtEveryResolution) {
  const std::vector<PolyMesh> cages{bracket(), test::uv_sphere(Vec3(1, 2, 3), 2, 10, 7), test::random_blob(4),
                                    test::torus(2, 0.5, 14, 8), test::flipped(bracket())};
  for (const PolyMesh& cage : cages) {
    const std::vector<Vec3> points =
        inside_points(cage.face_count() == bracket().face_count() ? bracket() : cage, 300);
    for (const int resolution : {1, 2, 3, 4, 5}) {
      SCOPED_TRACE(resolution);
      expect_whole(bound(cage, resolution, points), cage, points);
    }
  }
}

// Without the mending of rows: scheme and lookup reproduce positions by themselves.
TEST(HarmonicCage, SchemeAndLookupAreExactForLinearFunctions) {
  const PolyMesh cage = test::random_blob(7, 12, 8);
  const TriangleView view = triangulate(cage);
  const Bvh tree({cage.positions, view.triangles});
  const WindingNumber winding({cage.positions, view.triangles});
  const Box3 box = bounding_box(cage.positions);
  const CutGrid grid =
      cut_grid({cage.positions, view.triangles},
               {box.min() - Vec3::Constant(0.013), box.sizes().maxCoeff() * 1.02 / 16, {18, 18, 18}}, true);
  CutMultigrid multigrid({cage.positions, view.triangles}, grid, true);
  multigrid.solve_function([](const Vec3& p) { return 0.3 + p.x() - 2 * p.y() + 0.5 * p.z(); }, 1e-7, 60);
  const CutLookup lookup(grid, {cage.positions, view.triangles}, tree, winding, true);
  std::size_t cut = 0;
  for (const Vec3& p : inside_points(cage, 500)) {
    CutStencil stencil;
    ASSERT_TRUE(lookup.find(p, stencil));
    double value = 0, sum = 0;
    for (int k = 0; k < stencil.node_count; ++k) {
      const auto s = static_cast<std::size_t>(k);
      EXPECT_GE(stencil.weights[s], 0);
      sum += stencil.weights[s];
      value += stencil.weights[s] * static_cast<double>(multigrid.values()[stencil.nodes[s]].lane[0]);
    }
    for (int k = 0; k < stencil.surface_count; ++k) {
      const CutStencil::OnSurface& at = stencil.surface[static_cast<std::size_t>(k)];
      Vec3 q = Vec3::Zero();
      for (std::size_t c = 0; c < 3; ++c)
        q += at.barycentric[static_cast<Eigen::Index>(c)] * cage.positions[view.triangles[at.triangle][c]];
      EXPECT_GE(at.weight, 0);
      sum += at.weight;
      value += at.weight * (0.3 + q.x() - 2 * q.y() + 0.5 * q.z());
      ++cut;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_NEAR(value, 0.3 + p.x() - 2 * p.y() + 0.5 * p.z(), 2e-5);
  }
  EXPECT_GT(cut, 100u);
}

TEST(HarmonicCage, OneTetrahedronGivesBarycentricCoordinates) {
  const PolyMesh cage = tetrahedron();
  const std::vector<Vec3> points = inside_points(cage, 200);
  Mat4 matrix;
  for (int j = 0; j < 4; ++j) matrix.col(j) << cage.positions[static_cast<std::size_t>(j)], 1;
  for (const int resolution : {2, 4}) {
    const CageBinding binding = bound(cage, resolution, points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      Vec4 place;
      place << points[i], 1;
      Vec4 expected = matrix.inverse() * place;
      for (const ControlRows::Entry& entry : binding.rows[i])
        EXPECT_NEAR(static_cast<double>(entry.weight), expected[entry.control], 2e-5);
    }
  }
}

// e^x sin y is harmonic. The sphere is fine enough that its facets do not show.
TEST(HarmonicCage, TheSolverConvergesWithTheResolution) {
  const PolyMesh sphere = test::uv_sphere(Vec3::Zero(), 1, 200, 100);
  const TriangleView view = triangulate(sphere);
  const auto exact = [](const Vec3& p) { return std::exp(p.x()) * std::sin(p.y()); };
  std::vector<double> errors;
  for (const int cells : {8, 16, 32}) {
    const CutGrid grid =
        cut_grid({sphere.positions, view.triangles},
                 {Vec3(-1.003, -1.007, -1.005), 2.012 / cells, Vec3i::Constant(cells + 1)}, true);
    CutMultigrid multigrid({sphere.positions, view.triangles}, grid, true);
    const auto figures = multigrid.solve_function(exact, 2e-6, 60);
    EXPECT_LE(figures.cycles, 20);
    double worst = 0;
    for (std::uint32_t n = 0; n < grid.count; ++n) {
      const Vec3 p = grid.origin + grid.cell * grid.coordinates(grid.place[n]).cast<double>();
      worst = std::max(worst, std::abs(static_cast<double>(multigrid.values()[n].lane[0]) - exact(p)));
    }
    errors.push_back(worst);
  }
  EXPECT_LT(errors[1], errors[0] / 2.5);
  EXPECT_LT(errors[2], errors[1] / 2.5);
  EXPECT_LT(errors[2], 2e-3);
}

TEST(HarmonicCage, OverlappingCagesAreBalanced) {
  const PolyMesh left = test::uv_sphere(Vec3::Zero(), 1, 12, 8);
  const PolyMesh right = test::uv_sphere(Vec3(1, 0, 0), 1, 12, 8);
  const PolyMesh both = test::joined({left, right});
  std::vector<Vec3> points;
  for (double x = -0.9; x < 1.9; x += 0.05) points.emplace_back(x, 0.03, 0.02);
  const CageBinding binding = bound(both, 4, points);
  EXPECT_EQ(built(both, 4).pieces(), 2u);
  expect_whole(binding, both, points);
  double last = 1;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double of_left = 0;
    for (const ControlRows::Entry& entry : binding.rows[i])
      if (entry.control < left.vertex_count()) of_left += static_cast<double>(entry.weight);
    EXPECT_LT(of_left, last + 1e-6);  // fades, without a jump where a cage ends
    EXPECT_GT(of_left, last - 0.25);
    last = of_left;
  }
  EXPECT_NEAR(last, 0, 1e-6);
}

TEST(HarmonicCage, AStoredVolumeGivesTheSameRows) {
  const PolyMesh cage = test::random_blob(4, 12, 8);
  const std::vector<Vec3> points = inside_points(cage, 300);
  const HarmonicCage solver = built(cage, 4);
  CageSolveOptions options;
  options.threshold = 1e-5;
  const auto volume = solver.solve(options);
  ASSERT_TRUE(volume.ok());
  EXPECT_EQ(volume->rows.size(), solver.nodes());
  const CageBinding stored = solver.bind(points, kReach, volume->rows), fresh = bound(cage, 4, points);
  expect_whole(stored, cage, points);
  std::vector<Vec3> offsets;
  for (const Vec3& c : cage.positions) offsets.emplace_back(c.y() * c.y(), 0.3 * c.x() * c.z(), 0.1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 expected = moved(fresh.rows, i, offsets);
    EXPECT_LT((moved(stored.rows, i, offsets) - expected).norm(), 1e-3);
    // Dynamic binding at x = p equals static binding.
    EXPECT_LT((solver.displacement(points[i], kReach, volume->rows, offsets) - expected).norm(), 1e-3);
  }
}

TEST(HarmonicCage, OutsideItFollowsTheNearestPointAndFades) {
  const PolyMesh cage = test::box(Vec3::Zero(), Vec3::Ones());
  const HarmonicCage solver = built(cage, 3);
  const auto volume = solver.solve({});
  ASSERT_TRUE(volume.ok());
  const std::vector<Vec3> offsets(8, Vec3(0, 0, 1));
  double last = 1;
  for (double x = 0.9; x < 1.4; x += 0.005) {
    const double follow = solver.displacement(Vec3(x, 0.5, 0.4), kReach, volume->rows, offsets).z();
    EXPECT_LT(follow, last + 1e-5);
    EXPECT_GT(follow, last - 0.06);  // smooth: no jump at the cage, none where it ends
    if (x < 1) {
      EXPECT_NEAR(follow, 1, 1e-5);
    }
    last = follow;
  }
  EXPECT_EQ(last, 0);
}

TEST(HarmonicCage, PointsOnTheCageTakeItsOwnCoordinates) {
  const PolyMesh cage = bracket();
  const CageBinding binding = bound(cage, 4, cage.positions);
  for (std::size_t j = 0; j < cage.vertex_count(); ++j) {
    ASSERT_EQ(binding.rows[j].size(), 1u) << j;
    EXPECT_EQ(binding.rows[j][0].control, j);
  }
}

TEST(HarmonicCage, ThinPartsWithoutANodeStillFollow) {
  const PolyMesh cage = test::box(Vec3::Zero(), Vec3(1, 0.01, 0.013));
  const std::vector<Vec3> points = inside_points(cage, 100);
  expect_whole(bound(cage, 2, points), cage, points);
}

TEST(HarmonicCage, TheSameBitsForAnyNumberOfThreads) {
  const PolyMesh cage = test::uv_sphere(Vec3::Zero(), 1, 12, 8);
  const std::vector<Vec3> points = inside_points(cage, 200);
  const auto weights = [&](int threads) {
    set_thread_count(threads);
    const CageBinding binding = bound(cage, 5, points);
    set_thread_count(0);
    std::vector<float> list;
    for (const ControlRows::Entry& entry : binding.rows.entries) list.push_back(entry.weight);
    return list;
  };
  EXPECT_EQ(weights(1), weights(3));
}

TEST(HarmonicCage, SaysWhatIsWrong) {
  PolyMesh open = test::open_cup(1, 1);
  const auto refused = HarmonicCage::build(open, 4);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kBadInput);
  EXPECT_NE(refused.error().message.find("not closed"), std::string::npos);
  EXPECT_FALSE(HarmonicCage::build(PolyMesh(), 4).ok());
  EXPECT_EQ(HarmonicCage::build(test::box(Vec3::Zero(), Vec3::Ones()), 0).error().code, ErrorCode::kUsage);
  PolyMesh flat = test::box(Vec3::Zero(), Vec3(1, 1, 0));
  EXPECT_FALSE(HarmonicCage::build(flat, 4).ok());
}

// A cage that crosses itself: what it winds around is inside, and rows stay whole.
TEST(HarmonicCage, ACageThatCrossesItselfHasADefinedAnswer) {
  PolyMesh cage = test::capped_cylinder(0.5, 6, 12, 13);
  for (Vec3& p : cage.positions) {  // bent into itself
    const double angle = p.x();
    p = Vec3((1 + p.y()) * std::cos(angle), (1 + p.y()) * std::sin(angle), p.z() + 0.02 * p.x());
  }
  std::vector<Vec3> points;
  for (double angle = 0.3; angle < 5.8; angle += 0.1)
    points.emplace_back(std::cos(angle), std::sin(angle), 0.05);
  const CageBinding binding = bound(cage, 4, points);
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_LT((moved(binding.rows, i, cage.positions) - points[i]).norm(), 0.3);
  EXPECT_LT(binding.figures.max_row_error, 1e-5);
}

TEST(HarmonicCage, NamesControlPointsThatNoGridEdgeFeels) {
  const HarmonicCage coarse = built(test::uv_sphere(Vec3::Zero(), 1, 48, 24), 2);
  EXPECT_FALSE(coarse.idle_controls().empty());
  EXPECT_TRUE(built(test::uv_sphere(Vec3::Zero(), 1, 12, 8), 5).idle_controls().empty());
}

}  // namespace
}  // namespace sinew
