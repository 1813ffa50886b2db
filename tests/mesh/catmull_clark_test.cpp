// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/catmull_clark.h"

#include <gtest/gtest.h>

#include <numeric>

namespace sinew {
namespace {

PolyMesh cube() {
  PolyMesh mesh;
  for (int k = 0; k < 8; ++k) mesh.positions.emplace_back(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
  mesh.add_face({0, 2, 3, 1});
  mesh.add_face({4, 5, 7, 6});
  mesh.add_face({0, 1, 5, 4});
  mesh.add_face({2, 6, 7, 3});
  mesh.add_face({0, 4, 6, 2});
  mesh.add_face({1, 3, 7, 5});
  return mesh;
}

PolyMesh grid(int n) {
  PolyMesh mesh;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) mesh.positions.emplace_back(i, j, 0.3 * i + 0.7 * j);
  const auto id = [&](int i, int j) { return static_cast<std::uint32_t>(j * (n + 1) + i); };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) mesh.add_face({id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)});
  return mesh;
}

PolyMesh tetrahedron() {
  PolyMesh mesh;
  mesh.positions = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  mesh.add_face({0, 1, 2});
  mesh.add_face({0, 3, 1});
  mesh.add_face({0, 2, 3});
  mesh.add_face({1, 3, 2});
  return mesh;
}

double worst_row_sum(const Stencils& stencils) {
  double worst = 0;
  for (std::size_t row = 0; row < stencils.row_count(); ++row) {
    const auto begin = stencils.weights.begin();
    worst = std::max(worst, std::abs(std::accumulate(begin + stencils.offsets[row],
                                                     begin + stencils.offsets[row + 1], -1.0)));
  }
  return worst;
}

TEST(CatmullClark, EveryFaceBecomesQuadsAndCountsFollowEuler) {
  for (const PolyMesh& mesh : {cube(), tetrahedron(), grid(3)}) {
    auto refined = refine_catmull_clark(mesh);
    ASSERT_TRUE(refined.ok());
    EXPECT_EQ(refined->mesh.face_count(), mesh.face_vertices.size());
    EXPECT_EQ(refined->mesh.vertex_count(), mesh.vertex_count() + refined->edges.size() + mesh.face_count());
    for (std::size_t f = 0; f < refined->mesh.face_count(); ++f) EXPECT_EQ(refined->mesh.face(f).size(), 4u);
    EXPECT_LT(worst_row_sum(refined->stencils), 1e-14);
  }
}

TEST(CatmullClark, StencilsGiveTheRefinedPositions) {
  const PolyMesh mesh = tetrahedron();
  auto refined = refine_catmull_clark(mesh);
  ASSERT_TRUE(refined.ok());
  std::vector<Vec3> positions(refined->stencils.row_count());
  refined->stencils.apply<Vec3>(mesh.positions, Vec3::Zero(), positions);
  EXPECT_EQ(positions, refined->mesh.positions);
}

TEST(CatmullClark, CornersOfACubeMoveToFiveNinthsAndInTheLimitToOneHalf) {
  auto refined = refine_catmull_clark(cube());
  auto limit = catmull_clark_limit(cube());
  ASSERT_TRUE(refined.ok() && limit.ok());
  std::vector<Vec3> positions(8);
  const PolyMesh mesh = cube();
  limit->apply<Vec3>(mesh.positions, Vec3::Zero(), positions);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_LT((refined->mesh.positions[i] - 5.0 / 9 * mesh.positions[i]).norm(), 1e-14);
    EXPECT_LT((positions[i] - 0.5 * mesh.positions[i]).norm(), 1e-14);
  }
}

TEST(CatmullClark, TheLimitIsTheSameBeforeAndAfterAStep) {
  auto first = refine_catmull_clark(tetrahedron());
  ASSERT_TRUE(first.ok());
  const PolyMesh coarse = first->mesh;
  auto second = refine_catmull_clark(coarse);
  ASSERT_TRUE(second.ok());
  auto coarse_limit = catmull_clark_limit(coarse), fine_limit = catmull_clark_limit(second->mesh);
  ASSERT_TRUE(coarse_limit.ok() && fine_limit.ok());
  EXPECT_LT(worst_row_sum(*coarse_limit), 1e-14);
  std::vector<Vec3> a(coarse.vertex_count()), b(second->mesh.vertex_count());
  coarse_limit->apply<Vec3>(coarse.positions, Vec3::Zero(), a);
  fine_limit->apply<Vec3>(second->mesh.positions, Vec3::Zero(), b);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LT((a[i] - b[i]).norm(), 1e-13);
}

TEST(CatmullClark, APlaneStaysAPlaneAndItsInnerVerticesStay) {
  const PolyMesh mesh = grid(4);
  auto refined = refine_catmull_clark(mesh);
  ASSERT_TRUE(refined.ok());
  for (const Vec3& p : refined->mesh.positions) EXPECT_NEAR(p.z(), 0.3 * p.x() + 0.7 * p.y(), 1e-13);
  for (int j = 1; j < 4; ++j)
    for (int i = 1; i < 4; ++i) {
      const auto v = static_cast<std::size_t>(j * 5 + i);
      EXPECT_LT((refined->mesh.positions[v] - mesh.positions[v]).norm(), 1e-14);
    }
}

TEST(CatmullClark, RefusesEdgesWithThreeFacesFacesThatDisagreeAndLimitsOfTriangles) {
  PolyMesh fin = tetrahedron();
  fin.positions.emplace_back(3, 3, 3);
  fin.add_face({0, 1, 4});
  auto three = refine_catmull_clark(fin);
  ASSERT_FALSE(three.ok());
  EXPECT_EQ(three.error().code, ErrorCode::kBadInput);
  EXPECT_NE(three.error().message.find("edge 0-1"), std::string::npos);

  PolyMesh flipped = grid(1);
  flipped.positions.emplace_back(2, 0, 0);
  flipped.add_face({1, 3, 4});  // runs along the edge 1-3 as its neighbour does
  EXPECT_FALSE(refine_catmull_clark(flipped).ok());
  auto limit = catmull_clark_limit(tetrahedron());
  ASSERT_FALSE(limit.ok());
  EXPECT_NE(limit.error().message.find("subdivide once"), std::string::npos);
}

}  // namespace
}  // namespace sinew
