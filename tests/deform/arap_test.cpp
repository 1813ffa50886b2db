// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/arap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/parallel.h"
#include "support/shapes.h"

namespace sinew {
namespace {

// A mesh with its triangles, and every few vertices held.
struct Held {
  PolyMesh mesh;
  TriangleView view;
  std::vector<std::uint32_t> vertices;
  std::vector<Vec3> targets;

  explicit Held(PolyMesh shape, std::size_t every = 7) : mesh(std::move(shape)), view(triangulate(mesh)) {
    for (std::size_t v = 0; v < mesh.vertex_count(); v += every) {
      vertices.push_back(static_cast<std::uint32_t>(v));
      targets.push_back(mesh.positions[v]);
    }
  }
  MeshView triangles() const { return {mesh.positions, view.triangles}; }
  double size() const { return bounding_box(mesh.positions).diagonal().norm(); }
  ArapSolver solver(ArapEnergy energy = ArapEnergy::kSpokesAndRims) const {
    auto built = ArapSolver::build(triangles(), vertices, {.energy = energy});
    EXPECT_TRUE(built.ok()) << (built.ok() ? "" : built.error().message);
    return *std::move(built);
  }
  std::vector<Vec3> result(const ArapSolver& arap, const ArapState& state) const {
    std::vector<Vec3> out(mesh.vertex_count());
    arap.read(state, out);
    return out;
  }
};

// The two ends of a bar, one of them turned about z and moved.
Held bent_bar() {
  Held held(test::capped_cylinder(0.5, 6, 20, 31), 1000000);
  held.vertices.clear();
  held.targets.clear();
  const Affine3 turn =
      Eigen::Translation3d(4, 1, 0) * Eigen::AngleAxisd(1.2, Vec3::UnitZ()) * Eigen::Translation3d(-5, 0, 0);
  for (std::uint32_t v = 0; v < held.mesh.vertex_count(); ++v) {
    const Vec3 p = held.mesh.positions[v];
    if (p.x() > 0.5 && p.x() < 5.5) continue;
    held.vertices.push_back(v);
    held.targets.push_back(p.x() < 1 ? p : Vec3(turn * p));
  }
  return held;
}

const Affine3 kMotion =
    Eigen::Translation3d(3, -1, 2) * Eigen::AngleAxisd(2.2, Vec3(1, -2, 0.5).normalized());

class Arap : public testing::TestWithParam<ArapEnergy> {};
INSTANTIATE_TEST_SUITE_P(Energies, Arap, testing::Values(ArapEnergy::kSpokesAndRims, ArapEnergy::kSpokes),
                         [](const auto& energy) {
                           return energy.param == ArapEnergy::kSpokes ? "spokes" : "spokes_and_rims";
                         });

TEST_P(Arap, EnergyNeverRisesAndConstraintsAreExact) {
  std::vector<Held> cases{bent_bar(), Held(test::random_blob(3)), Held(test::moebius_strip())};
  for (Held& held : cases) {
    for (std::size_t c = 0; c < held.targets.size(); c += 3) held.targets[c] += Vec3(0.3, -0.2, 0.1);
    const ArapSolver arap = held.solver(GetParam());
    ArapState state = arap.make_state();
    arap.start(held.targets, state);
    double last = std::numeric_limits<double>::infinity();
    for (int step = 0; step < 60; ++step) {
      arap.step(held.targets, state);
      const double energy = arap.energy(state);
      EXPECT_LE(energy, last * (1 + 1e-10)) << step;
      last = energy;
    }
    EXPECT_GT(last, 0);
    const std::vector<Vec3> out = held.result(arap, state);
    for (std::size_t c = 0; c < held.vertices.size(); ++c) EXPECT_EQ(out[held.vertices[c]], held.targets[c]);
  }
}

// Plain cotangents below zero push rest shapes apart: long thin triangles must stay where they are.
TEST_P(Arap, UnmovedConstraintsGiveTheRestMeshOnEveryShape) {
  std::vector<test::NamedShape> shapes = test::all_shapes();
  PolyMesh flat = test::uv_sphere(Vec3::Zero(), 1, 40, 12);
  for (Vec3& p : flat.positions) p.x() *= 30;
  shapes.push_back({"obtuse", flat, true});
  for (const test::NamedShape& shape : shapes) {
    const Held held(shape.mesh, 5);
    const ArapSolver arap = held.solver(GetParam());
    ArapState state = arap.make_state();
    arap.start(held.targets, state);
    for (int step = 0; step < 5; ++step) arap.step(held.targets, state);
    const std::vector<Vec3> out = held.result(arap, state);
    for (std::size_t v = 0; v < out.size(); ++v)
      EXPECT_LT((out[v] - held.mesh.positions[v]).norm(), 1e-6 * held.size()) << shape.name << " " << v;
    EXPECT_LT(arap.energy(state), 1e-9 * held.size() * held.size()) << shape.name;
  }
}

TEST_P(Arap, RigidTargetsAreReachedInOneStep) {
  for (const test::NamedShape& shape : test::all_shapes()) {
    Held held(shape.mesh, std::max<std::size_t>(1, shape.mesh.vertex_count() / 9));
    // Fewer than three held vertices, or all on a line, leave the rotation open.
    if (held.vertices.size() < 4) continue;
    for (Vec3& target : held.targets) target = kMotion * target;
    const ArapSolver arap = held.solver(GetParam());
    ArapState state = arap.make_state();
    arap.start(held.targets, state);
    arap.step(held.targets, state);
    const std::vector<Vec3> out = held.result(arap, state);
    for (std::size_t v = 0; v < out.size(); ++v)
      EXPECT_LT((out[v] - kMotion * held.mesh.positions[v]).norm(), 1e-6 * held.size()) << shape.name;
  }
}

// At the least energy no free vertex can lower it: the difference quotient of the closed form is 0.
TEST_P(Arap, ConvergesToWhereTheGradientVanishes) {
  Held held(test::random_blob(8, 10, 6), 9);
  for (std::size_t c = 0; c < held.targets.size(); c += 2) held.targets[c] *= 1.3;
  const ArapSolver arap = held.solver(GetParam());
  ArapState state = arap.make_state();
  arap.start(held.targets, state);
  for (int step = 0; step < 3000; ++step) arap.step(held.targets, state);
  const std::vector<Vec3> out = held.result(arap, state);
  const double h = 1e-4, scale = arap.energy(state);
  for (std::uint32_t v = 1; v < out.size(); v += 4) {
    if (v % 9 == 0) continue;
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<Vec3> up = out, down = out;
      up[v][axis] += h, down[v][axis] -= h;
      arap.start_from(up, state);
      const double above = arap.energy(state);
      arap.start_from(down, state);
      EXPECT_NEAR((above - arap.energy(state)) / (2 * h), 0, 2e-5 * scale) << v;
    }
  }
}

// A shape swollen by s has R = 1 and three times (s - 1)^2 the integral of |grad x|^2, which is twice its
// area.
TEST(ArapEnergyOf, ASwollenShapeHasItsClosedForm) {
  const Held held(test::random_blob(5), 10);
  const ArapSolver arap = held.solver();
  ArapState state = arap.make_state();
  std::vector<Vec3> swollen = held.mesh.positions;
  for (Vec3& p : swollen) p = kMotion * (1.2 * p);
  arap.start_from(swollen, state);
  const double expected = 3 * 0.2 * 0.2 * 2 * test::surface_area(held.mesh);
  EXPECT_NEAR(arap.energy(state), expected, 1e-6 * expected);
}

TEST(ArapSolver, SeamsDoNotTear) {
  const PolyMesh whole = test::uv_sphere(Vec3::Zero(), 1, 16, 8);
  const PolyMesh soup = test::soup(whole);
  Held held(soup, 40);
  for (Vec3& target : held.targets)
    if (target.z() > 0.5) target.z() += 1;
  const ArapSolver arap = held.solver();
  ArapState state = arap.make_state();
  arap.start(held.targets, state);
  for (int step = 0; step < 10; ++step) arap.step(held.targets, state);
  const std::vector<Vec3> out = held.result(arap, state);
  for (std::size_t a = 0; a < out.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (soup.positions[a] == soup.positions[b]) {
        EXPECT_EQ(out[a], out[b]);
      }
}

TEST(ArapSolver, APartThatHoldsNothingRidesOnTheNearestThatDoes) {
  const PolyMesh body = test::uv_sphere(Vec3::Zero(), 1, 24, 12);
  const PolyMesh eye = test::uv_sphere(Vec3(0, 0.4, 1), 0.15, 10, 6);
  Held held(test::joined({body, eye}), 1000000);
  held.vertices.clear();
  held.targets.clear();
  for (std::uint32_t v = 0; v < body.vertex_count(); v += 3) {
    held.vertices.push_back(v);
    held.targets.push_back(kMotion * body.positions[v]);
  }
  const ArapSolver arap = held.solver();
  EXPECT_EQ(arap.riders(), eye.vertex_count());
  ArapState state = arap.make_state();
  arap.start_from(held.mesh.positions, state);
  for (int step = 0; step < 400; ++step) arap.step(held.targets, state);
  const std::vector<Vec3> out = held.result(arap, state);
  for (std::size_t v = body.vertex_count(); v < out.size(); ++v)
    EXPECT_LT((out[v] - kMotion * held.mesh.positions[v]).norm(), 1e-4);
}

TEST(ArapSolver, ADragGoesOnFromTheLastShape) {
  Held held = bent_bar();
  const ArapSolver arap = held.solver();
  ArapState warm = arap.make_state(), cold = arap.make_state();
  arap.start(held.targets, warm);
  for (int step = 0; step < 300; ++step) arap.step(held.targets, warm);
  for (std::size_t c = 0; c < held.targets.size(); ++c)
    if (held.targets[c] != held.mesh.positions[held.vertices[c]]) held.targets[c] += Vec3(0, 0.01, 0);
  arap.start(held.targets, cold);
  for (int step = 0; step < 3; ++step) {
    arap.step(held.targets, warm);
    arap.step(held.targets, cold);
  }
  EXPECT_LT(arap.energy(warm), 0.5 * arap.energy(cold));
}

TEST(ArapSolver, AnotherRestShapeIsKept) {
  const Held held(test::random_blob(2), 11);
  const ArapSolver arap = held.solver();
  ArapState state = arap.make_state();
  std::vector<Vec3> keyed = held.mesh.positions, targets;
  for (Vec3& p : keyed) p = Vec3(1.5 * p.x(), p.y() + 0.2 * p.x(), p.z());
  for (const std::uint32_t v : held.vertices) targets.push_back(keyed[v]);
  arap.set_rest(keyed, state);
  arap.start(targets, state);
  for (int step = 0; step < 5; ++step) arap.step(targets, state);
  const std::vector<Vec3> out = held.result(arap, state);
  for (std::size_t v = 0; v < out.size(); ++v) EXPECT_LT((out[v] - keyed[v]).norm(), 1e-6);
}

TEST(ArapSolver, TheSameBitsForAnyNumberOfThreads) {
  const auto shape = [](int threads) {
    set_thread_count(threads);
    Held held(test::random_blob(4, 80, 60), 50);
    for (std::size_t c = 0; c < held.targets.size(); c += 2) held.targets[c] *= 1.4;
    const ArapSolver arap = held.solver();
    ArapState state = arap.make_state();
    arap.start(held.targets, state);
    for (int step = 0; step < 4; ++step) arap.step(held.targets, state);
    set_thread_count(0);
    return held.result(arap, state);
  };
  EXPECT_EQ(shape(1), shape(3));
}

// Springs from every vertex of a bar to the other side.
ArapOptions sprung(const Held& held, ArapEnergy energy, double weight) {
  ArapOptions options{.energy = energy, .edges = {}, .edge_weight = weight, .copies = {}};
  for (std::uint32_t a = 0; a < held.mesh.vertex_count(); ++a)
    for (std::uint32_t b = a + 1; b < held.mesh.vertex_count(); ++b) {
      const Vec3 between = held.mesh.positions[a] + held.mesh.positions[b];
      const Vec3 along = held.mesh.positions[a] - held.mesh.positions[b];
      if (std::abs(along.x()) < 1e-9 && between.tail<2>().norm() < 1e-9) options.edges.push_back({a, b});
    }
  return options;
}

TEST_P(Arap, SpringsCountAtBothEndsAndTheEnergyNeverRises) {
  const Held held = bent_bar();
  const double weight = 0.7;
  const ArapOptions options = sprung(held, GetParam(), weight);
  ASSERT_GT(options.edges.size(), 100u);
  const auto with = ArapSolver::build(held.triangles(), held.vertices, options);
  ASSERT_TRUE(with.ok());
  // Swollen by s every spring is too long by (s - 1) of its length: at two ends, half as much again beside
  // rims, which count an edge three times.
  const ArapSolver without = held.solver(GetParam());
  std::vector<Vec3> swollen = held.mesh.positions;
  for (Vec3& p : swollen) p *= 1.2;
  ArapState state = with->make_state(), plain = without.make_state();
  with->start_from(swollen, state);
  without.start_from(swollen, plain);
  double lengths = 0;
  for (const auto& edge : options.edges)
    lengths += (held.mesh.positions[edge[0]] - held.mesh.positions[edge[1]]).squaredNorm();
  const double count = GetParam() == ArapEnergy::kSpokes ? 2 : 3;
  EXPECT_NEAR(with->energy(state) - without.energy(plain), count * weight * 0.04 * lengths, 1e-6 * lengths);

  with->start(held.targets, state);
  with->step(held.targets, state);
  double before = with->energy(state);
  for (int step = 0; step < 400; ++step) {
    with->step(held.targets, state);
    const double now = with->energy(state);
    EXPECT_LE(now, before * (1 + 1e-9)) << step;
    before = now;
  }
  // At the end nothing pulls at a free vertex any more: difference quotients of the energy.
  std::vector<Vec3> out = held.result(*with, state);
  for (const std::size_t v : {std::size_t{200}, std::size_t{311}, std::size_t{402}})
    for (int axis = 0; axis < 3; ++axis) {
      const double h = 1e-4;
      double sides[2];
      for (const int side : {0, 1}) {
        std::vector<Vec3> moved = out;
        moved[v][axis] += side == 0 ? -h : h;
        ArapState at = state;
        with->start_from(moved, at);
        sides[side] = with->energy(at);
      }
      EXPECT_LT(std::abs(sides[1] - sides[0]) / (2 * h), 2e-3) << v << " " << axis;
    }
}

TEST_P(Arap, AVertexOnASpringMovesAlong) {
  Held held = bent_bar();
  const auto tip = static_cast<std::uint32_t>(held.mesh.vertex_count());
  held.mesh.positions.push_back(Vec3(3, 2, 0));
  std::uint32_t root = 0;  // the vertex below it
  for (std::uint32_t v = 0; v < tip; ++v)
    if ((held.mesh.positions[v] - Vec3(3, 0.5, 0)).norm() <
        (held.mesh.positions[root] - Vec3(3, 0.5, 0)).norm())
      root = v;
  ArapOptions options{.energy = GetParam(), .edges = {{root, tip}}, .edge_weight = 1, .copies = {}};
  const auto arap = ArapSolver::build(held.triangles(), held.vertices, options);
  ASSERT_TRUE(arap.ok());
  EXPECT_EQ(arap->riders(), 0u);
  ArapState state = arap->make_state();
  arap->start(held.targets, state);
  for (int step = 0; step < 200; ++step) arap->step(held.targets, state);
  const std::vector<Vec3> out = held.result(*arap, state);
  EXPECT_NEAR((out[tip] - out[root]).norm(), 1.5, 1e-3);  // nothing else pulls at it
  EXPECT_GT((out[tip] - held.mesh.positions[tip]).norm(), 0.1);
}

TEST(ArapSolver, SaysWhatIsWrongWithSprings) {
  const Held held(test::box(Vec3::Zero(), Vec3::Ones()), 1);
  ArapOptions options;
  options.edges = {{0, 8}};
  EXPECT_EQ(ArapSolver::build(held.triangles(), held.vertices, options).error().code, ErrorCode::kUsage);
  options = {};
  options.edge_weight = -1;
  EXPECT_EQ(ArapSolver::build(held.triangles(), held.vertices, options).error().code, ErrorCode::kUsage);
}

TEST(ArapSolver, SaysWhatIsWrong) {
  const Held held(test::box(Vec3::Zero(), Vec3::Ones()), 1);
  EXPECT_EQ(ArapSolver::build(held.triangles(), {}).error().code, ErrorCode::kUsage);
  const std::vector<std::uint32_t> far{8};
  const auto refused = ArapSolver::build(held.triangles(), far);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("vertex 8"), std::string::npos);
}

}  // namespace
}  // namespace sinew
