// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/poisson.h"

#include <gtest/gtest.h>

#include <random>

#include "sinew/core/parallel.h"
#include "sinew/mesh/topology.h"
#include "support/data.h"
#include "support/mesh_file.h"
#include "support/shapes.h"

namespace sinew {
namespace {

using Matrices = std::vector<Eigen::Matrix3f>;

double extent_of(const PolyMesh& mesh) {
  return bounding_box(mesh.positions).diagonal().norm();
}

std::vector<Vec3f> floats(std::span<const Vec3> points) {
  std::vector<Vec3f> out;
  for (const Vec3& p : points) out.push_back(p.cast<float>());
  return out;
}

PoissonSurface surface_of(const PolyMesh& mesh, const PoissonOptions& options = {}) {
  auto surface = PoissonSurface::build(mesh, options);
  EXPECT_TRUE(surface.ok()) << (surface.ok() ? "" : surface.error().message);
  return *std::move(surface);
}

std::vector<Vec3f> rebuilt(const PoissonSurface& surface, const Matrices& transforms,
                           std::span<const Vec3f> target) {
  std::vector<Vec3> centres(surface.component_count());
  surface.centres(target, centres);
  auto scratch = surface.make_scratch();
  std::vector<Vec3f> out(target.begin(), target.end());
  for (std::size_t i = 0; i < out.size(); ++i)
    if (surface.component_of()[i] != kNoComponent) out[i] = Vec3f(7, 7, 7);
  surface.reconstruct(transforms, centres, scratch, out);
  return out;
}

double worst(std::span<const Vec3f> a, std::span<const Vec3f> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, double((a[i] - b[i]).norm()));
  return most;
}

// A smooth deformation that bends, stretches and shears.
std::vector<Vec3> bent_mesh(const PolyMesh& mesh) {
  const Box3 box = bounding_box(mesh.positions);
  const double size = std::max(box.diagonal().norm(), 1e-30);
  std::vector<Vec3> out;
  for (const Vec3& p : mesh.positions) {
    const Vec3 q = (p - box.center()) / size;
    const Eigen::AngleAxisd turn(2.5 * q.x(), Vec3(0.3, 0.5, 1).normalized());
    out.push_back(box.center() +
                  size * (turn * Vec3(q.x(), q.y() * (1 + q.x() * q.x()), q.z() + 0.3 * q.y())));
  }
  return out;
}

TEST(Poisson, GradientsOfAnyShapeGiveTheShapeBack) {
  for (const test::NamedShape& shape : test::all_shapes()) {
    const PoissonSurface surface = surface_of(shape.mesh);
    const std::vector<Vec3> target = bent_mesh(shape.mesh);
    Matrices transforms;
    for (std::size_t e = 0; e < surface.element_count(); ++e)
      transforms.push_back(surface.gradient(e, target).cast<float>());
    EXPECT_LT(worst(rebuilt(surface, transforms, floats(target)), floats(target)),
              1e-5 * extent_of(shape.mesh))
        << shape.name;
  }
}

// The mean over welded vertices is the place of a component, so seams must not tear and components not drift.
TEST(Poisson, GradientsOfDirtyFilesGiveTheirShapesBack) {
  SINEW_REQUIRE_DATA(data);
  std::size_t seen = 0;
  for (const auto& file : test::test_meshes(data / "dirty_mesh")) {
    const PolyMesh mesh = test::read_test_mesh(file);
    if (mesh.face_count() == 0) continue;
    const PoissonSurface surface = surface_of(mesh);
    const std::vector<Vec3> target = bent_mesh(mesh);
    Matrices transforms(surface.element_count());
    surface.full_gradients(floats(target), transforms);
    EXPECT_LT(worst(rebuilt(surface, transforms, floats(target)), floats(target)), 1e-4 * extent_of(mesh))
        << file;
    ++seen;
  }
  EXPECT_GE(seen, 20u);
}

TEST(Poisson, FlatAndFullGradientsAgreeOnTheTriangles) {
  const PolyMesh mesh = test::random_blob(3);
  const PoissonSurface surface = surface_of(mesh);
  const std::vector<Vec3> target = bent_mesh(mesh);
  Matrices flat(surface.element_count()), full(surface.element_count());
  surface.flat_gradients(floats(target), flat);
  surface.full_gradients(floats(target), full);
  for (std::size_t e = 0; e < flat.size(); ++e) {
    const auto k = surface.corners(e);
    for (const std::size_t c : {1u, 2u}) {
      const Vec3f edge = (mesh.positions[k[c]] - mesh.positions[k[0]]).cast<float>();
      const Vec3f moved = (target[k[c]] - target[k[0]]).cast<float>();
      EXPECT_LT((flat[e] * edge - moved).norm(), 1e-5f);
      EXPECT_LT((full[e] * edge - moved).norm(), 1e-5f);
    }
    EXPECT_LT((full[e].cast<double>() - surface.gradient(e, target)).norm(), 1e-4);
  }
}

TEST(Poisson, OneRotationForAllIsThatRotationToRounding) {
  const PolyMesh mesh = test::joined(
      {test::random_blob(1), test::transformed(test::torus(2, 0.5), Affine3(Eigen::Translation3d(5, 1, 2)))});
  const PoissonSurface surface = surface_of(mesh);
  EXPECT_EQ(surface.component_count(), 2u);
  const Eigen::Matrix3f turn = Eigen::AngleAxisf(2.0f, Vec3f(1, 2, -1).normalized()).toRotationMatrix();
  std::vector<Vec3f> target = floats(mesh.positions);
  for (Vec3f& p : target) p = turn * p;
  const Matrices transforms(surface.element_count(), turn);
  EXPECT_LT(worst(rebuilt(surface, transforms, target), target), 3e-6);
}

TEST(Poisson, IsTheLeastSquaresFitOfTheTransforms) {
  // Whatever the transforms, moving any vertex from the answer only adds to the energy.
  const PolyMesh mesh = test::random_blob(5, 12, 6);
  const PoissonSurface surface = surface_of(mesh);
  std::mt19937 random(2);
  std::uniform_real_distribution<float> unit(-1, 1);
  Matrices transforms;
  for (std::size_t e = 0; e < surface.element_count(); ++e)
    transforms.push_back(
        Eigen::AngleAxisf(unit(random), Vec3f(unit(random), unit(random), unit(random)).normalized()) *
        Eigen::Scaling(1 + 0.3f * unit(random)) * Eigen::Matrix3f::Identity());
  const std::vector<Vec3f> best = rebuilt(surface, transforms, floats(mesh.positions));
  const auto energy = [&](std::span<const Vec3f> x) {
    double sum = 0;
    Matrices now(surface.element_count());
    surface.flat_gradients(x, now);
    for (std::size_t e = 0; e < now.size(); ++e) {
      // Only the plane of the triangle counts.
      const auto k = surface.corners(e);
      const Vec3 a = mesh.positions[k[1]] - mesh.positions[k[0]],
                 b = mesh.positions[k[2]] - mesh.positions[k[0]];
      const Vec3 n = a.cross(b).normalized();
      const Mat3 plane = Mat3::Identity() - n * n.transpose();
      sum += surface.area(e) * ((now[e] - transforms[e]).cast<double>() * plane).squaredNorm();
    }
    return sum;
  };
  const double least = energy(best);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<Vec3f> other = best;
    other[random() % other.size()] += 0.05f * Vec3f(unit(random), unit(random), unit(random));
    EXPECT_GT(energy(other), least);
  }
}

