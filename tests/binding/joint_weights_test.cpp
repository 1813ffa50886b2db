// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/joint_weights.h"

#include <gtest/gtest.h>

#include <random>

#include "binding/small_rigs.h"
#include "sinew/binding/prepare.h"
#include "sinew/characters/characters.h"
#include "sinew/deform/joint_based.h"
#include "sinew/io/asset.h"
#include "sinew/mesh/topology.h"
#include "sinew/mesh/weld.h"
#include "sinew/volume/voxelize.h"
#include "sinew/weights/deformer_weights.h"
#include "sinew/weights/elastic.h"
#include "support/data.h"

namespace sinew {
namespace {

void expect_whole(const Rig& rig, const std::string& what) {
  const JointWeights& weights = rig.joint_weights;
  ASSERT_EQ(weights.vertex_count(), rig.mesh.vertex_count()) << what;
  for (std::size_t i = 0; i < weights.vertex_count(); ++i) {
    double sum = 0;
    float before = 2;
    for (const JointInfluence& influence : weights.row(i)) {
      ASSERT_LT(influence.joint, rig.skeleton.deforming_count());
      sum += static_cast<double>(influence.deformer_weight);
      ASSERT_LE(influence.deformer_weight, before);
      before = influence.deformer_weight;
      for (const float value : {influence.deformer_weight, influence.swing, influence.twist}) {
        ASSERT_GE(value, 0.0f) << what << ' ' << i;
        ASSERT_LE(value, 1.0f) << what << ' ' << i;
      }
    }
    ASSERT_LE(weights.row(i).size(), 4u);
    if (!weights.row(i).empty()) {
      ASSERT_NEAR(sum, 1, 1e-5) << what << ' ' << i;
    }
  }
}

TEST(JointWeights, RowsSumToOneWithinBoundsByEveryMethod) {
  for (const char* kind : {"cylinder", "arm", "bird"})
    for (const char* method : {"elastic", "elastic-dqs", "lsq", "lsq-nonnegative", "skin"}) {
      if (kind == std::string("bird") && method[0] == 'l') continue;  // slow, and the same code
      auto rig = make_character(kind, {.resolution = 600});
      ASSERT_TRUE(rig.ok());
      auto report = make_joint_weights(*rig, {.method = method, .voxels = 24});
      ASSERT_TRUE(report.ok()) << report.error().message;
      expect_whole(*rig, std::string(kind) + ' ' + method);
      EXPECT_GT(report->voxels, 100u);
      EXPECT_EQ(rig->joint_weights.method, method);
      EXPECT_TRUE(validate(*rig).ok());
      // Nothing is left to the skin weights.
      for (std::size_t i = 0; i < rig->mesh.vertex_count(); ++i)
        ASSERT_FALSE(rig->joint_weights.row(i).empty());
    }
}

TEST(JointWeights, OneWeightServesSwingAndTwist) {
  Rig rig = *make_character("arm", {.resolution = 600});
  ASSERT_TRUE(make_joint_weights(rig, {.voxels = 24, .settings = {{"one-weight", true}}}).ok());
  for (const JointInfluence& influence : rig.joint_weights.entries)
    EXPECT_EQ(influence.swing, influence.twist);
  ASSERT_TRUE(make_joint_weights(rig, {.voxels = 24}).ok());
  double largest = 0;
  for (const JointInfluence& influence : rig.joint_weights.entries)
    largest = std::max(largest, std::abs(static_cast<double>(influence.swing - influence.twist)));
  EXPECT_GT(largest, 0.02);
}

TEST(JointWeights, CutSharesAreTold) {
  Rig rig = *make_character("bird", {.resolution = 600});
  auto four = make_joint_weights(rig, {.method = "skin", .voxels = 32});
  ASSERT_TRUE(four.ok());
  auto one = make_joint_weights(rig, {.method = "skin", .influences = 1, .voxels = 32});
  ASSERT_TRUE(one.ok());
  EXPECT_GT(one->pruning_error, 0.3);
  EXPECT_LE(one->pruning_error, 1);
  EXPECT_LT(four->pruning_error, one->pruning_error);
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) EXPECT_EQ(rig.joint_weights.row(i).size(), 1u);
}

TEST(JointWeights, AreTheSameForAnyOrderOfCalls) {
  Rig once = *make_character("arm", {.resolution = 600}), twice = once;
  ASSERT_TRUE(make_joint_weights(once, {.voxels = 24}).ok());
  ASSERT_TRUE(make_joint_weights(twice, {.method = "skin", .voxels = 24}).ok());
  ASSERT_TRUE(make_joint_weights(twice, {.voxels = 24}).ok());
  ASSERT_EQ(once.joint_weights.entries.size(), twice.joint_weights.entries.size());
  for (std::size_t k = 0; k < once.joint_weights.entries.size(); ++k)
    EXPECT_EQ(once.joint_weights.entries[k].swing, twice.joint_weights.entries[k].swing);
}

TEST(JointWeights, FailuresAreToldAndLeaveTheRigAlone) {
  Rig rig = *make_character("arm", {.resolution = 600});
  for (const auto& [request, code] : {std::pair(JointWeightsRequest{.method = "magic"}, ErrorCode::kUsage),
                                      std::pair(JointWeightsRequest{.influences = 0}, ErrorCode::kUsage)}) {
    auto report = make_joint_weights(rig, request);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, code);
    EXPECT_TRUE(rig.joint_weights.empty());
  }
  rig.weights = {};
  auto unbound = make_joint_weights(rig);
  ASSERT_FALSE(unbound.ok());
  EXPECT_EQ(unbound.error().code, ErrorCode::kImpossible);
  const std::atomic<bool> stop{true};
  Progress progress;
  progress.cancel = &stop;
  Rig bound = *make_character("arm", {.resolution = 600});
  auto stopped = make_joint_weights(bound, {.voxels = 24, .progress = &progress});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(bound.joint_weights.empty());
}

