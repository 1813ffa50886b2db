// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/cage.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "sinew/characters/characters.h"
#include "sinew/io/gltf.h"
#include "sinew/pipeline/posed_mesh.h"
#include "sinew/player/pose_request.h"
#include "sinew/player/shape_key.h"
#include "support/deform_choice.h"
#include "support/shapes.h"

namespace sinew {
namespace {

Rig character(const char* kind, int resolution = 700) {
  auto rig = make_character(kind, {.resolution = resolution});
  EXPECT_TRUE(rig.ok());
  return *std::move(rig);
}

std::vector<Vec3> caged(const Rig& rig, const PoseRequest& request, const DeformChoice& deform) {
  auto pose = make_pose(rig, request);
  EXPECT_TRUE(pose.ok());
  auto mesh = posed_mesh(rig, *pose, deform);
  EXPECT_TRUE(mesh.ok()) << (mesh.ok() ? "" : mesh.error().message);
  return mesh.ok() ? mesh->positions : std::vector<Vec3>();
}

Rig caged(const char* kind, CageRequest request) {
  Rig rig = character(kind);
  auto cage = auto_cage(rig, 200, nullptr);
  EXPECT_TRUE(cage.ok());
  request.resolution = 5;
  const auto report = bind_cage(rig, *cage, request);
  EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message);
  if (report.ok()) {
    EXPECT_EQ(report->outside, 0u) << "an automatic cage holds the whole mesh";
    EXPECT_LT(report->reproduction_error, 1e-5);
  }
  return rig;
}

TEST(Cage, AKeySurvivesAStaticCage) {
  Rig rig = caged("cylinder", {});
  ShapeKey key;
  key.name = "side";
  key.deltas.assign(rig.mesh.vertex_count(), Vec3f(0.05f, 0, 0));
  rig.keys.push_back(key);
  std::vector<Vec3> moved = rig.cages[0].mesh.positions;
  for (Vec3& c : moved) c += Vec3(0, 0.3 * c.y() * c.y(), 0.2 * c.x());
  DeformChoice deform = test::by(rig, "cage");
  deform.controls.cages = {moved};
  const std::vector<Vec3> plain = caged(rig, {}, deform), keyed = caged(rig, {.keys = {{"side", 1}}}, deform);
  for (std::size_t i = 0; i < plain.size(); ++i)
    EXPECT_LT((keyed[i] - plain[i] - Vec3(0.05, 0, 0)).norm(), 1e-5) << i;
}

// A skeleton-driven cage: turning the root turns all of it once, and only once.
TEST(Cage, ASkeletonDrivenCageGivesNoDoubleMotion) {
  CageRequest request;
  request.skin = true;
  const Rig rig = caged("biped", request);
  const PoseRequest turn{.turns = {{rig.skeleton[0].name, Vec3(0, 90, 0)}}};
  const std::vector<Vec3> still = caged(rig, {}, test::by(rig, "cage")),
                          turned = caged(rig, turn, test::by(rig, "cage"));
  const Vec3 pivot = bind_transforms(rig)[0].translation();
  const Affine3 motion = Eigen::Translation3d(pivot) * Eigen::AngleAxisd(std::acos(0.0), Vec3::UnitY()) *
                         Eigen::Translation3d(-pivot);
  const double size = bounding_box(rig.mesh.positions).diagonal().norm();
  for (std::size_t i = 0; i < still.size(); ++i) {
    EXPECT_LT((still[i] - rig.mesh.positions[i]).norm(), 1e-5 * size) << i;
    EXPECT_LT((turned[i] - motion * rig.mesh.positions[i]).norm(), 1e-4 * size) << i;
  }
}

TEST(Cage, ASkeletonDrivenCageBendsSmoothly) {
  CageRequest request;
  request.skin = true;
  const Rig rig = caged("arm", request);
  const PoseRequest bend{.turns = {{rig.skeleton[1].name, Vec3(0, 0, 60)}}};
  const std::vector<Vec3> by_cage = caged(rig, bend, test::by(rig, "cage"));
  Rig bare = rig;
  bare.cages.clear();
  const std::vector<Vec3> by_skin = caged(bare, bend, {});
  const double size = bounding_box(rig.mesh.positions).diagonal().norm();
  double most = 0;
  for (std::size_t i = 0; i < by_cage.size(); ++i) most = std::max(most, (by_cage[i] - by_skin[i]).norm());
  EXPECT_GT(most, 1e-3 * size);
  EXPECT_LT(most, 0.15 * size);
}

class CageFile : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Bindings, CageFile, testing::Bool(),
                         [](const auto& dynamic) { return dynamic.param ? "dynamic" : "static"; });

