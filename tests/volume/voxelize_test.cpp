// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/voxelize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sinew/core/parallel.h"
#include "sinew/mesh/topology.h"
#include "sinew/mesh/weld.h"
#include "support/data.h"
#include "support/mesh_file.h"
#include "support/shapes.h"

namespace sinew {
namespace {

constexpr double kPi = 3.14159265358979323846;

VoxelBody body_of(const PolyMesh& mesh, const VoxelizeOptions& options = {}) {
  const TriangleView view = triangulate(mesh);
  auto body = voxelize({mesh.positions, view.triangles}, options);
  EXPECT_TRUE(body.ok()) << (body.ok() ? "" : body.error().message);
  return body.ok() ? *std::move(body) : VoxelBody{};
}

VoxelizeOptions with_resolution(int resolution) {
  VoxelizeOptions options;
  options.resolution = resolution;
  return options;
}

double volume_of(const VoxelBody& body) {
  return static_cast<double>(body.grid.cell_count()) * std::pow(body.grid.cell_size(), 3);
}

std::vector<Vec3i> cells_of(const VoxelBody& body) {
  std::vector<Vec3i> cells;
  for (std::uint32_t c = 0; c < body.grid.cell_count(); ++c) cells.push_back(body.grid.cells()[c]);
  return cells;
}

// What must hold for any mesh: every corner in a cell, cells of a connected piece connected, no stray cells.
void expect_sound(const PolyMesh& mesh, const VoxelBody& body, const std::string& name) {
  const WeldedFaces welded = weld_faces(mesh);
  const Components pieces = connected_components(welded.mesh.vertex_count(), welded.mesh);
  const LatticeComponents parts = connected_components(body.grid.cells());
  EXPECT_LE(parts.count, pieces.count) << name;
  std::vector<std::uint32_t> part_of_piece(pieces.count, kNoIndex);
  for (std::size_t i = 0; i < welded.mesh.vertex_count(); ++i) {
    if (pieces.of_vertex[i] == kNoComponent) continue;
    const std::uint32_t cell = body.grid.cell_at(welded.mesh.positions[i]);
    ASSERT_NE(cell, kNoIndex) << name << " vertex " << i;
    EXPECT_TRUE(body.surface[cell]) << name;
    std::uint32_t& part = part_of_piece[pieces.of_vertex[i]];
    if (part == kNoIndex) part = parts.of_member[cell];
    ASSERT_EQ(part, parts.of_member[cell]) << name << " vertex " << i;
  }
}

TEST(Voxelize, AnyShapeHasEveryVertexInACellAndConnectedPiecesConnected) {
  for (const auto& shape : test::all_shapes())
    for (const int resolution : {0, 5, 23, 64})
      expect_sound(shape.mesh, body_of(shape.mesh, with_resolution(resolution)), shape.name);
}

TEST(Voxelize, EveryMeshOfTheDataHasEveryVertexInACellAndConnectedPiecesConnected) {
  SINEW_REQUIRE_DATA(data);
  for (const std::string group : {"dirty_mesh", "static_tri", "quad"})
    for (const auto& path : test::test_meshes(data / group)) {
      const PolyMesh mesh = test::read_test_mesh(path);
      expect_sound(mesh, body_of(mesh), path.filename().string());
      expect_sound(mesh, body_of(mesh, with_resolution(40)), path.filename().string());
    }
}

TEST(Voxelize, ABoxThatFitsTheLatticeIsExact) {
  const VoxelBody body = body_of(test::box({-1, -1, -1}, {1, 1, 3}, 3), with_resolution(16));
  EXPECT_DOUBLE_EQ(body.grid.cell_size(), 0.25);
  EXPECT_EQ(body.grid.cells().dims(), Vec3i(8, 8, 16));
  EXPECT_EQ(body.grid.cell_count(), 8u * 8 * 16);
  EXPECT_EQ(body.grid.vertex_count(), 9u * 9 * 17);
  EXPECT_EQ(body.inside_cells, 6u * 6 * 14);
  EXPECT_TRUE(body.closed);
}

TEST(Voxelize, TheVolumeOfABallConvergesFromAboveWithItsSurfaceCells) {
  const PolyMesh ball = test::uv_sphere({3, -1, 2}, 1, 96, 48);
  const double exact = 4 * kPi / 3;
  double last = 1e300;
  for (const int resolution : {10, 20, 40, 80}) {
    const VoxelBody body = body_of(ball, with_resolution(resolution));
    const double excess = volume_of(body) / exact - 1;
    EXPECT_GT(excess, 0);
    EXPECT_LT(excess, 0.65 * last);
    last = excess;
    // Without the surface cells it is below, with half of them about right.
    const double inside = static_cast<double>(body.inside_cells) * std::pow(body.grid.cell_size(), 3);
    EXPECT_LT(inside, exact);
  }
  EXPECT_LT(last, 0.06);
}

TEST(Voxelize, CellsOfClosedMeshesAreThoseWithTheirCentreInsideOrSurfaceInThem) {
  const PolyMesh ring = test::torus(2, 0.7, 64, 32);
  const VoxelBody body = body_of(ring, with_resolution(33));
  const VoxelGrid& grid = body.grid;
  for (int z = 0; z < grid.cells().dims().z(); ++z)
    for (int y = 0; y < grid.cells().dims().y(); ++y)
      for (int x = 0; x < grid.cells().dims().x(); ++x) {
        const Vec3 p = grid.cell_centre(Vec3i(x, y, z));
        const double depth = 0.7 - std::hypot(std::hypot(p.x(), p.y()) - 2, p.z());  // below 0: outside
        const std::uint32_t cell = grid.cells().find(x, y, z);
        const double diagonal = std::sqrt(3.0) * grid.cell_size();
        EXPECT_TRUE(depth <= 0.01 || cell != kNoIndex);
        EXPECT_TRUE(depth >= -0.5 * diagonal - 0.01 || cell == kNoIndex);
        const bool deep = std::abs(depth) > 0.5 * diagonal + 0.01;
        EXPECT_FALSE(deep && cell != kNoIndex && body.surface[cell]);
      }
}

TEST(Voxelize, InsideOutMeshesGiveTheSameCells) {
  for (const auto& shape : test::all_shapes()) {
    const VoxelBody upright = body_of(shape.mesh, with_resolution(24));
    const VoxelBody turned = body_of(test::flipped(shape.mesh), with_resolution(24));
    if (!shape.closed) continue;
    EXPECT_EQ(cells_of(upright), cells_of(turned)) << shape.name;
    EXPECT_GT(upright.inside_cells, 0u) << shape.name;
  }
  for (const PolyMesh& open : {test::open_cup(1, 2), test::cylinder(1, 8, 16, 17)})
    EXPECT_EQ(cells_of(body_of(open, with_resolution(24))),
              cells_of(body_of(test::flipped(open), with_resolution(24))));
  // One part turned, the other not.
  const PolyMesh ball = test::uv_sphere({0, 0, 0}, 1), other = test::uv_sphere({1, 0, 0}, 1);
  EXPECT_EQ(cells_of(body_of(test::joined({ball, test::flipped(other)}), with_resolution(24))),
            cells_of(body_of(test::joined({ball, other}), with_resolution(24))));
}

TEST(Voxelize, OpenVesselsAreFilledToTheirBrim) {
  const VoxelBody cup = body_of(test::open_cup(1, 2, 64, 20), with_resolution(40));
  EXPECT_FALSE(cup.closed);
  EXPECT_NE(cup.grid.cell_at({0, 0, 1}), kNoIndex);
  EXPECT_NE(cup.grid.cell_at({0.5, 0.5, 1.9}), kNoIndex);
  EXPECT_EQ(cup.enclosed_cells, 0u);
  EXPECT_FALSE(cup.surface[cup.grid.cell_at({0, 0, 1.99})]);  // a cap is no surface
  EXPECT_NEAR(volume_of(cup), 2 * kPi, 0.1 * 2 * kPi);
  const VoxelBody tube = body_of(test::cylinder(1, 8, 48, 30), with_resolution(64));
  EXPECT_NEAR(volume_of(tube), 8 * kPi, 0.2 * 8 * kPi);
  EXPECT_NE(tube.grid.cell_at({4, 0, 0}), kNoIndex);
}

TEST(Voxelize, ASoupOfLooseTrianglesIsFilledByItsWindingNumber) {
  PolyMesh loose = test::soup(test::uv_sphere({0, 0, 0}, 1, 48, 24));
  for (std::size_t i = 0; i < loose.positions.size(); ++i)  // every corner off by a little: nothing welds
    loose.positions[i] *= 1 + 1e-3 * std::sin(12.9898 * static_cast<double>(i));
  const VoxelBody body = body_of(loose, with_resolution(32));
  EXPECT_TRUE(body.by_winding_number);
  const VoxelBody whole = body_of(test::uv_sphere({0, 0, 0}, 1, 48, 24), with_resolution(32));
  EXPECT_NEAR(volume_of(body), volume_of(whole), 0.05 * volume_of(whole));
  EXPECT_NE(body.grid.cell_at({0, 0, 0}), kNoIndex);
  EXPECT_EQ(cells_of(body), cells_of(body_of(test::flipped(loose), with_resolution(32))));
}

TEST(Voxelize, HollowShellsAreFilled) {
  const PolyMesh shell =
      test::joined({test::uv_sphere({0, 0, 0}, 1), test::flipped(test::uv_sphere({0, 0, 0}, 0.8))});
  EXPECT_NE(body_of(shell, with_resolution(32)).grid.cell_at({0, 0, 0}), kNoIndex);
  // Faces of random sides and loose: neither loop nor winding number helps, but nothing gets in.
  PolyMesh torn = test::soup(test::box({0, 0, 0}, {1, 1, 1}, 6));
  for (std::size_t i = 0; i < torn.positions.size(); ++i)
    torn.positions[i] += 1e-4 * std::sin(12.9898 * static_cast<double>(i)) * Vec3(1, 1, 1);
  PolyMesh mixed;
  mixed.positions = torn.positions;
  for (std::size_t f = 0; f < torn.face_count(); ++f) {
    std::vector<std::uint32_t> corners(torn.face(f).begin(), torn.face(f).end());
    if (f % 2) std::reverse(corners.begin(), corners.end());
    mixed.add_face(corners);
  }
  const VoxelBody body = body_of(mixed, with_resolution(16));
  EXPECT_NE(body.grid.cell_at({0.5, 0.5, 0.5}), kNoIndex);
  EXPECT_GT(body.enclosed_cells, 0u);
}

TEST(Voxelize, SheetsAndSingleTrianglesAreTheirSurfaceCells) {
  const VoxelBody sheet = body_of(test::grid(4, 4), with_resolution(16));
  EXPECT_EQ(sheet.grid.cell_count(), 256u);
  EXPECT_EQ(sheet.inside_cells, 0u);
  EXPECT_GT(body_of(test::one_triangle()).grid.cell_count(), 1000u);
  PolyMesh line;  // no area at all
  line.positions = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  line.add_face({0, 1, 2});
  EXPECT_GT(body_of(line).grid.cell_count(), 100u);
}

TEST(Voxelize, AHandNearAThighDoesNotMergeWithIt) {
  for (const double gap : {0.4, 0.2, 0.12, 0.08}) {
    const VoxelBody body = body_of(test::hand_near_thigh(gap));
    EXPECT_LE(2 * body.grid.cell_size(), gap);
    EXPECT_EQ(connected_components(body.grid.cells()).count, 2u) << gap;
  }
  // Two cell sizes apart (and a rounding) is enough, wherever the lattice lies.
  for (int k = 0; k < 20; ++k) {
    VoxelizeOptions options;
    options.cell_size = 0.1 + 0.0007 * k;
    const PolyMesh pair = test::joined(
        {test::box({0, 0, 0}, {1, 1, 1}), test::box({1 + 2.000001 * options.cell_size, 0, 0}, {3, 1, 1})});
    EXPECT_EQ(connected_components(body_of(pair, options).grid.cells()).count, 2u) << k;
  }
}

TEST(Voxelize, TheAutomaticSizeFollowsBonesAndThinParts) {
  const PolyMesh ball = test::uv_sphere({0, 0, 0}, 1);
  const VoxelBody plain = body_of(ball);
  EXPECT_EQ(plain.size.reason, VoxelSize::Reason::kTarget);
  EXPECT_GT(plain.grid.cell_count(), 15'000u);
  EXPECT_LT(plain.grid.cell_count(), 60'000u);
  const std::vector<Bone> bones{{0, {0, 0, 0}, {0.08, 0, 0}}, {1, {0.08, 0, 0}, {0.08, 0, 0}}};
  VoxelizeOptions options;
  options.bones = bones;
  const VoxelBody boned = body_of(ball, options);
  EXPECT_EQ(boned.size.reason, VoxelSize::Reason::kBone);
  EXPECT_DOUBLE_EQ(boned.size.cell_size, 0.04);
  EXPECT_DOUBLE_EQ(boned.size.shortest_bone, 0.08);
  // A plate of thickness 0.04 with little volume beside a ball.
  const VoxelBody thin = body_of(test::joined({ball, test::box({1.5, -1, -0.02}, {3.5, 1, 0.02}, 8)}));
  EXPECT_NEAR(thin.size.thickness, 0.04, 0.002);
  EXPECT_LT(thin.size.cell_size, plain.size.cell_size);
}

// As many cells as a body has, in one layer, would be a side of hundreds and hardly be solved.
TEST(Voxelize, ASheetHasNoMoreCellsAlongASideThanABody) {
  const PolyMesh body = test::uv_sphere({0, 0, 0}, 1);
  PolyMesh triangle, needle;
  triangle.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  triangle.add_face({0, 1, 2});
  needle.positions = {{0, 0, 0}, {100'000, 0, 0}, {0, 1, 0}};
  needle.add_face({0, 1, 2});
  const std::vector<Bone> bones{{0, {0, 0, 0}, {0.01, 0, 0}}};
  VoxelizeOptions options;
  options.bones = bones;
  EXPECT_GT(body_of(body).grid.cell_count(), 15'000u);
  for (const PolyMesh& sheet : {triangle, needle}) {
    EXPECT_LT(body_of(sheet).grid.cell_count(), 4'000u);
    EXPECT_LT(body_of(sheet, options).grid.cell_count(), 4'000u);
  }
  EXPECT_GT(body_of(triangle).grid.cell_count(), 500u);
}

TEST(Voxelize, RefusesWhatHasNoTriangleAndWhatIsTooFine) {
  const PolyMesh nothing;
  EXPECT_EQ(voxelize({nothing.positions, {}}).error().code, ErrorCode::kBadInput);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Vec3> broken{{0, 0, 0}, {1, 0, 0}, {nan, 0, 0}};
  const std::vector<Triangle> triangles{{0, 1, 2}, {0, 0, 1}};
  EXPECT_EQ(voxelize({broken, triangles}).error().code, ErrorCode::kBadInput);
  // Nobody has set a limit where the size of the mesh is what cannot be.
  for (const double size : {1e308, 1e200, 5e-324}) {
    const std::vector<Vec3> extreme{{0, 0, 0}, {size, 0, 0}, {0, size, 0}};
    const auto body = voxelize({extreme, triangles});
    ASSERT_FALSE(body.ok()) << size;
    EXPECT_EQ(body.error().code, ErrorCode::kBadInput) << size << body.error().message;
  }
  const PolyMesh cube = test::box({0, 0, 0}, {1, 1, 1});
  const TriangleView view = triangulate(cube);
  EXPECT_EQ(voxelize({cube.positions, view.triangles}, with_resolution(5000)).error().code,
            ErrorCode::kLimit);
}

TEST(Voxelize, StopsWhenAsked) {
  const std::atomic<bool> stop{true};
  Progress progress;
  progress.cancel = &stop;
  VoxelizeOptions options;
  options.progress = &progress;
  const PolyMesh cube = test::box({0, 0, 0}, {1, 1, 1});
  const TriangleView view = triangulate(cube);
  EXPECT_EQ(voxelize({cube.positions, view.triangles}, options).error().code, ErrorCode::kCancelled);
}

TEST(Voxelize, GivesTheSameCellsForAnyThreadCount) {
  for (const PolyMesh& mesh : {test::random_blob(3, 120, 80), test::open_cup(1, 2, 64, 20)}) {
    set_thread_count(1);
    const auto one = cells_of(body_of(mesh));
    set_thread_count(0);
    EXPECT_EQ(one, cells_of(body_of(mesh)));
  }
}

TEST(Voxelize, TinyHugeAndFarAwayMeshesKeepTheirShape) {
  const PolyMesh blob = test::random_blob(11);
  const std::size_t count = body_of(blob, with_resolution(30)).grid.cell_count();
  const Affine3 tiny(Eigen::Scaling(1e-9)), huge(Eigen::Scaling(1e9)),
      far(Eigen::Translation3d(1e6, -1e6, 1e6));
  for (const Affine3& transform : {tiny, huge, far}) {
    const PolyMesh moved = test::transformed(blob, transform);
    const VoxelBody body = body_of(moved, with_resolution(30));
    EXPECT_NEAR(static_cast<double>(body.grid.cell_count()), static_cast<double>(count),
                0.002 * static_cast<double>(count));
    expect_sound(moved, body, "moved");
  }
}

}  // namespace
}  // namespace sinew