// Every vertex of a bone moves with the bone, to the last digit of the weights, whatever the pose.
TEST(JointWeights, BonesStayRigidInAnyPose) {
  for (const char* kind : {"arm", "bird"}) {
    const Rig rig = *make_character(kind, {.resolution = 1500});
    const TriangleView view = triangulate(rig.mesh);
    const WeldedTriangles welded = weld_triangles({rig.mesh.positions, view.triangles});
    const std::vector<Bone> bones = bones_of(rig.skeleton, bind_transforms(rig));
    VoxelizeOptions size;
    size.resolution = 48;
    auto body = voxelize(welded.view(), size);
    ASSERT_TRUE(body.ok());
    const HandleMap handles = map_handles(body->grid, handles_of(bones));
    auto share = grid_deformer_weights(body->grid, rig.skeleton, bones);
    auto moved = grid_joint_weights(body->grid, handles, bones, bone_parents(rig.skeleton));
    ASSERT_TRUE(share.ok() && moved.ok());
    // Rows on the grid, and the points.
    JointWeights weights;
    weights.offsets.push_back(0);
    std::vector<Vec3> points;
    for (std::uint32_t v = 0; v < body->grid.vertex_count(); ++v) {
      for (Eigen::Index b = 0; b < share->values.cols(); ++b)
        if (share->values(v, b) > 0)
          weights.entries.push_back({static_cast<std::uint32_t>(b), static_cast<float>(share->values(v, b)),
                                     static_cast<float>(moved->swing(v, b)),
                                     static_cast<float>(moved->twist(v, b))});
      weights.offsets.push_back(static_cast<std::uint32_t>(weights.entries.size()));
      points.push_back(body->grid.vertex_position(v));
    }
    std::mt19937 random(9);
    std::uniform_real_distribution<double> angle(-100, 100);
    Pose pose = rest_pose(rig.skeleton);
    for (std::size_t j = 0; j < rig.skeleton.deforming_count(); ++j)
      rotate_joint(rig.skeleton, j, Vec3(angle(random), angle(random), angle(random)), pose);
    const std::vector<Affine3> globals = global_transforms(rig.skeleton, pose.local);
    std::vector<Affine3> matrices(globals.size());
    skinning_matrices(rig, globals, matrices);
    const double extent = bounding_box(rig.mesh.positions).diagonal().norm();
    for (const JointBlend blend : {JointBlend::kSwingTwist, JointBlend::kLinear, JointBlend::kDqs}) {
      std::vector<Vec3> out(points.size());
      joint_based_points(rig, weights, matrices, {.blend = blend}, points, out);
      std::size_t checked = 0;
      for (std::size_t v = 0; v < points.size(); ++v)
        if (const int bone = share->bone_of_vertex[v]; bone >= 0 && handles.of_vertex[v] == bone) {
          ++checked;
          ASSERT_LT((out[v] - matrices[bones[static_cast<std::size_t>(bone)].joint] * points[v]).norm(),
                    1e-5 * extent)
              << kind << ' ' << blend_name(blend) << " vertex " << v << " of bone " << bone;
        }
      EXPECT_GT(checked, 20u);
    }
  }
}