TEST_P(CageFile, IsTheSameAfterARoundTrip) {
  CageRequest request;
  request.dynamic = GetParam();
  request.skin = true;
  const Rig rig = caged("arm", request);
  const auto bytes = write_gltf(rig, nullptr);
  ASSERT_TRUE(bytes.ok());
  const auto read = read_gltf(*bytes, "caged.glb");
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->rig.cages.size(), 1u);
  EXPECT_TRUE(read->notes.empty()) << read->notes.front();
  const Cage &a = rig.cages[0], &b = read->rig.cages[0];
  EXPECT_EQ(a.mesh.positions, b.mesh.positions);
  EXPECT_EQ(a.mesh.face_vertices, b.mesh.face_vertices);
  EXPECT_EQ(a.rows.offsets, b.rows.offsets);
  EXPECT_EQ(a.volume.offsets, b.volume.offsets);
  EXPECT_EQ(a.masks, b.masks);
  EXPECT_EQ(a.dynamic, b.dynamic);
  EXPECT_EQ(a.weights.offsets, b.weights.offsets);
  const PoseRequest bend{.turns = {{rig.skeleton[1].name, Vec3(0, 0, 60)}}};
  const auto before = caged(rig, bend, test::by(rig, "cage")),
             after = caged(read->rig, bend, test::by(read->rig, "cage"));
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_LT((before[i] - after[i]).norm(), 1e-5);
  // Written again it takes the place of what was there.
  GltfWriteOptions again;
  again.edit.cages = true;
  const auto rewritten = write_gltf(read->rig, read->document.get(), again);
  ASSERT_TRUE(rewritten.ok());
  EXPECT_LT(static_cast<double>(rewritten->size()), 1.01 * static_cast<double>(bytes->size()));
  // Edited, the file keeps it; as a plain mesh it goes.
  GltfWriteOptions write;
  write.edit.skin = true;
  const auto edited = write_gltf(read->rig, read->document.get(), write);
  ASSERT_TRUE(edited.ok());
  EXPECT_EQ(read_gltf(*edited, "edited.glb")->rig.cages.size(), 1u);
  write.without_skin = true;
  const auto plain = write_gltf(read->rig, read->document.get(), write);
  ASSERT_TRUE(plain.ok());
  EXPECT_TRUE(read_gltf(*plain, "plain.glb")->rig.cages.empty());
}

TEST(Cage, ASolvedCageServesOtherMeshes) {
  CageRequest request;
  request.keep = true;
  const Rig solved = caged("arm", request);
  Rig fine = character("arm", 3000);
  const auto report = bind_solved_cage(fine, solved.cages[0], {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_LT(report->reproduction_error, 1e-5);
  EXPECT_EQ(fine.cages[0].volume.size(), 0u);
  const auto without = bind_solved_cage(fine, fine.cages[0], {});
  ASSERT_FALSE(without.ok());
  EXPECT_EQ(without.error().code, ErrorCode::kImpossible);
}

TEST(Cage, BadCagesAreNamed) {
  Rig rig = character("cylinder");
  EXPECT_EQ(bind_cage(rig, test::open_cup(3, 9), {}).error().code, ErrorCode::kBadInput);
  // A mesh that sticks out is bound, and said to.
  const Box3 box = bounding_box(rig.mesh.positions);
  const auto small = bind_cage(rig, test::box(box.min() - Vec3::Ones(), box.center() + Vec3::Constant(2), 2),
                               {.resolution = 4});
  ASSERT_TRUE(small.ok());
  EXPECT_GT(small->outside, 0u);
  EXPECT_FALSE(small->notes.empty());
  // One that crosses itself, too.
  PolyMesh twice = test::joined({test::box(box.min() - Vec3::Ones(), box.max() + Vec3::Ones(), 2)});
  twice.positions[0] = box.max() + Vec3::Constant(3);
  const auto crossing = bind_cage(rig, twice, {.resolution = 4});
  ASSERT_TRUE(crossing.ok()) << crossing.error().message;
  EXPECT_TRUE(std::any_of(crossing->notes.begin(), crossing->notes.end(),
                          [](const std::string& note) { return note.find("cross") != std::string::npos; }));
}

TEST(ShapeAsKey, GivesTheShapeInItsPose) {
  Rig rig = character("arm");
  auto pose = make_pose(rig, {.turns = {{rig.skeleton[1].name, Vec3(0, 0, 40)}}});
  ASSERT_TRUE(pose.ok());
  auto base = posed_mesh(rig, *pose, {});
  ASSERT_TRUE(base.ok());
  std::vector<Vec3> shape = base->positions;
  for (Vec3& p : shape) p += Vec3(0.1 * p.y(), 0.02, 0);
  EXPECT_EQ(add_shape_as_key(rig, *pose, shape, "pulled"), 0u);
  const auto again = posed_mesh(rig, *pose, {});
  ASSERT_TRUE(again.ok());
  for (std::size_t i = 0; i < shape.size(); ++i) EXPECT_LT((again->positions[i] - shape[i]).norm(), 1e-5);
}

}  // namespace
}  // namespace sinew
