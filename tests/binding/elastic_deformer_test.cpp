// SPDX-License-Identifier: Apache-2.0
// The elastic reference as a deformer, and what the paper says of the others beside it: the radius of a
// twisted cylinder, the profile of a bent one, the heel.
#include <gtest/gtest.h>

#include <numbers>

#include "binding/small_rigs.h"
#include "sinew/binding/joint_weights.h"
#include "sinew/characters/characters.h"
#include "sinew/io/asset.h"
#include "sinew/measure/shape.h"
#include "sinew/rig/skinned_mesh.h"
#include "sinew/volume/trilinear.h"
#include "sinew/weights/bbw.h"
#include "sinew/weights/elastic.h"
#include "support/data.h"

namespace sinew {
namespace {

TEST(ElasticDeformer, MovesRigidlyWhereTheWholeSkeletonDoes) {
  for (const char* kind : {"cylinder", "hand"}) {
    const Rig rig = *make_character(kind, {.resolution = 800});
    const auto out = test::turned(rig, rig.skeleton[0].name, Vec3(70, -20, 140),
                                  test::by(rig, "elastic", {{"voxels", 32.0}}));
    ASSERT_EQ(out.size(), rig.mesh.vertex_count());
    const double extent = bounding_box(rig.mesh.positions).diagonal().norm();
    const auto lbs = test::turned(rig, rig.skeleton[0].name, Vec3(70, -20, 140), {});  // rigid as well
    EXPECT_LT(test::largest_distance(out, lbs), 1e-5 * extent) << kind;
  }
}

// Vertices of no face lie in no cell: they were drawn to the nearest one.
TEST(ElasticDeformer, VerticesOfNoFaceStayAtRestAndFollowTheirJoints) {
  SINEW_REQUIRE_DATA(data);
  auto asset = read_asset((data / "rigged_gltf" / "CesiumMan.glb").string());
  ASSERT_TRUE(asset.ok());
  Rig& rig = asset->rig;
  const auto box = bounding_box(rig.mesh.positions);
  const double extent = box.diagonal().norm();
  const std::size_t before = rig.mesh.vertex_count(), moved = rig.weights.row(0)[0].joint;
  for (const double away : {0.02, 0.3, 1.0}) {
    for (const bool bound : {true, false}) {
      rig.mesh.positions.push_back(box.max() + Vec3::Constant(away * extent));
      rig.weights.add_row(bound ? std::vector<Influence>{{static_cast<std::uint32_t>(moved), 1.0}}
                                : std::vector<Influence>());
    }
  }
  rig.mesh.normals.clear();
  rig.mesh.texcoords.clear();
  rig.parts.back().vertex_count += 6;
  const auto choice = test::by(rig, "elastic", {{"voxels", 24.0}});

  Pose bind = rest_pose(rig.skeleton);
  const std::vector<Affine3> globals = bind_transforms(rig);
  for (std::size_t j = 0; j < globals.size(); ++j) {
    const int parent = rig.skeleton[j].parent;
    bind.local[j] =
        parent < 0 ? globals[j] : globals[static_cast<std::size_t>(parent)].inverse() * globals[j];
  }
  const auto still = posed_mesh(rig, bind, choice);
  ASSERT_TRUE(still.ok()) << still.error().message;
  for (std::size_t i = before; i < rig.mesh.vertex_count(); ++i)
    EXPECT_LT((still->positions[i] - rig.mesh.positions[i]).norm(), 1e-5 * extent) << i - before;

  Pose turned = bind;
  turned.local[moved] = bind.local[moved] * Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized());
  const auto posed = posed_mesh(rig, turned, choice);
  ASSERT_TRUE(posed.ok());
  const PolyMesh expected = skinned_mesh(rig, turned);
  for (std::size_t i = before; i < rig.mesh.vertex_count(); i += 2)
    EXPECT_LT((posed->positions[i] - expected.positions[i]).norm(), 1e-5 * extent) << i - before;
}

TEST(ElasticDeformer, KeepsVolumeAndTurnsSmoothlyWhereLbsDoesNot) {
  const Rig rig = *make_character("cylinder", {.resolution = 1200});
  const TriangleView view = triangulate(rig.mesh);
  const double volume = enclosed_volume({rig.mesh.positions, view.triangles});
  const auto change = [&](const DeformChoice& request) {
    const auto out = test::turned(rig, "Upper", Vec3(0, 150, 0), request);
    return std::abs(enclosed_volume({out, view.triangles}) - volume) / volume;
  };
  const double elastic = change(test::by(rig, "elastic", {{"voxels", 32.0}}));
  EXPECT_LT(elastic, 0.1);
  EXPECT_LT(elastic, change({}));
}

TEST(ElasticDeformer, TellsItsEnergyWhichRisesWithTheTurn) {
  const Rig rig = *make_character("cylinder", {.resolution = 600});
  double before = 0;
  for (const double degrees : {0.0, 30.0, 60.0, 90.0}) {
    auto pose = make_pose(rig, {.turns = {{"Upper", Vec3(degrees, 0, 0)}}});
    const auto report = timed_frame(rig, *pose, test::by(rig, "elastic", {{"voxels", 24.0}}));
    ASSERT_TRUE(report.ok());
    ASSERT_TRUE(report->energy.has_value());
    if (degrees == 0) {
      EXPECT_LT(*report->energy, 1e-9);
    } else {
      EXPECT_GT(*report->energy, before);
    }
    before = *report->energy;
  }
}

// The stiff half keeps its shape; the soft one takes the bend.
TEST(ElasticDeformer, StiffBonesBendLess) {
  const Rig rig = *make_character("cylinder", {.resolution = 1200});
  const auto strain = [&](const std::vector<Vec3>& out) {  // of the edges of the upper half
    double sum = 0;
    for (std::size_t f = 0; f < rig.mesh.face_count(); ++f) {
      const auto face = rig.mesh.face(f);
      for (std::size_t k = 0; k < face.size(); ++k) {
        const std::uint32_t a = face[k], b = face[(k + 1) % face.size()];
        if (rig.mesh.positions[a].y() < 4.01 || rig.mesh.positions[b].y() < 4.01) continue;
        const double rest = (rig.mesh.positions[a] - rig.mesh.positions[b]).norm();
        sum += std::pow((out[a] - out[b]).norm() / rest - 1, 2);
      }
    }
    return sum;
  };
  const Vec3 bend(80, 0, 0);
  const auto even = test::turned(rig, "Upper", bend, test::by(rig, "elastic", {{"voxels", 32.0}}));
  const auto stiff =
      test::turned(rig, "Upper", bend,
                   test::by(rig, "elastic", {{"voxels", 32.0}, {"stiffness", NamedNumbers{{"Upper", 100}}}}));
  ASSERT_EQ(even.size(), stiff.size());
  EXPECT_LT(strain(stiff), 0.5 * strain(even));
  Rig painted = rig;
  painted.attributes.push_back({"_STIFF", {}});
  for (const Vec3& p : rig.mesh.positions) painted.attributes[0].values.push_back(p.y() > 4 ? 100.0f : 1.0f);
  const auto by_brush = test::turned(
      painted, "Upper", bend,
      test::by(rig, "elastic", {{"voxels", 32.0}, {"stiffness-attribute", std::string("_STIFF")}}));
  ASSERT_EQ(even.size(), by_brush.size());
  EXPECT_LT(strain(by_brush), 0.5 * strain(even));
  EXPECT_FALSE(
      posed_mesh(painted, rest_pose(rig.skeleton),
                 test::by(rig, "elastic", {{"voxels", 16.0}, {"stiffness-attribute", std::string("_SOFT")}}))
          .ok());
  for (const auto& [joint, value] : {std::pair("Nose", 2.0), std::pair("Upper", 0.0),
                                     std::pair("Upper", -1.0), std::pair("Upper", std::nan(""))}) {
    const auto stack =
        stack_with(rig, "elastic", {{"voxels", 16.0}, {"stiffness", NamedNumbers{{joint, value}}}});
    ASSERT_FALSE(stack.ok());
    EXPECT_EQ(stack.error().code, ErrorCode::kUsage);
  }
}

TEST(ElasticDeformer, KeysTurnWithTheFleshThatTheyMove) {
  Rig rig = *make_character("cylinder", {.resolution = 600});
  rig.keys.push_back({"up", std::vector<Vec3f>(rig.mesh.vertex_count(), Vec3f(0, 0, 0.1f)), {}, 0});
  const DeformChoice request = test::by(rig, "elastic", {{"voxels", 24.0}});
  auto pose = make_pose(rig, {.turns = {{"Lower", Vec3(90, 0, 0)}}, .keys = {{"up", 1}}});
  auto without = make_pose(rig, {.turns = {{"Lower", Vec3(90, 0, 0)}}});
  auto with_key = posed_mesh(rig, *pose, request), plain = posed_mesh(rig, *without, request);
  ASSERT_TRUE(with_key.ok() && plain.ok());
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)  // z turned about x goes to -y
    EXPECT_LT((with_key->positions[i] - plain->positions[i] - Vec3(0, -0.1, 0)).norm(), 1e-4);
}

