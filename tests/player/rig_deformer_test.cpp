// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/binding/point_handles.h"
#include "sinew/characters/characters.h"
#include "sinew/pipeline/bake.h"
#include "sinew/pipeline/cage.h"
#include "sinew/pipeline/posed_mesh.h"
#include "sinew/player/pose_request.h"
#include "support/deform_choice.h"

namespace sinew {
namespace {

Rig posed_cylinder() {
  auto rig = make_character("cylinder", {.resolution = 500});
  EXPECT_TRUE(rig.ok());
  return *std::move(rig);
}

// The skinning sum in double, straight from the definition in rig.h.
std::vector<Vec3> by_definition(const Rig& rig, const Pose& pose) {
  const auto globals = global_transforms(rig.skeleton, pose.local);
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    Vec3 sum = Vec3::Zero();
    for (const Influence& influence : rig.weights.row(i))
      sum += influence.weight *
             (globals[influence.joint] * rig.inverse_bind[influence.joint] * rig.mesh.positions[i]);
    points.push_back(sum);
  }
  return points;
}

double largest_distance(const PolyMesh& mesh, const std::vector<Vec3>& points) {
  double largest = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    largest = std::max(largest, (mesh.positions[i] - points[i]).norm());
  return largest;
}

TEST(RigDeformer, PosesByTheDefinitionOfTheRig) {
  const Rig rig = posed_cylinder();
  auto pose = make_pose(rig, {.turns = {{rig.skeleton[1].name, Vec3(40, 10, 70)}}});
  ASSERT_TRUE(pose.ok());
  const auto mesh = posed_mesh(rig, *pose, {});
  ASSERT_TRUE(mesh.ok());
  EXPECT_LT(largest_distance(*mesh, by_definition(rig, *pose)), 1e-5 * 8);
}

TEST(RigDeformer, FramesAreSurelyFiniteOnlyWhereTheyAre) {
  const Rig rig = posed_cylinder();
  std::vector<Vec3f> out(rig.mesh.vertex_count());
  for (const char* name : {"lbs", "dqs"}) {
    const auto deformer = RigDeformer::build(rig, name);
    ASSERT_TRUE(deformer.ok());
    RigWorkspace workspace = deformer->make_workspace();
    for (const double size : {1.0, 1e6, 1e20, 1e200, std::numeric_limits<double>::infinity(), std::nan("")}) {
      Pose pose = rest_pose(rig.skeleton);
      pose.local[1].translation().x() = size;
      ASSERT_EQ(deformer->evaluate(pose, workspace, out), Status::kOk);
      const bool finite = std::all_of(out.begin(), out.end(), [](const Vec3f& p) { return p.allFinite(); });
      EXPECT_EQ(deformer->surely_finite(workspace), size < 1e12) << name << " " << size;
      EXPECT_TRUE(finite || !deformer->surely_finite(workspace)) << name << " " << size;
    }
  }
  // Rows of other programs need not sum to 1.
  Rig heavy = rig;
  for (Influence& influence : heavy.weights.entries) influence.weight *= 1e30;
  const auto deformer = RigDeformer::build(heavy, "lbs");
  ASSERT_TRUE(deformer.ok());
  RigWorkspace workspace = deformer->make_workspace();
  ASSERT_EQ(deformer->evaluate(rest_pose(rig.skeleton), workspace, out), Status::kOk);
  EXPECT_FALSE(deformer->surely_finite(workspace));
  // Other deformers are not looked through.
  const auto other = RigDeformer::build(rig, "volume");
  ASSERT_TRUE(other.ok());
  EXPECT_FALSE(other->surely_finite(other->make_workspace()));
}

TEST(RigDeformer, EveryDeformerLeavesTheRestPoseAlone) {
  Rig rig = posed_cylinder();
  ASSERT_TRUE(make_point_handles(rig).ok());
  const auto cage = auto_cage(rig, 100, nullptr);
  ASSERT_TRUE(cage.ok() && bind_cage(rig, *cage, {.resolution = 4}).ok());
  for (const DeformerMethod& method : deformer_methods()) {
    const auto mesh = posed_mesh(rig, rest_pose(rig.skeleton), test::by(rig, std::string(method.name)));
    ASSERT_TRUE(mesh.ok()) << method.name;
    EXPECT_LT(largest_distance(*mesh, rig.mesh.positions), 1e-4) << method.name;
  }
}

TEST(RigDeformer, AnUnknownDeformerIsNamedWithThoseThereAre) {
  const auto mesh = posed_mesh(posed_cylinder(), {}, test::by(posed_cylinder(), "jelly"));
  ASSERT_FALSE(mesh.ok());
  EXPECT_EQ(mesh.error().code, ErrorCode::kBadInput);  // the stack holds it, and nobody typed it
  EXPECT_NE(mesh.error().message.find("jelly"), std::string::npos);
  EXPECT_NE(mesh.error().message.find("dqs"), std::string::npos);
}

TEST(RigDeformer, NothingThatIsNotFiniteLeaves) {
  Rig rig = posed_cylinder();
  rig.keys.push_back({"up", std::vector<Vec3f>(rig.mesh.vertex_count(), Vec3f(0, 0, 2)), {}, 0});
  const auto pose = make_pose(rig, {.keys = {{"up", 1e308}}});
  ASSERT_TRUE(pose.ok());
  EXPECT_EQ(posed_mesh(rig, *pose).error().code, ErrorCode::kImpossible);
  EXPECT_EQ(timed_frame(rig, *pose).error().code, ErrorCode::kImpossible);
  EXPECT_EQ(bake(rig, {.clip = 0, .pose = {.keys = {{"up", 1e308}}}}).error().code, ErrorCode::kImpossible);
  // Where the rig does so by itself, it is the file's fault.
  rig.keys[0].default_weight = 1e300;
  EXPECT_EQ(posed_mesh(rig, rest_pose(rig.skeleton)).error().code, ErrorCode::kBadInput);
}

TEST(RigDeformer, BendAndTwistAreAboutTheBone) {
  const Rig rig = posed_cylinder();
  const auto turned = [&](double bend, double twist) {
    auto pose = make_pose(rig, {.turns = {{.joint = rig.skeleton[1].name, .bend = bend, .twist = twist}}});
    EXPECT_TRUE(pose.ok());
    const auto globals = global_transforms(rig.skeleton, pose->local);
    const auto rest = global_transforms(rig.skeleton, rest_pose(rig.skeleton).local);
    return Mat3(globals[1].linear() * rest[1].linear().inverse());
  };
  const auto bones = bones_of(rig.skeleton, global_transforms(rig.skeleton, rest_pose(rig.skeleton).local));
  const Vec3 along = (bones[1].tail - bones[1].head).normalized();
  EXPECT_LT((turned(0, 40) * along - along).norm(), 1e-9);
  EXPECT_NEAR(turned(0, 40).trace(), 1 + 2 * std::cos(40 * M_PI / 180), 1e-9);
  const Vec3 front = std::abs(along.z()) > 0.99 ? Vec3::UnitY() : Vec3::UnitZ();
  EXPECT_LT((turned(90, 0) * along - front).norm(), 1e-9);
  EXPECT_LT((turned(90, 40) - turned(90, 0) * turned(0, 40)).norm(), 1e-9);
}

TEST(RigDeformer, KeysComeBeforeTheSkin) {
  Rig rig = posed_cylinder();
  ShapeKey key{"up", std::vector<Vec3f>(rig.mesh.vertex_count(), Vec3f(0, 0, 2)), {}, 0};
  rig.keys.push_back(key);
  auto pose = make_pose(rig, {.turns = {{rig.skeleton[0].name, Vec3(90, 0, 0)}}, .keys = {{"up", 0.5}}});
  ASSERT_TRUE(pose.ok());
  const auto mesh = posed_mesh(rig, *pose, {});
  ASSERT_TRUE(mesh.ok());
  // The whole cylinder turns with its root, and the key's step with it.
  const Vec3 head = global_transforms(rig.skeleton, rest_pose(rig.skeleton).local)[0].translation();
  const Affine3 turn = Eigen::Translation3d(head) * Eigen::AngleAxisd(std::acos(0.0), Vec3::UnitX()) *
                       Eigen::Translation3d(-head);
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); i += 17)
    EXPECT_LT((mesh->positions[i] - turn * (rig.mesh.positions[i] + Vec3::UnitZ())).norm(), 1e-4);
}

