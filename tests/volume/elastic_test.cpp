// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/elastic.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <random>

#include "grids.h"
#include "sinew/core/parallel.h"

namespace sinew {
namespace {

GridPositions moved(const GridPositions& rest, const Mat3& turn, const Vec3& by) {
  return (rest * turn.transpose()).rowwise() + by.transpose();
}

GridPositions shaken(const GridPositions& rest, double amount, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> number(0, amount);
  GridPositions v = rest;
  for (Eigen::Index i = 0; i < v.size(); ++i) v.data()[i] += number(random);
  return v;
}

// Edge by edge, with the rotation from Eigen's SVD.
double energy_by_definition(const VoxelGrid& grid, const GridPositions& rest, const GridPositions& v,
                            std::span<const float> stiffness) {
  double sum = 0;
  const auto cells = grid.all_cell_vertices();
  for (std::size_t c = 0; c < cells.size(); ++c) {
    Mat3 covariance = Mat3::Zero();
    for (const auto& [a, b] : kCellEdges)
      covariance += (v.row(cells[c][b]) - v.row(cells[c][a])).transpose() *
                    (rest.row(cells[c][b]) - rest.row(cells[c][a]));
    const Eigen::JacobiSVD<Mat3> svd(covariance, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Mat3 flip = Mat3::Identity();
    flip(2, 2) = (svd.matrixU() * svd.matrixV().transpose()).determinant();
    const Mat3 turn = svd.matrixU() * flip * svd.matrixV().transpose();
    for (const auto& [a, b] : kCellEdges)
      sum += grid.cell_size() / 8 * (stiffness.empty() ? 1.0 : static_cast<double>(stiffness[c])) *
             ((v.row(cells[c][b]) - v.row(cells[c][a])).transpose() -
              turn * (rest.row(cells[c][b]) - rest.row(cells[c][a])).transpose())
                 .squaredNorm();
  }
  return sum;
}

std::vector<float> some_stiffness(const VoxelGrid& grid) {
  std::vector<float> stiffness(grid.cell_count());
  for (std::size_t c = 0; c < stiffness.size(); ++c) stiffness[c] = c % 3 == 0 ? 5.0f : 0.5f;
  return stiffness;
}

TEST(Corotational, EnergyIsTheDefinitions) {
  const VoxelGrid grid = test::ragged_grid(8);
  for (const auto& stiffness : {std::vector<float>{}, some_stiffness(grid)}) {
    const Corotational model(grid, stiffness);
    const GridPositions v = shaken(model.rest(), 0.4, 3);  // some cells turn inside out
    const double expected = energy_by_definition(grid, model.rest(), v, stiffness);
    EXPECT_NEAR(model.energy(v), expected, 1e-6 * expected);
  }
}

TEST(Corotational, RigidMotionHasNoEnergy) {
  const VoxelGrid grid = test::ragged_grid(8);
  const Corotational model(grid);
  const double scale = model.energy(shaken(model.rest(), 0.1, 1));
  EXPECT_EQ(model.energy(model.rest()), 0);
  const Mat3 turn = Eigen::AngleAxisd(2.5, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  EXPECT_LT(model.energy(moved(model.rest(), turn, Vec3(100, 3, 4))), 1e-10 * scale);
}

TEST(Corotational, GradientIsTheDifferenceQuotient) {
  const VoxelGrid grid = test::ragged_grid(6);
  const std::vector<float> stiffness = some_stiffness(grid);
  const Corotational model(grid, stiffness);
  const GridPositions v = shaken(model.rest(), 0.15, 7);
  CellRotations rotations;
  GridPositions pull;
  model.fit(v, rotations);
  model.pull(rotations, pull);
  const GridPositions gradient = model.matrix() * v - pull;
  const double step = 1e-4;
  for (const Eigen::Index i : {Eigen::Index{0}, v.rows() / 3, v.rows() / 2, v.rows() - 1})
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      GridPositions up = v, down = v;
      up(i, axis) += step;
      down(i, axis) -= step;
      const double quotient = (energy_by_definition(grid, model.rest(), up, stiffness) -
                               energy_by_definition(grid, model.rest(), down, stiffness)) /
                              (2 * step);
      EXPECT_NEAR(gradient(i, axis), quotient, 1e-4 * gradient.norm()) << i << " " << axis;
    }
}

// A bar whose first and last slices are held.
struct HeldBar {
  VoxelGrid grid = test::make_grid(Vec3i(16, 4, 4), 0.5);
  std::vector<std::uint8_t> fixed = std::vector<std::uint8_t>(grid.vertex_count(), 0);
  HeldBar() {
    for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
      const int x = grid.vertices()[v].x();
      fixed[v] = x <= 1 || x >= 15;
    }
  }
  GridPositions turned(const Mat3& turn) const {
    GridPositions v = Corotational(grid).rest();
    for (std::uint32_t i = 0; i < grid.vertex_count(); ++i)
      if (grid.vertices()[i].x() >= 15)
        v.row(i) = (turn * (v.row(i).transpose() - Vec3(4, 1, 1)) + Vec3(4, 1, 1)).transpose();
    return v;
  }
};

TEST(ElasticBody, EnergyNeverRisesAndFixedVerticesStay) {
  const HeldBar bar;
  auto body = ElasticBody::build(bar.grid, bar.fixed);
  ASSERT_TRUE(body) << body.error().message;
  const GridPositions start = bar.turned(Eigen::AngleAxisd(1.5, Vec3(0.6, 0.8, 0)).toRotationMatrix());
  for (const bool accelerated : {false, true}) {
    const auto solved = body->minimise(start, {.tolerance = 1e-9, .accelerated = accelerated});
    ASSERT_GT(solved.history.size(), 3u);
    for (std::size_t i = 1; i < solved.history.size(); ++i)
      EXPECT_LE(solved.history[i], solved.history[i - 1]);
    for (Eigen::Index i = 0; i < start.rows(); ++i)
      if (bar.fixed[static_cast<std::size_t>(i)]) {
        EXPECT_EQ(solved.positions.row(i), start.row(i));
      }
    // Stationary: the residual force has gone.
    CellRotations rotations;
    GridPositions pull;
    body->model().fit(solved.positions, rotations);
    body->model().pull(rotations, pull);
    GridPositions force = body->model().matrix() * solved.positions - pull;
    for (Eigen::Index i = 0; i < force.rows(); ++i)
      if (bar.fixed[static_cast<std::size_t>(i)]) force.row(i).setZero();
    EXPECT_LT(force.norm(), 2e-3 * pull.norm());
  }
}

TEST(ElasticBody, AccelerationReachesTheSameEnergyInFewerSteps) {
  const HeldBar bar;
  auto body = ElasticBody::build(bar.grid, bar.fixed);
  ASSERT_TRUE(body);
  const GridPositions start = bar.turned(Eigen::AngleAxisd(1.2, Vec3::UnitY()).toRotationMatrix());
  const auto plain = body->minimise(start, {.tolerance = 1e-8, .max_iterations = 2000, .accelerated = false});
  const auto fast = body->minimise(start, {.tolerance = 1e-8, .max_iterations = 2000});
  EXPECT_NEAR(fast.energy, plain.energy, 1e-3 * plain.energy);
  EXPECT_LT(2 * fast.iterations, plain.iterations);
}

TEST(ElasticBody, StopsWhereTheEnergyIsLowEnough) {
  const HeldBar bar;
  auto body = ElasticBody::build(bar.grid, bar.fixed);
  ASSERT_TRUE(body);
  const GridPositions start = bar.turned(Eigen::AngleAxisd(1.2, Vec3::UnitY()).toRotationMatrix());
  const auto whole = body->minimise(start, {.tolerance = 1e-8});
  ASSERT_GT(whole.history.size(), 4u);
  const double enough = (whole.history[1] + whole.history[2]) / 2;
  const auto early = body->minimise(start, {.tolerance = 1e-8, .enough = enough});
  EXPECT_EQ(early.iterations, 2);
  EXPECT_LT(early.energy, enough);
}

TEST(ElasticBody, RigidTargetsAreReachedExactly) {
  const HeldBar bar;
  auto body = ElasticBody::build(bar.grid, bar.fixed);
  ASSERT_TRUE(body);
  const Mat3 turn = Eigen::AngleAxisd(1.0, Vec3(1, 1, 0).normalized()).toRotationMatrix();
  const GridPositions target = moved(body->model().rest(), turn, Vec3(1, 2, 3));
  GridPositions start = body->model().rest();
  for (Eigen::Index i = 0; i < start.rows(); ++i)
    if (bar.fixed[static_cast<std::size_t>(i)]) start.row(i) = target.row(i);
  const auto solved = body->minimise(start, {.tolerance = 0, .max_iterations = 300});
  EXPECT_LT((solved.positions - target).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_LT(solved.energy, 1e-8 * solved.history.front());
}

// Springs at the middles of cells.
ElasticSprings springs_of(const VoxelGrid& grid, double stiffness) {
  ElasticSprings springs;
  const auto cells = grid.all_cell_vertices();
  const auto count = static_cast<Eigen::Index>(cells.size());
  springs.points.resize(count, static_cast<Eigen::Index>(grid.vertex_count()));
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index c = 0; c < count; ++c)
    for (const std::uint32_t v : cells[static_cast<std::size_t>(c)]) entries.emplace_back(c, v, 0.125);
  springs.points.setFromTriplets(entries.begin(), entries.end());
  springs.stiffness = Eigen::VectorXd::Constant(count, stiffness);
  return springs;
}

TEST(ElasticBody, SpringsThatPullNowhereChangeNothing) {
  const HeldBar bar;
  const ElasticSprings springs = springs_of(bar.grid, 2);
  const auto free = ElasticBody::build(bar.grid, bar.fixed),
             sprung = ElasticBody::build(bar.grid, bar.fixed, {}, springs);
  ASSERT_TRUE(free && sprung);
  const GridPositions start = bar.turned(Eigen::AngleAxisd(1.2, Vec3::UnitY()).toRotationMatrix());
  const auto bent = free->minimise(start, {.tolerance = 1e-9, .max_iterations = 500});
  const GridPositions places = springs.points * bent.positions;
  const auto held = sprung->minimise(start, {.tolerance = 1e-9, .max_iterations = 500, .places = &places});
  EXPECT_NEAR(held.energy, bent.energy, 1e-4 * bent.energy);
  EXPECT_LT((held.positions - bent.positions).cwiseAbs().maxCoeff(), 0.02);
}

TEST(ElasticBody, EnergyOfSpringsIsTheDefinitionsAndLeast) {
  const HeldBar bar;
  const ElasticSprings springs = springs_of(bar.grid, 0.7);
  const auto body = ElasticBody::build(bar.grid, bar.fixed, {}, springs);
  ASSERT_TRUE(body);
  const GridPositions start = bar.turned(Eigen::AngleAxisd(0.8, Vec3::UnitY()).toRotationMatrix());
  GridPositions places = springs.points * start;
  for (Eigen::Index c = 0; c < places.rows(); ++c)
    places.row(c) += Eigen::RowVector3d(0, 0.3, 0.1 * static_cast<double>(c % 3));
  const auto energy = [&](const GridPositions& v) {
    double sum = energy_by_definition(bar.grid, body->model().rest(), v, {});
    for (Eigen::Index c = 0; c < places.rows(); ++c)
      sum += 0.35 * (springs.points.row(c) * v - places.row(c)).squaredNorm();
    return sum;
  };
  const auto held = body->minimise(start, {.tolerance = 1e-10, .max_iterations = 1000, .places = &places});
  EXPECT_NEAR(held.energy, energy(held.positions), 1e-6 * held.energy);
  EXPECT_LT(held.energy, 0.5 * energy(start));
  for (const unsigned seed : {1u, 2u, 3u}) {
    GridPositions other = shaken(held.positions, 0.01, seed);
    for (Eigen::Index i = 0; i < other.rows(); ++i)
      if (bar.fixed[static_cast<std::size_t>(i)]) other.row(i) = held.positions.row(i);
    EXPECT_GT(energy(other), held.energy);
  }
}

TEST(ElasticBody, StiffCellsBendLess) {
  const HeldBar bar;
  std::vector<float> stiffness(bar.grid.cell_count(), 1.0f);
  for (std::uint32_t c = 0; c < bar.grid.cell_count(); ++c)
    if (bar.grid.cells()[c].x() < 8) stiffness[c] = 50.0f;
  auto even = ElasticBody::build(bar.grid, bar.fixed),
       uneven = ElasticBody::build(bar.grid, bar.fixed, stiffness);
  ASSERT_TRUE(even && uneven);
  const GridPositions start = bar.turned(Eigen::AngleAxisd(0.8, Vec3::UnitY()).toRotationMatrix());
  const ElasticOptions options{.tolerance = 1e-7, .max_iterations = 500};
  const auto a = even->minimise(start, options), b = uneven->minimise(start, options);
  CellRotations rotations;
  const auto left_energy = [&](const GridPositions& v) {  // both measured with the even body
    even->model().fit(v, rotations);
    const auto energies = even->model().cell_energies(v, rotations);
    double sum = 0;
    for (std::uint32_t c = 0; c < bar.grid.cell_count(); ++c)
      if (bar.grid.cells()[c].x() < 8) sum += energies[c];
    return sum;
  };
  EXPECT_LT(left_energy(b.positions), 0.1 * left_energy(a.positions));
}

TEST(ElasticBody, SameBitsForAnyThreadCount) {
  const HeldBar bar;
  auto body = ElasticBody::build(bar.grid, bar.fixed);
  ASSERT_TRUE(body);
  const GridPositions start = bar.turned(Eigen::AngleAxisd(1.2, Vec3::UnitZ()).toRotationMatrix());
  set_thread_count(1);
  const auto one = body->minimise(start);
  set_thread_count(2);
  const auto two = body->minimise(start);
  set_thread_count(0);
  EXPECT_EQ(one.positions, two.positions);
}

}  // namespace
}  // namespace sinew
