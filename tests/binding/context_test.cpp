// SPDX-License-Identifier: Apache-2.0
// Weights and joint weights of one binding stand on one surface and one solid voxel grid, and obey the same
// request.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "binding/small_rigs.h"
#include "sinew/binding/joint_weights.h"
#include "sinew/binding/prepare.h"
#include "sinew/binding/weight_methods.h"
#include "sinew/characters/characters.h"
#include "sinew/mesh/topology.h"
#include "sinew/weights/elastic.h"

namespace sinew {
namespace {

std::size_t most_joints(const Rig& rig) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < rig.joint_weights.vertex_count(); ++i)
    most = std::max(most, rig.joint_weights.row(i).size());
  return most;
}

TEST(Binding, JointWeightsKeepAsManyJointsAsTheWeights) {
  for (const int influences : {1, 2, 6}) {
    Rig rig = *make_character("hand", {.resolution = 1500});
    ASSERT_TRUE(
        bind(rig, {.method = "bbw", .influences = influences, .voxels = 32, .joint_weights = "skin"}).ok());
    EXPECT_LE(most_joints(rig), static_cast<std::size_t>(influences));
    EXPECT_GT(most_joints(rig), influences == 6 ? 4u : 0u);
  }
}

TEST(Binding, SmallMeshesGetFewCellsAndLargeOnesAllTheyNeed) {
  for (const int resolution : {200, 20000}) {
    const Rig rig = *make_character("biped", {.resolution = resolution});
    BindingContext context = *BindingContext::make(rig, 0, nullptr);
    const std::size_t triangles = context.surface().welded.triangles.size();
    const BoneBody* body = *context.body();
    const BoneBody* elastic = *context.elastic_body();
    if (triangles < 5000) {
      EXPECT_LT(elastic->body.grid.cell_count(), 2 * elastic_cells(context.input())) << triangles;
      EXPECT_LT(body->body.grid.cell_count(), 2 * body_cells(context.input())) << triangles;
      EXPECT_LT(elastic_cells(context.input()), kBodyCells);
      EXPECT_LT(elastic_weight_cells(context.input()), elastic_cells(context.input()));
    } else {
      EXPECT_EQ(elastic_cells(context.input()), kBodyCells);
      // What a solve for all bones takes is bounded.
      EXPECT_EQ(body_cells(context.input()), 24 * kBodyCells / context.surface().bones.size());
      EXPECT_LT(elastic_weight_cells(context.input()), body_cells(context.input()) / 2);
    }
  }
  // A resolution that was asked for is taken.
  const Rig rig = *make_character("arm", {.resolution = 200});
  BindingContext given = *BindingContext::make(rig, 40, nullptr);
  EXPECT_EQ(*given.elastic_body(), *given.body());
}

TEST(Binding, ElasticWeightsAreSolvedOnceForSkinAndJoints) {
  const Rig rig = *make_character("arm", {.resolution = 200});
  BindingContext context = *BindingContext::make(rig, 0, nullptr);
  const GridJointWeights* once = *context.joint_weights("elastic", {});
  EXPECT_EQ(*context.joint_weights("elastic", {}), once);
  const Eigen::MatrixXd swing = once->swing;
  EXPECT_EQ(swing.rows(), static_cast<Eigen::Index>((*context.weight_body())->body.grid.vertex_count()));
  const GridJointWeights* other = *context.joint_weights("elastic", {{"one-weight", true}});
  EXPECT_NE(other->swing, swing);
  EXPECT_EQ(other->swing, other->twist);
  EXPECT_FALSE(context.joint_weights("bbw", {}).ok());
}

// A leg whose foot hangs on the control that carries the leg, not on the shin, with a pole in front of the
// knee. All three bones moved by one rotation take all of the skin along.
TEST(Binding, JointWeightsKnowASkinThatContinuesAcrossControls) {
  Rig rig = test::small_rig(test::capped_cylinder(0.5, 6, 16, 31), {{-1, Vec3(0.1, 0, 0)},
                                                                    {0, Vec3(0.2, 0, 0)},
                                                                    {1, Vec3(2, 0, 0)},
                                                                    {0, Vec3(4, 0, 0), Vec3(5.8, 0, 0)},
                                                                    {0, Vec3(2, 2, 0), Vec3(2, 2.5, 0)}});
  rig.weights = {};
  for (const Vec3& p : rig.mesh.positions)
    rig.weights.add_row(std::vector<Influence>{{p.x() < 2 ? 1u : p.x() < 4 ? 2u : 3u, 1.0}});
  ASSERT_TRUE(bind(rig, {.method = "elastic", .voxels = 32, .joint_weights = ""}).ok());
  for (const JointInfluence& influence : rig.joint_weights.entries)
    ASSERT_TRUE(influence.joint >= 1 && influence.joint <= 3) << influence.joint;
  const std::vector<Affine3> rest = global_transforms(rig.skeleton, rest_pose(rig.skeleton).local);
  const Vec3 hip = rest[1].translation();
  const Affine3 turn =
      Eigen::Translation3d(hip) * Eigen::AngleAxisd(1.2, Vec3::UnitZ()) * Eigen::Translation3d(-hip);
  Pose pose = rest_pose(rig.skeleton);
  for (const std::size_t joint : {1u, 3u}) pose.local[joint] = rest[0].inverse() * turn * rest[joint];
  const auto moved = posed_mesh(rig, pose, test::by(rig, "swing-twist"));
  ASSERT_TRUE(moved.ok()) << moved.error().message;
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    ASSERT_LT((moved->positions[i] - turn * rig.mesh.positions[i]).norm(), 1e-4) << rig.mesh.positions[i];
}