TEST(PoseRequest, NamesThatAreNotThereAreUsageErrors) {
  const Rig rig = posed_cylinder();
  for (const PoseRequest& request :
       {PoseRequest{.turns = {{"nose", Vec3::Zero()}}}, PoseRequest{.keys = {{"smile", 1}}},
        PoseRequest{.clip = "no such clip"}}) {
    const auto pose = make_pose(rig, request);
    ASSERT_FALSE(pose.ok());
    EXPECT_EQ(pose.error().code, ErrorCode::kUsage);
  }
}

TEST(PoseRequest, AClipIsFoundByNameAndByNumber) {
  const Rig rig = posed_cylinder();
  ASSERT_FALSE(rig.clips.empty());
  EXPECT_EQ(*find_clip(rig, rig.clips[0].name), 0u);
  EXPECT_EQ(*find_clip(rig, "0"), 0u);
  EXPECT_FALSE(find_clip(rig, std::to_string(rig.clips.size())).ok());
}

TEST(Bake, FramesAreThePosesOfTheClip) {
  const Rig rig = posed_cylinder();
  const auto frames = bake(rig, {.clip = 0, .fps = 10});
  ASSERT_TRUE(frames.ok());
  EXPECT_EQ(frames->positions.size(),
            static_cast<std::size_t>(std::floor(rig.clips[0].duration() * 10 + 1e-6)) + 1);
  auto pose = make_pose(rig, {.clip = "0", .time = 0.3});
  const auto mesh = posed_mesh(rig, *pose, {});
  double largest = 0;
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    largest = std::max(largest, (mesh->positions[i] - frames->positions[3][i].cast<double>()).norm());
  EXPECT_LT(largest, 1e-5);
}

TEST(Bake, AStopBetweenFramesIsCancelled) {
  const Rig rig = posed_cylinder();
  const std::atomic<bool> stop{true};
  Progress progress;
  progress.cancel = &stop;
  const auto frames = bake(rig, {.clip = 0, .progress = &progress});
  ASSERT_FALSE(frames.ok());
  EXPECT_EQ(frames.error().code, ErrorCode::kCancelled);
}

TEST(Bake, FramesThatCannotBeMeantAreUsageErrors) {
  const Rig rig = posed_cylinder();
  EXPECT_EQ(bake(rig, {.clip = 7}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(bake(rig, {.clip = 0, .fps = 0}).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace sinew
