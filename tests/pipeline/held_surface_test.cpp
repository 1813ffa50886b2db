// SPDX-License-Identifier: Apache-2.0
#include "pipeline/held_surface.h"

#include <gtest/gtest.h>

#include "sinew/volume/voxelize.h"
#include "support/shapes.h"

namespace sinew {
namespace {

struct HeldBox {
  PolyMesh mesh = test::box(Vec3(0, 0, 0), Vec3(4, 1, 1), 4);
  VoxelGrid grid;
  std::vector<std::uint8_t> fixed;

  HeldBox() {
    const TriangleView view = triangulate(mesh);
    auto body = voxelize({mesh.positions, view.triangles}, {.resolution = 16});
    EXPECT_TRUE(body.ok());
    grid = std::move(body->grid);
    fixed.assign(grid.vertex_count(), 0);
  }
  std::vector<Vec3f> posed(const Vec3& by) const {
    std::vector<Vec3f> posed;
    for (const Vec3& p : mesh.positions) posed.push_back((p + by).cast<float>());
    return posed;
  }
};

TEST(HeldSurface, PlacesAreWhereTheBodyHasTheVertices) {
  const HeldBox box;
  const HeldSurface surface(box.mesh, {}, box.grid, box.fixed);
  ASSERT_FALSE(surface.empty());
  GridPositions rest(static_cast<Eigen::Index>(box.grid.vertex_count()), 3);
  for (std::uint32_t v = 0; v < box.grid.vertex_count(); ++v)
    rest.row(static_cast<Eigen::Index>(v)) = box.grid.vertex_position(v).transpose();
  const GridPositions places = surface.places(box.posed(Vec3(1, 2, 3)));
  ASSERT_EQ(places.rows(), surface.springs().points.rows());
  EXPECT_EQ(places.rows(), static_cast<Eigen::Index>(box.mesh.vertex_count()));
  EXPECT_LT(
      (surface.springs().points * rest + Eigen::RowVector3d(1, 2, 3).replicate(places.rows(), 1) - places)
          .cwiseAbs()
          .maxCoeff(),
      1e-5);
}

// Faces have one unit of area per side of a cell: all springs together are as stiff as the surface is large.
TEST(HeldSurface, SpringsAreAsStiffAsTheFacesAroundThemAreLarge) {
  HeldBox box;
  box.mesh = test::box(Vec3(0, 0, 0), Vec3(4, 1, 1), 16);
  const HeldSurface surface(box.mesh, {}, box.grid, box.fixed);
  const double cell = box.grid.cell_size();
  EXPECT_NEAR(surface.springs().stiffness.sum(), 3 * 18 / cell, 1e-6 / cell);
}

TEST(HeldSurface, LeavesOutWhatBonesHoldAndWhatHasNoShare) {
  HeldBox box;
  for (std::uint32_t v = 0; v < box.grid.vertex_count(); ++v)
    box.fixed[v] = box.grid.vertex_position(v).x() < 1.5;
  std::vector<double> shares;
  for (const Vec3& p : box.mesh.positions) shares.push_back(p.x() < 3 ? 1 : 0);
  const HeldSurface surface(box.mesh, shares, box.grid, box.fixed);
  std::size_t between = 0;
  for (const Vec3& p : box.mesh.positions) between += p.x() > 1.5 && p.x() < 3;
  EXPECT_EQ(surface.springs().points.rows(), static_cast<Eigen::Index>(between));
  EXPECT_TRUE(
      HeldSurface(box.mesh, std::vector<double>(box.mesh.vertex_count(), 0.0), box.grid, box.fixed).empty());
}

}  // namespace
}  // namespace sinew
