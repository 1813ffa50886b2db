// SPDX-License-Identifier: Apache-2.0
// Fingers on the grid of a whole body: weights/refine.h, through the methods that use it.
#include <gtest/gtest.h>

#include <set>

#include "binding/small_rigs.h"
#include "sinew/binding/joint_weights.h"
#include "sinew/binding/surface.h"
#include "sinew/characters/characters.h"
#include "sinew/weights/bbw.h"

namespace sinew {
namespace {

// "LeftHandIndex2" -> "LeftHandIndex"; "" where the joint is no finger.
std::string finger_of(const std::string& joint) {
  for (const char* name : {"Thumb", "Index", "Middle", "Ring", "Pinky"})
    if (joint.find(std::string("Hand") + name) != std::string::npos) return joint.substr(0, joint.size() - 1);
  return "";
}

// The finger that a vertex belongs to by the rings it was made of, or "".
std::vector<std::string> true_fingers(const Rig& made) {
  std::vector<std::string> fingers(made.mesh.vertex_count());
  for (std::size_t i = 0; i < fingers.size(); ++i) {
    std::set<std::string> names;
    for (const Influence& influence : made.weights.row(i))
      names.insert(finger_of(made.skeleton[influence.joint].name));
    if (names.size() == 1) fingers[i] = *names.begin();
  }
  return fingers;
}

TEST(ShortBones, FingersSideBySideKeepToThemselves) {
  const Rig made = *make_character("biped", {.resolution = 1700});
  const std::vector<std::string> fingers = true_fingers(made);
  ASSERT_GT(std::count_if(fingers.begin(), fingers.end(), [](const auto& f) { return !f.empty(); }), 300);
  for (const char* method : {"bbw", "harmonic"}) {
    Rig rig = made;
    BindRequest request{.method = method};
    if (request.method == "harmonic") request.settings["volume"] = true;
    auto report = bind(rig, request);
    ASSERT_TRUE(report.ok());
    EXPECT_LT(report->max_row_error, 1e-6);
    double worst = 0;
    for (std::size_t i = 0; i < fingers.size(); ++i) {
      if (fingers[i].empty()) continue;
      double others = 0;
      for (const Influence& influence : rig.weights.row(i)) {
        const std::string finger = finger_of(rig.skeleton[influence.joint].name);
        if (!finger.empty() && finger != fingers[i]) others += influence.weight;
      }
      worst = std::max(worst, others);
    }
    EXPECT_LT(worst, 0.1) << method;
  }
}

TEST(ShortBones, FleshOfFingersMovesWithTheirOwnJoints) {
  Rig rig = *make_character("biped", {.resolution = 1700});
  const std::vector<std::string> fingers = true_fingers(rig);
  BindRequest request;
  request.flesh.emplace();
  request.flesh->tolerance = 0;  // weights alone
  ASSERT_TRUE(bind(rig, request).ok());
  const auto pose = make_pose(rig, {.turns = {{"LeftHandMiddle1", Vec3(0, 0, -60)}}});
  ASSERT_TRUE(pose.ok());
  const auto rest = posed_mesh(rig, rest_pose(rig.skeleton), {}),
             posed = posed_mesh(rig, *pose, test::by(rig, "flesh"));
  ASSERT_TRUE(rest.ok() && posed.ok());
  double others = 0, own = 0;
  for (std::size_t i = 0; i < fingers.size(); ++i) {
    const double moved = (posed->positions[i] - rest->positions[i]).norm();
    if (fingers[i] == "LeftHandMiddle") own = std::max(own, moved);
    if (fingers[i] == "LeftHandIndex" || fingers[i] == "LeftHandRing") others = std::max(others, moved);
  }
  EXPECT_GT(own, 0.05);
  EXPECT_LT(others, 0.2 * own);  // at the webs between them
}

TEST(ShortBones, OnTheCoarseGridTheyDoNotWhichIsWhatRefiningIsFor) {
  const Rig made = *make_character("biped", {.resolution = 1700});
  const Surface surface = *make_surface(made);
  auto coarse = bbw_weights(surface.input(), {.refine = false}), fine = bbw_weights(surface.input());
  ASSERT_TRUE(coarse.ok() && fine.ok());
  EXPECT_EQ(coarse->patches, 0u);
  EXPECT_EQ(fine->patches, 2u);
  EXPECT_GT(coarse->bones_merged, fine->bones_merged);
  const std::vector<float> amounts = short_bone_amounts(surface.input(), coarse->cell);
  double largest = 0;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double change =
        (fine->weights.values.row(row) - coarse->weights.values.row(row)).cwiseAbs().maxCoeff();
    if (amounts[i] == 0)
      EXPECT_EQ(change, 0) << i;  // the body is as it was
    else
      largest = std::max(largest, change);
    EXPECT_NEAR(fine->weights.values.row(row).sum(), 1, 1e-9);
    EXPECT_GE(fine->weights.values.row(row).minCoeff(), 0);
  }
  EXPECT_GT(largest, 0.3);
}

// d and s of vertices among short bones come from the skin weights such that linear joints are skinning.
TEST(ShortBones, JointsThatBlendLinearlyMoveFingersAsTheirSkinWeightsDo) {
  Rig rig = *make_character("biped", {.resolution = 1700});
  ASSERT_TRUE(make_joint_weights(rig, {.method = "skin", .influences = 8}).ok());
  const Surface surface = *make_surface(rig);
  auto body = make_bone_body(surface.input(), 0, nullptr);
  ASSERT_TRUE(body.ok());
  const std::vector<float> amounts = short_bone_amounts(surface.input(), body->body.grid.cell_size());
  rig.joint_weights.blends.assign(rig.skeleton.size(), JointBlend::kLinear);
  auto pose = make_pose(rig, {.turns = {{"LeftHandIndex1", Vec3(0, 0, -60)},
                                        {"LeftHandIndex2", Vec3(0, 0, -50)},
                                        {"LeftHandThumb2", Vec3(0, 40, 0)},
                                        {"LeftArm", Vec3(0, 30, 10)}}});
  ASSERT_TRUE(pose.ok());
  auto joints = posed_mesh(rig, *pose, test::by(rig, "swing-twist")), skin = posed_mesh(rig, *pose, {});
  ASSERT_TRUE(joints.ok() && skin.ok());
  std::size_t seen = 0;
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    if (amounts[surface.welded.weld.to_welded[i]] < 1) continue;
    EXPECT_LT((joints->positions[i] - skin->positions[i]).norm(), 2e-4) << i;
    ++seen;
  }
  EXPECT_GT(seen, 300u);
}