TEST(Poisson, VerticesAtOnePlaceStayTogetherUnlessAKeyPartsThem) {
  const PolyMesh mesh = test::soup(test::box(Vec3::Zero(), Vec3::Ones(), 2));
  EXPECT_EQ(surface_of(mesh).component_count(), 1u);
  ShapeKey key;
  for (const Vec3& p : mesh.positions) key.deltas.push_back(0.1f * p.cast<float>());
  PoissonOptions options;
  options.keys = {&key, 1};
  EXPECT_EQ(surface_of(mesh, options).component_count(), 1u);
  for (const std::uint32_t v : mesh.face(0)) key.deltas[v] += Vec3f(0, 0, 1);
  EXPECT_EQ(surface_of(mesh, options).component_count(), 2u);
}

TEST(Poisson, LooseEdgesJoinComponentsAndHoldTheirLength) {
  const PolyMesh mesh =
      test::joined({test::box(Vec3::Zero(), Vec3::Ones()), test::box(Vec3(3, 0, 0), Vec3(4, 1, 1))});
  EXPECT_EQ(surface_of(mesh).component_count(), 2u);
  PoissonOptions options;
  options.edges = {{0, static_cast<std::uint32_t>(mesh.vertex_count() - 1)}};
  const PoissonSurface surface = surface_of(mesh, options);
  EXPECT_EQ(surface.component_count(), 1u);
  EXPECT_EQ(surface.element_count(), surface.triangle_count() + 1);
  const Matrices transforms(surface.element_count(), Eigen::Matrix3f::Identity());
  EXPECT_LT(worst(rebuilt(surface, transforms, floats(mesh.positions)), floats(mesh.positions)), 2e-6);
}

TEST(Poisson, SmallComponentsFollowTheBodyWhereAsked) {
  const PolyMesh mesh = test::body_with_eyeballs();
  PoissonOptions options;
  options.placement = Placement::kBody;
  const PoissonSurface own = surface_of(mesh), body = surface_of(mesh, options);
  ASSERT_EQ(body.component_count(), 3u);
  // All turn, but the centres that are given stay: only the body's counts for those that sit on it.
  const Eigen::Matrix3f turn = Eigen::AngleAxisf(1.5f, Vec3f::UnitY()).toRotationMatrix();
  std::vector<Vec3f> turned = floats(mesh.positions);
  std::vector<Vec3> centres(3);
  body.centres(turned, centres);
  const Vec3f middle = centres[body.component_of()[0]].cast<float>();
  for (Vec3f& p : turned) p = middle + turn * (p - middle);
  const Matrices transforms(body.element_count(), turn);
  auto scratch = body.make_scratch();
  std::vector<Vec3f> out(turned.size());
  body.reconstruct(transforms, centres, scratch, out);
  EXPECT_LT(worst(out, turned), 1e-5);
  own.reconstruct(transforms, centres, scratch, out);
  EXPECT_GT(worst(out, turned), 0.1);
}