// --- what the paper says ---

// The cylinder with elastic joint weights, as `rig` does.
Rig bound_cylinder(const std::string& method) {
  Rig rig = *make_character("cylinder", {.resolution = 1500});
  EXPECT_TRUE(bind(rig, {.method = method, .voxels = 32}).ok());
  EXPECT_TRUE(make_joint_weights(rig, {.voxels = 32}).ok());
  return rig;
}

// Least distance from the axis of the ring in the middle, which a twist keeps on its plane.
double middle_radius(const Rig& rig, const std::vector<Vec3>& out) {
  double least = 1e9;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (std::abs(rig.mesh.positions[i].y() - 4) < 1e-6)
      least = std::min(least, std::hypot(out[i].x(), out[i].z()));
  return least;
}

TEST(PaperStatements, LbsWrapsCandyAndSwingTwistDoesNot) {
  for (const char* method : {"bbw", "elastic"}) {
    const Rig rig = bound_cylinder(method);
    const Vec3 twist(0, 150, 0);
    // Weights of 1/2 there: the mean of two points 150 degrees apart, cos 75 degrees from the axis.
    EXPECT_NEAR(middle_radius(rig, test::turned(rig, "Upper", twist, {})),
                std::cos(75 * std::numbers::pi / 180), 0.03)
        << method;
    EXPECT_NEAR(middle_radius(rig, test::turned(rig, "Upper", twist, test::by(rig, "swing-twist"))), 1, 0.01)
        << method;
    EXPECT_NEAR(middle_radius(rig, test::turned(rig, "Upper", twist, test::by(rig, "dqs"))), 1, 0.01)
        << method;
  }
}