TEST(ShortBones, AThighBesideTheHandStaysOut) {
  // A hand of two fingers on an arm along x, and a block close to the fingers that hangs together with
  // neither.
  std::vector<PolyMesh> parts = {test::capsule(Vec3(0, 0, 0), Vec3(4, 0, 0), 0.3),
                                 test::box(Vec3(4, 0.5, -1), Vec3(6, 3, 1), 4)};
  const PolyMesh mesh = test::joined(parts);
  const std::vector<Bone> bones = {{0, Vec3(0, 0, 0), Vec3(3, 0, 0)},
                                   {1, Vec3(3, 0, 0), Vec3(3.5, 0, 0)},
                                   {2, Vec3(3.5, 0, 0), Vec3(4, 0, 0)},
                                   {3, Vec3(5, 1, 0), Vec3(5, 2.5, 0)}};
  const std::vector<int> parents = {-1, 0, 1, 0};
  const TriangleView view = triangulate(mesh);
  const std::vector<float> amounts =
      short_bone_amounts({{mesh.positions, view.triangles}, bones, parents}, 0.2);
  double arm = 0, block = 0;
  for (std::size_t i = 0; i < amounts.size(); ++i)
    (i < parts[0].vertex_count() ? arm : block) += static_cast<double>(amounts[i]);
  EXPECT_GT(arm, 1);
  EXPECT_EQ(block, 0);
}

}  // namespace
}  // namespace sinew
