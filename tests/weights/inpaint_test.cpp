// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/inpaint.h"

#include <gtest/gtest.h>

#include "support/shapes.h"

namespace sinew {
namespace {

// On a flat strip that is held at both ends the squared Laplacian is least for the cubic that starts and ends
// as the rows there do; rows that are linear in x beyond the ends leave it linear between.
TEST(Inpaint, LinearRowsStayLinear) {
  const PolyMesh mesh = test::grid(20, 4);
  const TriangleView view = triangulate(mesh);
  const Box3 box = bounding_box(mesh.positions);
  const auto n = static_cast<Eigen::Index>(mesh.vertex_count());
  Eigen::MatrixXd rows(n, 2), expected(n, 2);
  std::vector<std::uint8_t> known;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double t = (mesh.positions[static_cast<std::size_t>(i)].x() - box.min().x()) / box.sizes().x();
    expected.row(i) << 0.2 + 0.5 * t, 0.8 - 0.5 * t;
    known.push_back(t < 0.3 || t > 0.7);
    rows.row(i) = known.back() ? Eigen::RowVector2d(expected.row(i)) : Eigen::RowVector2d(7, 7);
  }
  inpaint_rows({mesh.positions, view.triangles}, known, rows);
  EXPECT_LT((rows - expected).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(Inpaint, RowsAreWeightsAndKnownOnesStay) {
  const PolyMesh mesh = test::uv_sphere(Vec3::Zero(), 1);
  const TriangleView view = triangulate(mesh);
  const auto n = static_cast<Eigen::Index>(mesh.vertex_count());
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(n, 3);
  std::vector<std::uint8_t> known(mesh.vertex_count(), 0);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const Vec3& p = mesh.positions[i];
    known[i] = p.z() > 0.8 || p.z() < -0.8;
    if (known[i]) rows(static_cast<Eigen::Index>(i), p.z() < 0 ? 0 : p.x() > 0 ? 1 : 2) = 1;
  }
  const Eigen::MatrixXd before = rows;
  inpaint_rows({mesh.positions, view.triangles}, known, rows);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (known[static_cast<std::size_t>(i)]) {
      EXPECT_EQ(rows.row(i), before.row(i));
    }
    EXPECT_NEAR(rows.row(i).sum(), 1, 1e-12);
    EXPECT_GE(rows.row(i).minCoeff(), 0);
  }
}

TEST(Inpaint, AComponentWithoutAKnownRowIsLeft) {
  const PolyMesh mesh = test::joined({test::uv_sphere(Vec3::Zero(), 1), test::uv_sphere(Vec3(3, 0, 0), 1)});
  const TriangleView view = triangulate(mesh);
  Eigen::MatrixXd rows = Eigen::MatrixXd::Constant(static_cast<Eigen::Index>(mesh.vertex_count()), 1, 0.25);
  std::vector<std::uint8_t> known(mesh.vertex_count(), 0);
  rows(0, 0) = known[0] = 1;
  inpaint_rows({mesh.positions, view.triangles}, known, rows);
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i)
    EXPECT_NEAR(rows(static_cast<Eigen::Index>(i), 0), mesh.positions[i].x() < 1.5 ? 1 : 0.25, 1e-9);
}

}  // namespace
}  // namespace sinew
