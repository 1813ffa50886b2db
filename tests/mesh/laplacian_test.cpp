// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/laplacian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sinew/core/parallel.h"
#include "sinew/mesh/gradient.h"
#include "sinew/mesh/weld.h"
#include "support/shapes.h"

namespace sinew {
namespace {

struct Triangulated {
  explicit Triangulated(PolyMesh source) : mesh(std::move(source)), cut(triangulate(mesh)) {}
  MeshView view() const { return {mesh.positions, cut.triangles}; }
  PolyMesh mesh;
  TriangleView cut;
};

// The independent way: a dense matrix from angles by acos, one triangle after the other.
Eigen::MatrixXd dense_stiffness(MeshView mesh) {
  const auto n = static_cast<Eigen::Index>(mesh.positions.size());
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const Eigen::Index i = t[(k + 1) % 3], j = t[(k + 2) % 3];
      const Vec3 a = mesh.positions[t[(k + 1) % 3]] - mesh.positions[t[k]];
      const Vec3 b = mesh.positions[t[(k + 2) % 3]] - mesh.positions[t[k]];
      const double weight = 0.5 / std::tan(std::acos(a.dot(b) / (a.norm() * b.norm())));
      matrix(i, i) += weight;
      matrix(j, j) += weight;
      matrix(i, j) -= weight;
      matrix(j, i) -= weight;
    }
  return matrix;
}

TEST(Laplacian, AgreesWithADenseSumOverAnglesOnEveryShapeWithArea) {
  for (const auto& shape : test::all_shapes()) {
    if (shape.name == "degenerate_faces") continue;
    const Triangulated t(shape.mesh);
    const CotangentStiffness stiffness = cotangent_stiffness(t.view());
    EXPECT_EQ(stiffness.mended + stiffness.skipped, 0u) << shape.name;
    const Eigen::MatrixXd expected = dense_stiffness(t.view());
    EXPECT_LT((Eigen::MatrixXd(stiffness.matrix) - expected).cwiseAbs().maxCoeff(),
              1e-9 * expected.cwiseAbs().maxCoeff())
        << shape.name;
  }
}

TEST(Laplacian, IsSymmetricToTheBitAndGivesZeroForConstants) {
  for (const auto& shape : test::all_shapes()) {
    const Triangulated t(shape.mesh);
    const Eigen::SparseMatrix<double> matrix = cotangent_stiffness(t.view()).matrix;
    const Eigen::SparseMatrix<double> transposed = matrix.transpose();
    EXPECT_EQ((matrix - transposed).norm(), 0) << shape.name;
    EXPECT_LT((matrix * Eigen::VectorXd::Ones(matrix.cols())).cwiseAbs().maxCoeff(), 1e-10) << shape.name;
    for (Eigen::Index c = 0; c < matrix.outerSize(); ++c) {
      Eigen::Index last = -1;
      for (Eigen::SparseMatrix<double>::InnerIterator it(matrix, c); it; ++it) {
        EXPECT_GT(it.row(), last);
        last = it.row();
      }
    }
  }
}

TEST(Laplacian, LinearFunctionsAreHarmonicInsideFlatMeshes) {
  PolyMesh flat = test::grid(9, 7);
  for (Vec3& p : flat.positions)  // uneven, still flat
    p += Vec3(0.03 * std::sin(17 * p.x() + 5 * p.y()), 0.03 * std::cos(13 * p.y() - 3 * p.x()), 0);
  const Triangulated t(test::transformed(flat, Affine3(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()))));
  const auto matrix = cotangent_stiffness(t.view()).matrix;
  Eigen::VectorXd linear(static_cast<Eigen::Index>(flat.positions.size()));
  for (std::size_t i = 0; i < flat.positions.size(); ++i)
    linear[static_cast<Eigen::Index>(i)] = 2 * flat.positions[i].x() - 3 * flat.positions[i].y() + 5;
  const Eigen::VectorXd result = matrix * linear;
  for (int y = 1; y < 7; ++y)
    for (int x = 1; x < 9; ++x) EXPECT_NEAR(result[y * 10 + x], 0, 1e-12);
  EXPECT_GT(result.cwiseAbs().maxCoeff(), 1e-3);
}

TEST(Laplacian, DegenerateTrianglesAreCountedAndLeaveFiniteConnectedRows) {
  const Triangulated t(test::degenerate_faces());
  const CotangentStiffness stiffness = cotangent_stiffness(t.view());
  EXPECT_EQ(stiffness.mended, 1u);
  EXPECT_EQ(stiffness.skipped, 2u);
  for (Eigen::Index k = 0; k < stiffness.matrix.nonZeros(); ++k) {
    EXPECT_TRUE(std::isfinite(stiffness.matrix.valuePtr()[k]));
    EXPECT_LT(std::abs(stiffness.matrix.valuePtr()[k]), 1e4);
  }
  EXPECT_GT(stiffness.matrix.coeff(4, 4), 0);  // the vertex of the needle hangs on to its neighbours
}

TEST(Laplacian, NearlyFlatTrianglesDoNotBlowUp) {
  for (const double height : {1e-9, 1e-12, 1e-15, 0.0}) {
    const std::vector<Vec3> positions{{0, 0, 0}, {1, 0, 0}, {0.4, height, 0}, {0, 1, 0}};
    const std::vector<Triangle> triangles{{0, 1, 2}, {0, 1, 3}};
    const CotangentStiffness stiffness = cotangent_stiffness({positions, triangles});
    EXPECT_EQ(stiffness.mended, 1u);
    EXPECT_LT(Eigen::MatrixXd(stiffness.matrix).cwiseAbs().maxCoeff(), 1e3);
  }
}