TEST(JointWeights, RestIsTheIdentityOnCharactersNeverBound) {
  for (const char* kind : {"cylinder", "hand", "snake"}) {
    const Rig rig = *make_character(kind, {.resolution = 1000});
    ASSERT_TRUE(rig.joint_weights.empty());
    const double extent = bounding_box(rig.mesh.positions).diagonal().norm();
    for (const char* deformer : {"swing-twist", "joint-dqs", "elastic"}) {
      auto mesh = posed_mesh(rig, rest_pose(rig.skeleton), test::by(rig, deformer, {{"voxels", 40.0}}));
      ASSERT_TRUE(mesh.ok()) << mesh.error().message;
      EXPECT_LT(test::largest_distance(mesh->positions, rig.mesh.positions), 2e-6 * extent)
          << kind << ' ' << deformer;
    }
  }
}

TEST(JointWeights, TheBindPoseIsTheIdentityOnArtistsRigs) {
  SINEW_REQUIRE_DATA(data);
  for (const char* file : {"q_Snake.glb", "CesiumMan.glb"}) {
    auto asset = read_asset(data / "rigged_gltf" / file);
    ASSERT_TRUE(asset.ok()) << asset.error().message;
    const Rig& rig = asset->rig;
    const double extent = bounding_box(rig.mesh.positions).diagonal().norm();
    const std::vector<Affine3> bind = bind_transforms(rig);
    const std::vector<Affine3> still(bind.size(), Affine3::Identity());
    std::vector<Vec3f> rest, out(rig.mesh.vertex_count());
    for (const Vec3& p : rig.mesh.positions) rest.push_back(p.cast<float>());
    for (const char* name : {"swing-twist", "joint-dqs", "elastic"}) {
      Rig ready = rig;
      DeformerData made;
      const auto needs = needs_of(test::by(rig, name, {{"voxels", 40.0}}).stack);
      ASSERT_TRUE(prepare(ready, *needs, made).ok());
      EXPECT_EQ(made.elastic != nullptr, std::string(name) == "elastic");
      auto deformer = build_deformer(ready, name, {}, made);
      ASSERT_TRUE(deformer.ok()) << file << ' ' << name << ": " << deformer.error().message;
      auto workspace = (*deformer)->make_workspace();
      (*deformer)->deform({rest, {}, bind, still, {}}, *workspace, out, {});
      double largest = 0;
      for (std::size_t i = 0; i < out.size(); ++i)
        largest = std::max(largest, (out[i] - rest[i]).cast<double>().norm());
      EXPECT_LT(largest, 1e-5 * extent) << file << ' ' << name;
    }
  }
}

