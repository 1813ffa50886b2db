// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/bone_core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "sinew/volume/elastic.h"
#include "sinew/volume/voxelize.h"
#include "support/shapes.h"
#include "weights/cylinder_body.h"

namespace sinew {
namespace {

// A head of radius 2 on a neck of radius 1, along z, with a bone in each.
struct HeadOnNeck {
  VoxelGrid grid;
  std::vector<Bone> bones{{0, Vec3(0, 0, -4), Vec3(0, 0, 0)}, {1, Vec3(0, 0, 0), Vec3(0, 0, 3.5)}};
  std::vector<int> parents{-1, 0};

  HeadOnNeck() {
    constexpr double kCell = 0.25;
    std::vector<std::uint32_t> offsets(1, 0);
    std::vector<LatticeSet::Interval> intervals;
    for (int k = 0; k < 32; ++k)
      for (int j = 0; j < 16; ++j) {
        for (int i = 0; i < 16; ++i) {
          const Vec3 p(kCell * (i + 0.5) - 2, kCell * (j + 0.5) - 2, kCell * (k + 0.5) - 4);
          if ((p - Vec3(0, 0, 2)).norm() < 2 || (p.z() < 1 && std::hypot(p.x(), p.y()) < 1))
            intervals.push_back({i, i + 1});
        }
        offsets.push_back(static_cast<std::uint32_t>(intervals.size()));
      }
    grid = VoxelGrid(Vec3(-2, -2, -4), kCell, LatticeSet(Vec3i(16, 16, 32), offsets, intervals));
  }

  // How far the elastic body turns at the widest part of the head when its bone is twisted by 80 degrees.
  double turn_of_the_face(std::span<const Handle> handles) const {
    const HandleMap map = map_handles(grid, handles);
    std::vector<std::uint8_t> fixed;
    for (const int owner : map.of_vertex) fixed.push_back(owner >= 0);
    const auto body = ElasticBody::build(grid, fixed);
    EXPECT_TRUE(body.ok());
    const Mat3 twist = Eigen::AngleAxisd(80 * std::numbers::pi / 180, Vec3::UnitZ()).toRotationMatrix();
    GridPositions start = body->model().rest();
    for (std::size_t v = 0; v < map.of_vertex.size(); ++v)
      if (map.of_vertex[v] == 1)
        start.row(static_cast<Eigen::Index>(v)) =
            (twist * Vec3(start.row(static_cast<Eigen::Index>(v)))).transpose();
    const GridPositions posed = body->minimise(start).positions;
    double sum = 0, count = 0;
    for (Eigen::Index v = 0; v < posed.rows(); ++v) {
      const Vec3 p = body->model().rest().row(v), q = posed.row(v);
      if (std::abs(p.z() - 2) > 0.3 || std::hypot(p.x(), p.y()) < 1.7) continue;
      sum += std::atan2(p.x() * q.y() - p.y() * q.x(), p.x() * q.x() + p.y() * q.y());
      ++count;
    }
    return sum / count * 180 / std::numbers::pi;
  }
};

TEST(BoneCore, AHeadTurnsWithItsBone) {
  const HeadOnNeck body;
  const double rod = body.turn_of_the_face(handles_of(body.bones));
  const double core = body.turn_of_the_face(handles_with_cores(body.grid, {}, body.bones, body.parents));
  EXPECT_GT(core, 77);
  EXPECT_LT(rod, 71) << core;
}

TEST(BoneCore, LongBonesRootsAndBonesWithOthersBelowAreTheirSegments) {
  const test::Cylinder body(0.25);
  for (const Handle& handle : handles_with_cores(body.grid, {}, body.bones, body.parents))
    EXPECT_EQ(handle.ends.size(), 1u);
  const HeadOnNeck other;
  EXPECT_EQ(handles_with_cores(other.grid, {}, other.bones, other.parents)[0].ends.size(), 1u);
  const std::vector<Bone> turned{other.bones[1], other.bones[0]};
  EXPECT_EQ(handles_with_cores(other.grid, {}, turned, std::vector<int>{-1, 0})[0].ends.size(), 1u);
}

TEST(BoneCore, EndsLieHalfWayToTheSurface) {
  const HeadOnNeck body;
  const Handle head = handles_with_cores(body.grid, {}, body.bones, body.parents)[1];
  ASSERT_GT(head.ends.size(), 1u);
  for (std::size_t k = 1; k < head.ends.size(); ++k) {
    const Vec3& p = head.ends[k];
    const double radius = std::sqrt(4 - (p.z() - 2) * (p.z() - 2));
    EXPECT_NEAR(std::hypot(p.x(), p.y()), radius / 2, 0.2) << p.transpose();
  }
}

// Rays across the bone reach the sides of the box at 2 and its edges at 2 * sqrt(2), in turns.
TEST(BoneCore, TheSurfaceTellsHowThickFleshIsWhateverTheGrid) {
  const PolyMesh box = test::box(Vec3(-2, -2, -3), Vec3(2, 2, 6));
  const TriangleView faces = triangulate(box);
  const MeshView surface{box.positions, faces.triangles};
  const std::vector<int> parents{-1, 0};
  const double reach = 1 + std::sqrt(2.0);  // the mean
  for (const double diameters : {1.1, 1.3, 1.5, 1.7, 1.9}) {
    const double length = 2 * diameters * reach;
    const std::vector<Bone> bones{{0, Vec3(0, 0, -3), Vec3(0, 0, -2.5)},
                                  {1, Vec3(0, 0, -2.5), Vec3(0, 0, -2.5 + length)}};
    const double depth = 0.5 * std::clamp((1.8 - diameters) / 0.6, 0.0, 1.0);
    for (const int resolution : {16, 19, 24, 37}) {
      const auto body = voxelize(surface, {.resolution = resolution});
      ASSERT_TRUE(body.ok());
      const Handle leaf = handles_with_cores(body->grid, surface, bones, parents)[1];
      ASSERT_EQ(leaf.ends.size(), depth > 0 ? 25u : 1u) << diameters << " " << resolution;
      for (std::size_t k = 1; k < leaf.ends.size(); ++k)
        EXPECT_NEAR(std::hypot(leaf.ends[k].x(), leaf.ends[k].y()), depth * (k % 2 ? 2 : 2 * std::sqrt(2.0)),
                    1e-9)
            << diameters << " " << resolution << " " << k;
    }
  }
}

TEST(BoneCore, BonesOutsideTheBodyHaveNone) {
  const HeadOnNeck body;
  const std::vector<Bone> bones{body.bones[0], {1, Vec3(5, 0, 0), Vec3(5, 0, 1)}};
  EXPECT_EQ(handles_with_cores(body.grid, {}, bones, body.parents)[1].ends.size(), 1u);
}

}  // namespace
}  // namespace sinew