// Eyeballs beside a head: followed, they move rigidly with it; on their own, they have rows of their own.
TEST(Binding, JointWeightsFollowIslandsAsTheWeightsDo) {
  const PolyMesh mesh = test::body_with_eyeballs();
  const Components pieces = connected_components(mesh.vertex_count(), FaceList(mesh));
  std::vector<Box3> boxes(pieces.count);
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i) boxes[pieces.of_vertex[i]].extend(mesh.positions[i]);
  const auto smallest = std::min_element(
      boxes.begin(), boxes.end(), [](const Box3& a, const Box3& b) { return a.volume() < b.volume(); });
  const auto eye = static_cast<std::uint32_t>(smallest - boxes.begin());
  // Joints below both sides of the eye, so that weights of its own differ from vertex to vertex.
  const Vec3 at = 0.7 * smallest->center();
  const auto bound = [&](bool decide, std::vector<std::string> layers) {
    Rig rig = test::small_rig(mesh, {{-1, at - Vec3(0.9, 0, 0)},
                                     {0, at - Vec3(0.15, 0, 0)},
                                     {1, at + Vec3(0.15, 0, 0), at + Vec3(0.6, 0, 0)}});
    EXPECT_TRUE(bind(rig, {.method = "bbw",
                           .voxels = 24,
                           .joint_weights = "skin",
                           .islands = {.decide = decide, .layers = std::move(layers)}})
                    .ok());
    return rig;
  };
  const auto rows_differ = [&](const Rig& rig) {
    std::set<std::vector<float>> rows;
    for (std::size_t i = 0; i < mesh.vertex_count(); ++i) {
      if (pieces.of_vertex[i] != eye) continue;
      std::vector<float> row;
      for (const JointInfluence& one : rig.joint_weights.row(i)) row.push_back(one.deformer_weight);
      rows.insert(row);
    }
    return rows.size() > 1;
  };
  EXPECT_FALSE(rows_differ(bound(true, {})));
  EXPECT_TRUE(rows_differ(bound(false, {}))) << "islands on their own were followed";
  EXPECT_FALSE(rows_differ(bound(false, {"1", "2"}))) << "islands that are linked follow";
}

TEST(Binding, ABodyIsMadeOnce) {
  Rig rig = *make_character("arm", {.resolution = 500});
  int bodies = 0;
  Progress progress;
  progress.report = [&](std::string_view stage, double fraction) {
    bodies += stage == "voxel grid" && fraction == 0;
  };
  ASSERT_TRUE(
      bind(rig, {.method = "bbw", .voxels = 24, .joint_weights = "elastic", .progress = &progress}).ok());
  EXPECT_EQ(bodies, 1);
}

TEST(Binding, SettingsOfAMethodAreCheckedAndCount) {
  const Rig made = *make_character("arm", {.resolution = 500});
  for (const WeightOption& option : weight_options()) {
    Rig rig = made;
    BindRequest request{.method = std::string(option.owners[0].first), .voxels = 16};
    request.settings[std::string(option.descriptor.option)] = Setting(NamedWords{{"x", "y"}});  // never fits
    const auto report = bind(rig, request);
    ASSERT_FALSE(report.ok()) << option.descriptor.option;
    EXPECT_EQ(report.error().parameter, option.descriptor.option);
  }
  // A wider capsule takes more of the mesh.
  const auto share = [&](const Settings& settings) {
    Rig rig = made;
    EXPECT_TRUE(bind(rig, {.method = "envelope", .settings = settings}).ok());
    double sum = 0;
    for (const Influence& one : rig.weights.entries) sum += one.joint == 1 ? one.weight : 0;
    return sum;
  };
  const double usual = share({});
  EXPECT_GT(share({{"radii", NamedNumbers{{made.skeleton[1].name, 1.0}}}}), 1.2 * usual);
  EXPECT_NE(share({{"smoothing", 5.0}}), usual);
  EXPECT_NE(share({{"outlier", 0.6}}), usual);
  Rig rig = made;
  EXPECT_EQ(bind(rig, {.method = "elastic", .settings = {{"swing-samples", 3.0}}}).error().parameter,
            "swing-samples");
  EXPECT_EQ(bind(rig, {.method = "bbw", .settings = {{"jelly", 3.0}}}).error().code, ErrorCode::kUsage);
}

TEST(Prepare, MakesWhatIsMissingAndTellsIt) {
  Rig rig = *make_character("arm", {.resolution = 500});
  rig.endpoint = {};
  rig.joint_weights = {};
  DeformerData data;
  const DeformerNeeds needs{
      .endpoints = true, .joint_weights = true, .voxels = 24, .elastic = ElasticSettings{.voxels = 16}};
  EXPECT_FALSE(is_ready(rig, needs));
  const auto report = prepare(rig, needs, data);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_GE(report->made.size(), 3u);
  EXPECT_FALSE(rig.endpoint.empty());
  EXPECT_FALSE(rig.joint_weights.empty());
  ASSERT_NE(data.elastic, nullptr);
  EXPECT_TRUE(validate(rig).ok());
  const auto again = prepare(rig, needs, data);
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->made.empty());
}

}  // namespace
}  // namespace sinew
