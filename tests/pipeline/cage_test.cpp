// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/cage.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "sinew/characters/characters.h"
#include "sinew/deform/cage.h"
#include "sinew/io/gltf.h"
#include "sinew/pipeline/keys.h"
#include "sinew/pipeline/posed_mesh.h"
#include "sinew/pipeline/unpose.h"
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

// How far the lower half of a raised thigh and the shin of the other leg lie, by the cage, from where linear
// blending has them: means, in lengths of the thigh.
std::pair<double, double> off_a_raised_thigh(const Rig& rig) {
  Rig bare = rig;
  bare.cages.clear();
  const std::size_t thigh = *rig.skeleton.find("LeftUpLeg"), knee = *rig.skeleton.find("LeftLeg"),
                    shin = *rig.skeleton.find("RightLeg");
  const auto bind = bind_transforms(rig);
  const Vec3 hip = bind[thigh].translation(), along = bind[knee].translation() - hip;
  const PoseRequest raised{.turns = {{"LeftUpLeg", Vec3(-90, 0, 0)}}};
  const std::vector<Vec3> by_cage = caged(rig, raised, test::by(rig, "cage")),
                          by_skin = caged(bare, raised, {});
  std::vector<double> lower, other;
  for (std::size_t i = 0; i < by_cage.size(); ++i)
    for (const Influence& influence : rig.weights.row(i)) {
      const double off = (by_cage[i] - by_skin[i]).norm() / along.norm();
      if (influence.weight < 0.95f) continue;
      if (influence.joint == thigh && (rig.mesh.positions[i] - hip).dot(along) > 0.5 * along.squaredNorm())
        lower.push_back(off);
      if (influence.joint == shin) other.push_back(off);
    }
  EXPECT_GT(std::min(lower.size(), other.size()), 10u);
  const auto mean = [](const std::vector<double>& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  return {mean(lower), mean(other)};
}

TEST(Cage, ASkeletonDrivenCageKeepsLegsApart) {
  Rig rig = character("biped", 2500);
  CageRequest request;
  request.skin = true;
  const auto report = bind_auto_cage(rig, request);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_LT(report->reproduction_error, 1e-5);
  const auto [lower, other] = off_a_raised_thigh(rig);
  EXPECT_LT(lower, 0.05);
  EXPECT_LT(other, 0.005);
  // In one space each leg drags the other.
  const auto cage = auto_cage(rig, 400, nullptr);
  ASSERT_TRUE(cage.ok());
  ASSERT_TRUE(bind_cage(rig, *cage, request).ok());
  const auto [lower_before, other_before] = off_a_raised_thigh(rig);
  EXPECT_GT(lower_before, 3 * lower);
  EXPECT_GT(other_before, 3 * other);
}

// What a key adds turns with the limb that it lies on, also where the other one lies in the same cells.
TEST(Cage, AKeyOnARaisedLegTurnsWithIt) {
  Rig rig = character("biped", 2500);
  ShapeKey key;
  key.name = "bulge";
  key.deltas.assign(rig.mesh.vertex_count(), Vec3f(0, 0, 0.02f));
  rig.keys.push_back(key);
  CageRequest request;
  request.skin = true;
  ASSERT_TRUE(bind_auto_cage(rig, request).ok());
  const PoseRequest raised{.turns = {{"LeftUpLeg", Vec3(-90, 0, 0)}}};
  PoseRequest keyed = raised;
  keyed.keys = {{"bulge", 1}};
  const std::vector<Vec3> plain = caged(rig, raised, test::by(rig, "cage")),
                          bulged = caged(rig, keyed, test::by(rig, "cage"));
  const std::size_t shins[] = {*rig.skeleton.find("LeftLeg"), *rig.skeleton.find("RightLeg")};
  for (std::size_t i = 0; i < plain.size(); ++i)
    for (const Influence& influence : rig.weights.row(i)) {
      if (influence.weight < 0.99f || (influence.joint != shins[0] && influence.joint != shins[1])) continue;
      const Vec3 expected = influence.joint == shins[0] ? Vec3(0, 0.02, 0) : Vec3(0, 0, 0.02);
      EXPECT_LT((bulged[i] - plain[i] - expected).norm(), 0.006) << i;
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

// A cylinder along y with boxes around parts of it: what lies beside a box hangs on it partly.
Rig boxed_cylinder(const std::vector<Box3>& boxes, bool dynamic, double reach) {
  Rig rig = character("cylinder");
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    CageRequest request;
    request.name = "cage" + std::to_string(k);
    request.resolution = 5;
    request.skin = true;
    request.dynamic = dynamic;
    request.reach = reach;
    const auto report = bind_cage(rig, test::box(boxes[k].min(), boxes[k].max()), request);
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message);
  }
  return rig;
}

std::vector<Box3> parts_of(const Rig& rig, bool overlapping) {
  const Box3 all = bounding_box(rig.mesh.positions);
  const Vec3 sizes = all.sizes();
  Eigen::Index along = 0;
  sizes.maxCoeff(&along);
  const auto slice = [&](double from, double to) {
    Box3 box(all.min() - 0.1 * Vec3::Ones(), all.max() + 0.1 * Vec3::Ones());
    box.min()[along] = all.min()[along] + from * sizes[along];
    box.max()[along] = all.min()[along] + to * sizes[along];
    return box;
  };
  if (overlapping) return {slice(0.2, 0.6), slice(0.45, 0.8)};
  return {slice(0.3, 0.7)};
}

class SkinnedCage : public testing::TestWithParam<std::tuple<bool, bool>> {};
INSTANTIATE_TEST_SUITE_P(Forms, SkinnedCage, testing::Combine(testing::Bool(), testing::Bool()),
                         [](const auto& form) {
                           return std::string(std::get<0>(form.param) ? "dynamic" : "static") +
                                  (std::get<1>(form.param) ? "overlapping" : "alone");
                         });

// Cage and skeleton agree about a rigid motion, so any blend of the two does.
TEST_P(SkinnedCage, ARigidTurnOfTheRootIsRigid) {
  const auto [dynamic, overlapping] = GetParam();
  const Rig rig = boxed_cylinder(parts_of(character("cylinder"), overlapping), dynamic, 0.2);
  std::size_t between = 0;
  for (const float mask : rig.cages[0].masks) between += mask > 0.05f && mask < 0.95f;
  ASSERT_GT(between, 20u) << "the test is about vertices that hang on the cage partly";
  for (const double degrees : {90.0, 60.0}) {
    const PoseRequest turn{.turns = {{rig.skeleton[0].name, Vec3(degrees, 0, 0)}}};
    const std::vector<Vec3> turned = caged(rig, turn, test::by(rig, "cage"));
    const Vec3 pivot = bind_transforms(rig)[0].translation();
    const Affine3 motion = Eigen::Translation3d(pivot) *
                           Eigen::AngleAxisd(degrees / 180 * std::acos(-1.0), Vec3::UnitX()) *
                           Eigen::Translation3d(-pivot);
    const double size = bounding_box(rig.mesh.positions).diagonal().norm();
    for (std::size_t i = 0; i < turned.size(); ++i)
      ASSERT_LT((turned[i] - motion * rig.mesh.positions[i]).norm(), 1e-4 * size) << i;
  }
}

TEST_P(SkinnedCage, KeysTurnWithIt) {
  const bool dynamic = std::get<0>(GetParam());
  Rig rig = boxed_cylinder(parts_of(character("cylinder"), false), dynamic, 0.2);
  rig.keys.push_back({"side", std::vector<Vec3f>(rig.mesh.vertex_count(), Vec3f(0.3f, 0, 0)), {}, 0});
  const PoseRequest turn{.turns = {{rig.skeleton[0].name, Vec3(0, 0, 90)}}};
  PoseRequest keyed = turn;
  keyed.keys = {{"side", 1}};
  const auto plain = caged(rig, turn, test::by(rig, "cage")),
             moved = caged(rig, keyed, test::by(rig, "cage"));
  for (std::size_t i = 0; i < plain.size(); ++i)
    ASSERT_LT((moved[i] - plain[i] - Vec3(0, 0.3, 0)).norm(), 1e-4) << i;
}

// What a dynamic cage does to a vertex depends on that vertex alone: it can be undone.
TEST_P(SkinnedCage, CanBeUndone) {
  const auto [dynamic, overlapping] = GetParam();
  const Rig rig = boxed_cylinder(parts_of(character("cylinder"), overlapping), dynamic, 0.2);
  const auto pose = make_pose(rig, {.turns = {{rig.skeleton[1].name, Vec3(40, 0, 0)}}});
  ASSERT_TRUE(pose.ok());
  DeformChoice choice = test::by(rig, "cage");
  choice.controls.cages.resize(rig.cages.size());
  choice.controls.cages[0] = rig.cages[0].mesh.positions;
  for (Vec3& p : choice.controls.cages[0]) p += Vec3(0.2 * p.y(), 0.1, -0.1 * p.x());
  auto posed = posed_mesh(rig, *pose, choice);
  ASSERT_TRUE(posed.ok());
  std::vector<Vec3> edited = posed->positions;
  for (std::size_t i = 0; i < edited.size(); ++i)
    edited[i] += 0.02 * Vec3(std::sin(0.1 * static_cast<double>(i)), 0, 1);
  UnposeReport report;
  const auto rest = unposed(rig, *pose, choice, edited, report);
  ASSERT_TRUE(rest.ok()) << rest.error().message;
  EXPECT_LT(report.residual, 1e-5);
  // As a key it gives what was asked for, since rows and faces of the cage are those of the rest shape.
  Rig again = rig;
  ASSERT_TRUE(add_key(again, "edit", *rest).ok());
  Pose with_key = *pose;
  with_key.key_weights = {1};
  const auto back = posed_mesh(again, with_key, choice);
  ASSERT_TRUE(back.ok());
  const double size = bounding_box(rig.mesh.positions).diagonal().norm();
  double worst = 0;
  for (std::size_t i = 0; i < edited.size(); ++i)
    worst = std::max(worst, (back->positions[i] - edited[i]).norm());
  EXPECT_LT(worst, 1e-4 * size);
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
  EXPECT_TRUE(read->warnings.empty()) << read->warnings.front();
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
  EXPECT_FALSE(small->warnings.empty());
  // One that crosses itself, too.
  PolyMesh twice = test::joined({test::box(box.min() - Vec3::Ones(), box.max() + Vec3::Ones(), 2)});
  twice.positions[0] = box.max() + Vec3::Constant(3);
  const auto crossing = bind_cage(rig, twice, {.resolution = 4});
  ASSERT_TRUE(crossing.ok()) << crossing.error().message;
  EXPECT_TRUE(std::any_of(crossing->warnings.begin(), crossing->warnings.end(), [](const std::string& note) {
    return note.find("intersect") != std::string::npos;
  }));
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