TEST(JointWeights, EyeballsMoveRigidlyWithTheHead) {
  const PolyMesh mesh = test::body_with_eyeballs();
  const Vec3 middle = bounding_box(mesh.positions).center();
  Rig rig = test::small_rig(mesh, {{-1, middle - Vec3(0.6, 0, 0)}, {0, middle, middle + Vec3(0.6, 0, 0)}});
  ASSERT_TRUE(bind(rig, {.method = "heat"}).ok());
  ASSERT_TRUE(make_joint_weights(rig, {.voxels = 24}).ok());
  expect_whole(rig, "eyeballs");
  const auto out = test::turned(rig, "j1", Vec3(50, 30, 20), test::by(rig, "swing-twist"));
  ASSERT_EQ(out.size(), mesh.vertex_count());
  const Components pieces = connected_components(mesh.vertex_count(), FaceList(mesh));
  ASSERT_EQ(pieces.count, 3u);
  std::vector<std::size_t> sizes(3, 0);
  for (const std::uint32_t piece : pieces.of_vertex) ++sizes[piece];
  const auto body = static_cast<std::uint32_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  for (std::uint32_t piece = 0; piece < 3; ++piece) {
    if (piece == body) continue;
    // One row for all, so that the eye's motion is one affine map: parallel edges stay so. And it does not
    // leave its socket: as far from the body's nearest vertex as before.
    std::size_t first = mesh.vertex_count(), count = 0;
    for (std::size_t i = 0; i < mesh.vertex_count(); ++i) {
      if (pieces.of_vertex[i] != piece) continue;
      if (count++ == 0) first = i;
      const auto a = rig.joint_weights.row(first), b = rig.joint_weights.row(i);
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t k = 0; k < a.size(); ++k) {
        EXPECT_EQ(a[k].joint, b[k].joint);
        EXPECT_EQ(a[k].swing, b[k].swing);
        EXPECT_EQ(a[k].twist, b[k].twist);
      }
    }
    Vec3 before = Vec3::Zero(), after = Vec3::Zero();
    for (std::size_t i = 0; i < mesh.vertex_count(); ++i)
      if (pieces.of_vertex[i] == piece) {
        before += mesh.positions[i] / static_cast<double>(count);
        after += out[i] / static_cast<double>(count);
      }
    double gap_before = 1e9, gap_after = 1e9;
    for (std::size_t i = 0; i < mesh.vertex_count(); ++i)
      if (pieces.of_vertex[i] == body) {
        gap_before = std::min(gap_before, (mesh.positions[i] - before).norm());
        gap_after = std::min(gap_after, (out[i] - after).norm());
      }
    EXPECT_NEAR(gap_after, gap_before, 0.1);
  }
}

TEST(JointWeights, ComeBackFromAGlbAndPoseTheSame) {
  Rig rig = *make_character("arm", {.resolution = 800});
  ASSERT_TRUE(make_joint_weights(rig, {.voxels = 32}).ok());
  rig.joint_weights.blends.assign(rig.skeleton.size(), JointBlend::kSwingTwist);
  rig.joint_weights.blends[1] = JointBlend::kAngle;
  GltfWriteOptions options;
  options.edit.skin = true;
  auto bytes = write_gltf(rig, nullptr, options);
  ASSERT_TRUE(bytes.ok());
  auto again = read_gltf(*bytes, "arm.glb");
  ASSERT_TRUE(again.ok()) << again.error().message;
  ASSERT_EQ(again->rig.joint_weights.vertex_count(), rig.mesh.vertex_count());
  EXPECT_EQ(again->rig.joint_weights.method, "elastic");
  const std::string joint = rig.skeleton[1].name;
  const DeformChoice request = test::by(rig, "swing-twist");
  const auto a = test::turned(rig, joint, Vec3(10, 70, 40), request),
             b = test::turned(again->rig, joint, Vec3(10, 70, 40), request);
  EXPECT_TRUE(ready_deformer(again->rig, request)->made.empty());  // nothing had to be computed
  EXPECT_LT(test::largest_distance(a, b), 1e-5);
  // The joint's own blend counts: it is not what all-swing-twist gives.
  const auto plain =
      test::turned(rig, joint, Vec3(10, 70, 40),
                   test::by(rig, "swing-twist", {{"joint", NamedWords{{joint, "swing-twist"}}}}));
  EXPECT_GT(test::largest_distance(a, plain), 1e-3);
}

}  // namespace
}  // namespace sinew