// A head with an open socket, an eye in it, an eye behind the closed skin, a button outside, and a hat.
TEST(Poisson, ByDefaultWhatTheBodySurroundsGoesWithIt) {
  PolyMesh head = test::uv_sphere(Vec3::Zero(), 1, 48, 32), open;
  open.positions = head.positions;
  const Vec3 out_of_socket = Vec3(0.3, 0.2, 1).normalized();
  for (std::size_t f = 0; f < head.face_count(); ++f) {
    Vec3 middle = Vec3::Zero();
    for (const std::uint32_t v : head.face(f)) middle += head.positions[v] / double(head.face(f).size());
    if ((middle - 0.95 * out_of_socket).norm() > 0.2) open.add_face(head.face(f));
  }
  ASSERT_LT(open.face_count(), head.face_count());
  const PolyMesh mesh = test::joined({open, test::uv_sphere(0.85 * out_of_socket, 0.15, 12, 8),
                                      test::uv_sphere(Vec3(0, 0.5, -0.6), 0.15, 12, 8),
                                      test::uv_sphere(Vec3(1.1, 0, 0), 0.1, 12, 8),
                                      test::uv_sphere(Vec3(0, 1.3, 0), 0.3, 12, 8)});
  PoissonOptions options;
  const auto seats = [&](Placement placement) {
    options.placement = placement;
    const auto counted = PoissonSurface::count_seats(mesh, options);
    EXPECT_TRUE(counted.ok());
    EXPECT_EQ(*counted, surface_of(mesh, options).seat_count());
    return counted.ok() ? *counted : 99;
  };
  EXPECT_EQ(seats(Placement::kOwn), 0u);
  EXPECT_EQ(seats(Placement::kAuto), 2u);  // both eyes
  EXPECT_EQ(seats(Placement::kBody), 4u);
}

TEST(Poisson, GivesTheSameBitsForAnyThreadCount) {
  const PolyMesh mesh = test::torus(2, 0.6, 120, 60);
  const PoissonSurface surface = surface_of(mesh);
  Matrices transforms(surface.element_count());
  surface.full_gradients(floats(bent_mesh(mesh)), transforms);
  std::vector<std::vector<Vec3f>> results;
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    results.push_back(rebuilt(surface, transforms, floats(mesh.positions)));
  }
  set_thread_count(0);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Poisson, NormalsTurnWithTheSurface) {
  const PolyMesh mesh = test::uv_sphere(Vec3(1, 2, 3), 2, 48, 24);
  const PoissonSurface surface = surface_of(mesh);
  std::vector<Vec3f> normals, x;
  // An ellipsoid's normals are known: the gradient of its equation.
  const Vec3 axes(1, 2, 0.5);
  for (const Vec3& p : mesh.positions) {
    normals.push_back((p - Vec3(1, 2, 3)).normalized().cast<float>());
    x.push_back((p - Vec3(1, 2, 3)).cwiseProduct(axes).cast<float>());
  }
  Matrices scratch(surface.element_count());
  std::vector<Vec3f> out(x.size());
  surface.carry_normals(x, normals, scratch, out);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3f expected = normals[i].cwiseQuotient(axes.cast<float>()).normalized();
    EXPECT_GT(out[i].dot(expected), 0.98f) << i;
  }
}

TEST(Poisson, RefusesEdgesThatAreNotThere) {
  PoissonOptions options;
  options.edges = {{0, 99}};
  EXPECT_EQ(PoissonSurface::build(test::one_triangle(), options).error().code, ErrorCode::kBadInput);
  options.edges.clear();
  options.edge_weight = 0;
  EXPECT_EQ(PoissonSurface::build(test::one_triangle(), options).error().code, ErrorCode::kUsage);
  EXPECT_EQ(surface_of(PolyMesh()).element_count(), 0u);
}

TEST(Poisson, InnerEdgesRunThroughTheBody) {
  const PolyMesh tube = test::capsule(Vec3::Zero(), Vec3(4, 0, 0), 0.5);
  const auto edges = inner_edges(tube);
  EXPECT_GT(edges.size(), tube.vertex_count() / 2);
  for (const auto& edge : edges) {
    const double length = (tube.positions[edge[0]] - tube.positions[edge[1]]).norm();
    EXPECT_GT(length, 0.7);
  }
  EXPECT_TRUE(inner_edges(test::grid(4, 4)).empty());
}

}  // namespace
}  // namespace sinew