// How far the outside of a bend by 90 degrees goes beyond the two tubes of radius 1: above 0 where it bulges.
double bulge(const Rig& rig, const std::vector<Vec3>& out) {
  // The lower bone runs along y from 0 to 4; the upper one, turned about x by 90, along z from there.
  double most = -1e9;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (std::abs(rig.mesh.positions[i].y() - 4) > 3) continue;  // not the caps
    const Vec3 p = out[i] - Vec3(0, 4, 0);
    const double to_lower = (p - Vec3(0, std::min(p.y(), 0.0), 0)).norm(),
                 to_upper = (p - Vec3(0, 0, std::max(p.z(), 0.0))).norm();
    most = std::max(most, std::min(to_lower, to_upper) - 1);
  }
  return most;
}

TEST(PaperStatements, DqsBulgesAndSwingTwistDoesNot) {
  const Rig rig = bound_cylinder("bbw");
  const Vec3 bend(90, 0, 0);
  const double dual = bulge(rig, test::turned(rig, "Upper", bend, test::by(rig, "dqs"))),
               ours = bulge(rig, test::turned(rig, "Upper", bend, test::by(rig, "swing-twist"))),
               truth =
                   bulge(rig, test::turned(rig, "Upper", bend, test::by(rig, "elastic", {{"voxels", 32.0}})));
  EXPECT_GT(dual, 0.05);
  EXPECT_GT(dual, 3 * truth);
  EXPECT_LT(ours, truth);
}

// Figure 9 of [kavan2012]: bounded biharmonic weights leave half of the heel to the shin, elastic ones give
// it to the foot. On a lower leg with cells of 11 mm; coarser ones do not resolve the heel.
TEST(PaperStatements, TheHeelIsAttachedToTheFoot) {
  const Rig rig = *make_character("biped");
  const TriangleView view = triangulate(rig.mesh);
  std::vector<Triangle> triangles;
  for (const Triangle& t : view.triangles)
    if (std::all_of(t.begin(), t.end(), [&](std::uint32_t i) {
          return rig.mesh.positions[i].x() > 0.02 && rig.mesh.positions[i].y() < 0.4;
        }))
      triangles.push_back(t);
  const std::vector<Bone> all = bones_of(rig.skeleton, bind_transforms(rig));
  std::vector<Bone> bones;
  for (const char* name : {"LeftLeg", "LeftFoot", "LeftToeBase"})
    bones.push_back(all[*rig.skeleton.find(name)]);
  const std::vector<int> parents{-1, 0, 1};
  const WeldedTriangles welded = weld_triangles({rig.mesh.positions, triangles});
  const BindInput input{welded.view(), bones, parents};
  const auto body = make_bone_body(input, 36, nullptr);
  ASSERT_TRUE(body.ok());
  const auto bbw = grid_bbw(body->body.grid, body->handles, {});
  const auto elastic = grid_joint_weights(body->body.grid, body->handles, bones, parents);
  ASSERT_TRUE(bbw.ok() && elastic.ok());
  const TrilinearWeights transfer = trilinear_weights(body->body.grid, welded.weld.positions);
  const Eigen::MatrixXd shares = interpolate(transfer, bbw->values),
                        swings = interpolate(transfer, elastic->swing);
  double biharmonic = 0, swing = 0, count = 0;
  for (std::size_t i = 0; i < welded.weld.positions.size(); ++i) {
    const Vec3 p = welded.weld.positions[i] - bones[1].head;
    if (p.z() > -0.01 || p.y() > 0) continue;  // behind and below the ankle
    biharmonic += 1 - shares(static_cast<Eigen::Index>(i), 0);
    swing += swings(static_cast<Eigen::Index>(i), 1);
    ++count;
  }
  ASSERT_GT(count, 20);
  EXPECT_LT(biharmonic / count, 0.6);
  EXPECT_GT(swing / count, 0.75);
}

}  // namespace
}  // namespace sinew