TEST(Laplacian, DoesNotChangeWithSize) {
  const PolyMesh blob = test::random_blob(4);
  const Triangulated unit(blob);
  const auto matrix = cotangent_stiffness(unit.view()).matrix;
  for (const double size : {1e-170, 1e170}) {
    const PolyMesh scaled = test::transformed(blob, Affine3(Eigen::Scaling(size)));
    const auto other = cotangent_stiffness({scaled.positions, unit.cut.triangles}).matrix;
    EXPECT_LT((other - matrix).norm(), 1e-9 * matrix.norm());
  }
}

TEST(MixedAreas, AreNotNegativeAndSumToTheAreaOfTheMesh) {
  for (const auto& shape : test::all_shapes()) {
    const Triangulated t(shape.mesh);
    const Eigen::VectorXd areas = mixed_voronoi_areas(t.view());
    EXPECT_GE(areas.minCoeff(), 0) << shape.name;
    EXPECT_NEAR(areas.sum(), test::surface_area(shape.mesh), 1e-9 * areas.sum()) << shape.name;
  }
}

TEST(MixedAreas, AreTheVoronoiCellsOfASquareGridAndHalfOfAnObtuseTriangle) {
  const Triangulated square(test::grid(4, 4, 4, 4));
  const Eigen::VectorXd areas = mixed_voronoi_areas(square.view());
  EXPECT_NEAR(areas[6], 1, 1e-12);
  EXPECT_NEAR(areas[0], 0.25, 1e-12);
  PolyMesh obtuse;
  obtuse.positions = {{0, 0, 0}, {4, 0, 0}, {2, 0.5, 0}};
  obtuse.add_face({0, 1, 2});
  const Eigen::VectorXd shares = mixed_voronoi_areas(Triangulated(obtuse).view());
  EXPECT_NEAR(shares[2], 0.5, 1e-12);
  EXPECT_NEAR(shares[0], 0.25, 1e-12);
}

TEST(Gradient, OfALinearFunctionIsItsSlopeInThePlaneOfEachTriangle) {
  const Triangulated t(test::random_blob(2));
  const GradientOperator op(t.view());
  const Vec3 slope(1, -2, 0.5);
  std::vector<double> values;
  for (const Vec3& p : t.mesh.positions) values.push_back(slope.dot(p) + 3);
  std::vector<Vec3> gradients(op.triangle_count());
  op.gradient(values, gradients);
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    const Triangle& c = t.cut.triangles[k];
    const Vec3 n = (t.mesh.positions[c[1]] - t.mesh.positions[c[0]])
                       .cross(t.mesh.positions[c[2]] - t.mesh.positions[c[0]])
                       .normalized();
    EXPECT_NEAR((gradients[k] - (slope - slope.dot(n) * n)).norm(), 0, 1e-10);
  }
}

TEST(Gradient, DivergenceOfTheGradientIsTheStiffnessMatrix) {
  for (const auto& shape : test::all_shapes()) {
    if (shape.name == "degenerate_faces") continue;
    const Triangulated t(shape.mesh);
    const GradientOperator op(t.view());
    const auto matrix = cotangent_stiffness(t.view()).matrix;
    Eigen::VectorXd u(matrix.cols());
    for (Eigen::Index i = 0; i < u.size(); ++i) u[i] = std::sin(1.7 * double(i));
    std::vector<Vec3> field(op.triangle_count());
    std::vector<double> result(op.vertex_count());
    op.gradient(std::span(u.data(), result.size()), field);
    op.divergence(field, result);
    const Eigen::VectorXd expected = matrix * u;
    for (Eigen::Index i = 0; i < u.size(); ++i)
      EXPECT_NEAR(result[static_cast<std::size_t>(i)], expected[i],
                  1e-10 * (1 + expected.cwiseAbs().maxCoeff()))
          << shape.name;
  }
}

TEST(Gradient, OfThreeFunctionsIsThreeGradients) {
  const Triangulated t(test::torus(2, 0.5));
  const GradientOperator op(t.view());
  std::vector<Mat3> matrices(op.triangle_count());
  std::vector<Vec3> divergence(op.vertex_count()), single(op.triangle_count());
  op.gradient(t.mesh.positions, matrices);
  op.divergence(matrices, divergence);
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> values, sums(op.vertex_count());
    for (const Vec3& p : t.mesh.positions) values.push_back(p[axis]);
    op.gradient(values, single);
    op.divergence(single, sums);
    for (std::size_t k = 0; k < single.size(); ++k)
      EXPECT_NEAR((matrices[k].row(axis).transpose() - single[k]).norm(), 0, 1e-13);
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_NEAR(divergence[i][axis], sums[i], 1e-13);
  }
}

TEST(Gradient, IsZeroOnTrianglesWithoutArea) {
  const Triangulated t(test::degenerate_faces());
  const GradientOperator op(t.view());
  std::vector<double> values(op.vertex_count(), 1), sums(op.vertex_count());
  values[4] = 7;
  std::vector<Vec3> field(op.triangle_count());
  op.gradient(values, field);
  op.divergence(field, sums);
  for (const Vec3& g : field) EXPECT_TRUE(g.allFinite());
  for (const double s : sums) EXPECT_TRUE(std::isfinite(s));
  EXPECT_EQ(field[2], Vec3::Zero().eval());
}

TEST(Laplacian, HasTheSameBitsForAnyThreadCount) {
  const Triangulated t(test::random_blob(9, 200, 150));
  set_thread_count(1);
  const auto one = cotangent_stiffness(t.view()).matrix;
  const Eigen::VectorXd areas = mixed_voronoi_areas(t.view());
  set_thread_count(0);
  EXPECT_EQ((cotangent_stiffness(t.view()).matrix - one).norm(), 0);
  EXPECT_EQ(mixed_voronoi_areas(t.view()), areas);
}

}  // namespace
}  // namespace sinew
