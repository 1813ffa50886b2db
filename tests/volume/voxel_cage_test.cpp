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

TEST(VoxelCage, SaysWhatIsWrong) {
  EXPECT_EQ(voxel_cage({}, {.controls = 3}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(voxel_cage({}, {}).error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace sinew
