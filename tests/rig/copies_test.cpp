// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/copies.h"

#include <gtest/gtest.h>

#include "sinew/mesh/weld.h"
#include "support/shapes.h"

namespace sinew {
namespace {

// A cube, `joints[c]` holding the c-th copy of it.
Rig cubes(const std::vector<std::uint32_t>& joints) {
  Rig rig;
  const PolyMesh cube = test::box(Vec3::Zero(), Vec3::Ones());
  for (const std::uint32_t joint : joints) {
    const std::size_t first = rig.mesh.vertex_count(), first_face = rig.mesh.face_count();
    rig.mesh.positions.insert(rig.mesh.positions.end(), cube.positions.begin(), cube.positions.end());
    for (std::size_t f = 0; f < cube.face_count(); ++f) {
      std::vector<std::uint32_t> corners(cube.face(f).begin(), cube.face(f).end());
      for (std::uint32_t& corner : corners) corner += static_cast<std::uint32_t>(first);
      rig.mesh.add_face(corners);
    }
    for (std::size_t i = 0; i < cube.vertex_count(); ++i)
      rig.weights.add_row(std::vector<Influence>{{joint, 1.0}});
    rig.parts.push_back({"cube", first, cube.vertex_count(), first_face, cube.face_count()});
  }
  return rig;
}

TEST(Copies, AreCountedWhereTheirJointsDiffer) {
  const Rig rig = cubes({0, 1, 2});
  const std::vector<std::uint32_t> copies = copies_of(rig);
  ASSERT_EQ(copies.size(), rig.mesh.vertex_count());
  for (std::size_t i = 0; i < copies.size(); ++i) EXPECT_EQ(copies[i], i / (copies.size() / 3)) << i;
  EXPECT_EQ(weld_vertices(rig.mesh.positions, 0, copies).positions.size(), rig.mesh.vertex_count());
  EXPECT_EQ(weld_vertices(rig.mesh.positions, 1e-6, copies).positions.size(), rig.mesh.vertex_count());
  EXPECT_EQ(weld_vertices(rig.mesh.positions).positions.size(), rig.mesh.vertex_count() / 3);
}

TEST(Copies, AreNoneWhereJointsOrPlacesSaySo) {
  EXPECT_TRUE(copies_of(cubes({3})).empty());
  EXPECT_TRUE(copies_of(cubes({3, 3})).empty()) << "the same joints: one body, drawn twice";
  Rig apart = cubes({0, 1});
  for (std::size_t i = apart.mesh.vertex_count() / 2; i < apart.mesh.vertex_count(); ++i)
    apart.mesh.positions[i].x() += 5;
  EXPECT_TRUE(copies_of(apart).empty());
}

}  // namespace
}  // namespace sinew
