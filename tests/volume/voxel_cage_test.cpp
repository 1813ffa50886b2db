// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/voxel_cage.h"

#include <gtest/gtest.h>

#include "sinew/mesh/topology.h"
#include "sinew/mesh/weld.h"
#include "sinew/mesh/winding_number.h"
#include "sinew/volume/harmonic_cage.h"
#include "support/shapes.h"

namespace sinew {
namespace {

TEST(VoxelCage, ContainsEveryShapeAndCanBeSolved) {
  for (const test::NamedShape& shape : test::all_shapes()) {
    SCOPED_TRACE(shape.name);
    const TriangleView view = triangulate(shape.mesh);
    const auto cage = voxel_cage({shape.mesh.positions, view.triangles}, {.controls = 200});
    ASSERT_TRUE(cage.ok()) << cage.error().message;
    const MeshReport report = mesh_report(*cage);
    EXPECT_EQ(report.boundary_edges + report.nonmanifold_edges, 0u);
    EXPECT_EQ(report.quads, report.faces);
    EXPECT_LE(cage->vertex_count(), 200u);
    const TriangleView triangles = triangulate(*cage);
    const WindingNumber winding({cage->positions, triangles.triangles});
    const WeldedTriangles welded = weld_triangles({shape.mesh.positions, view.triangles});
    for (const Triangle& t : welded.triangles)
      for (const std::uint32_t corner : t) EXPECT_GT(winding(welded.weld.positions[corner]), 0.5);
    EXPECT_TRUE(HarmonicCage::build(*cage, 3).ok());
  }
}

// The finest one that the number of control points allows: a few more cells would be too many.
TEST(VoxelCage, SpendsTheControlPointsItMay) {
  const PolyMesh sphere = test::uv_sphere(Vec3::Zero(), 1, 40, 24);
  const TriangleView view = triangulate(sphere);
  std::size_t before = 0;
  for (const int controls : {30, 120, 500, 2000}) {
    const auto cage = voxel_cage({sphere.positions, view.triangles}, {.controls = controls});
    ASSERT_TRUE(cage.ok());
    EXPECT_LE(cage->vertex_count(), static_cast<std::size_t>(controls));
    EXPECT_GT(cage->vertex_count(), before);
    EXPECT_GT(cage->vertex_count(), static_cast<std::size_t>(controls) / 4);
    before = cage->vertex_count();
  }
}

// Two boxes that nearly meet in an edge: bodies whose cells touch in edges or corners alone still get a cage
// without pinches, for any size of it.
TEST(VoxelCage, HasNoPinches) {
  PolyMesh boxes = test::box(Vec3(0, 0, 0), Vec3(0.98, 0.98, 1), 2);
  const PolyMesh other = test::box(Vec3(1.02, 1.02, 0), Vec3(2, 2, 1), 2);
  const auto first = static_cast<std::uint32_t>(boxes.vertex_count());
  boxes.positions.insert(boxes.positions.end(), other.positions.begin(), other.positions.end());
  for (std::size_t f = 0; f < other.face_count(); ++f) {
    std::vector<std::uint32_t> corners(other.face(f).begin(), other.face(f).end());
    for (std::uint32_t& corner : corners) corner += first;
    boxes.add_face(corners);
  }
  const TriangleView view = triangulate(boxes);
  for (int controls = 20; controls < 700; controls += 40) {
    const auto cage = voxel_cage({boxes.positions, view.triangles}, {.controls = controls});
    ASSERT_TRUE(cage.ok());
    const MeshReport report = mesh_report(*cage);
    EXPECT_EQ(report.boundary_edges + report.nonmanifold_edges, 0u) << controls;
  }
}

TEST(VoxelCage, SaysWhatIsWrong) {
  EXPECT_EQ(voxel_cage({}, {.controls = 3}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(voxel_cage({}, {}).error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace sinew
