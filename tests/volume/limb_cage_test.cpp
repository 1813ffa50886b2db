// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/limb_cage.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/volume/voxel_cage.h"
#include "support/shapes.h"

namespace sinew {
namespace {

void append(PolyMesh& mesh, const PolyMesh& more) {
  const auto first = static_cast<std::uint32_t>(mesh.vertex_count());
  mesh.positions.insert(mesh.positions.end(), more.positions.begin(), more.positions.end());
  for (std::size_t f = 0; f < more.face_count(); ++f) {
    std::vector<std::uint32_t> corners(more.face(f).begin(), more.face(f).end());
    for (std::uint32_t& corner : corners) corner += first;
    mesh.add_face(corners);
  }
}

// A bar with two legs below it that come near to each other: 1 wide, 4 long, 0.1 apart.
PolyMesh trousers() {
  PolyMesh mesh = test::box(Vec3(-1.05, -0.5, 0), Vec3(1.05, 0.5, 1), 4);
  append(mesh, test::box(Vec3(-1.05, -0.5, -4), Vec3(-0.05, 0.5, 0.5), 8));
  append(mesh, test::box(Vec3(0.05, -0.5, -4), Vec3(1.05, 0.5, 0.5), 8));
  return mesh;
}

LimbCage cage_of(const PolyMesh& mesh, const LimbCageOptions& options = {}) {
  const TriangleView view = triangulate(mesh);
  auto made = limb_cage({mesh.positions, view.triangles}, options);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  return made.ok() ? *std::move(made) : LimbCage();
}

// How much of a vertex hangs on control points that take their weights from the other leg, at worst.
double from_the_other_leg(const PolyMesh& mesh, const ControlRows& rows,
                          std::span<const std::uint32_t> guides) {
  double most = 0;
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i) {
    if (mesh.positions[i].z() > -2) continue;
    double other = 0;
    for (const ControlRows::Entry& entry : rows[i]) {
      const Vec3& guide = mesh.positions[guides[entry.control]];
      if (guide.z() < 0 && guide.x() * mesh.positions[i].x() < 0) other += static_cast<double>(entry.weight);
    }
    most = std::max(most, other);
  }
  return most;
}

TEST(LimbCage, LegsThatNearlyTouchDoNotFeelEachOther) {
  const PolyMesh mesh = trousers();
  for (const int controls : {40, 100, 300}) {
    const LimbCage cage = cage_of(mesh, {.controls = controls});
    EXPECT_LE(cage.mesh.vertex_count(), static_cast<std::size_t>(controls));
    EXPECT_LT(from_the_other_leg(mesh, cage.binding.rows, cage.guides), 0.05) << controls;
  }
  // What a cage of one space does to them.
  const TriangleView view = triangulate(mesh);
  const auto one = voxel_cage({mesh.positions, view.triangles}, {.controls = 100});
  ASSERT_TRUE(one.ok());
  const auto solver = HarmonicCage::build(*one, 5);
  ASSERT_TRUE(solver.ok());
  const auto bound = solver->bind(mesh.positions, 0.1, CageSolveOptions());
  ASSERT_TRUE(bound.ok());
  std::vector<std::uint32_t> guides;
  for (const Vec3& at : one->positions)
    guides.push_back(static_cast<std::uint32_t>(std::min_element(mesh.positions.begin(), mesh.positions.end(),
                                                                 [&](const Vec3& a, const Vec3& b) {
                                                                   return (a - at).squaredNorm() <
                                                                          (b - at).squaredNorm();
                                                                 }) -
                                                mesh.positions.begin()));
  EXPECT_GT(from_the_other_leg(mesh, bound->rows, guides), 0.3);
}

// Within one cell the function that is 1 at a corner, 0 at the others and linear along edges is harmonic.
TEST(LimbCage, OneCellGivesTrilinearCoordinates) {
  const PolyMesh mesh = test::box(Vec3(1, 2, 3), Vec3(2, 3, 4), 4);
  const LimbCage cage = cage_of(mesh, {.controls = 8, .resolution = 3, .threshold = 0});
  ASSERT_EQ(cage.mesh.vertex_count(), 8u);
  const Box3 box = bounding_box(cage.mesh.positions);
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i)
    for (const ControlRows::Entry& entry : cage.binding.rows[i]) {
      double weight = 1;
      for (int axis = 0; axis < 3; ++axis) {
        const double at = (mesh.positions[i][axis] - box.min()[axis]) / box.sizes()[axis];
        weight *= cage.mesh.positions[entry.control][axis] > box.center()[axis] ? at : 1 - at;
      }
      EXPECT_NEAR(entry.weight, weight, 1e-5);
    }
}

TEST(LimbCage, RowsGivePositionsOnEveryShape) {
  for (const test::NamedShape& shape : test::all_shapes()) {
    SCOPED_TRACE(shape.name);
    const LimbCage cage = cage_of(shape.mesh, {.resolution = 4});
    ASSERT_EQ(cage.binding.rows.size(), shape.mesh.vertex_count());
    ASSERT_EQ(cage.guides.size(), cage.mesh.vertex_count());
    EXPECT_GE(cage.binding.figures.smallest, 0);
    EXPECT_LT(cage.binding.figures.max_row_error, 1e-5);
    EXPECT_LT(cage.binding.figures.reproduction_error, 1e-5);
    for (const std::uint32_t guide : cage.guides) EXPECT_LT(guide, shape.mesh.vertex_count());
  }
}

TEST(LimbCage, WhatCannotBeCagedIsRefused) {
  const PolyMesh mesh = test::box(Vec3::Zero(), Vec3::Ones());
  const TriangleView view = triangulate(mesh);
  const MeshView box{mesh.positions, view.triangles};
  EXPECT_EQ(limb_cage(box, {.controls = 7}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(limb_cage(box, {.resolution = 0}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(limb_cage({mesh.positions, {}}).error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace sinew
