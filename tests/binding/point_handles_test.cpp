// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/point_handles.h"

#include <gtest/gtest.h>

#include "sinew/binding/bind.h"
#include "sinew/characters/characters.h"
#include "sinew/deform/lbs.h"
#include "sinew/deform/points.h"
#include "sinew/io/gltf.h"
#include "sinew/measure/shape.h"
#include "sinew/player/pose_request.h"

namespace sinew {
namespace {

// The biped with bone handles by bounded biharmonic weights, the truth, and point handles at its joints.
const Rig& biped() {
  static const Rig rig = [] {
    auto made = make_character("biped", {.resolution = 3000});
    EXPECT_TRUE(made.ok());
    EXPECT_TRUE(bind(*made, {.method = "bbw", .influences = 8}).ok());
    const auto report = make_point_handles(*made);
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message);
    return *std::move(made);
  }();
  return rig;
}

std::vector<Vec3> run(const Rig& rig, Result<std::unique_ptr<Deformer>> deformer,
                      const PoseRequest& request) {
  EXPECT_TRUE(deformer.ok());
  const auto pose = make_pose(rig, request);
  EXPECT_TRUE(pose.ok());
  std::vector<Affine3> globals(rig.skeleton.size()), matrices(rig.skeleton.size());
  forward_kinematics(rig.skeleton, pose->local, globals);
  skinning_matrices(rig, globals, matrices);
  std::vector<Vec3f> rest, normals = rig.mesh.normals, positions(rig.mesh.vertex_count()), turned = positions;
  for (const Vec3& p : rig.mesh.positions) rest.push_back(p.cast<float>());
  const auto workspace = (*deformer)->make_workspace();
  (*deformer)->deform({rest, normals, globals, matrices, {}}, *workspace, positions, turned);
  std::vector<Vec3> out;
  for (const Vec3f& p : positions) out.push_back(p.cast<double>());
  return out;
}

TEST(PointHandles, StandAtTheJointsAndRowsAreWhole) {
  const Rig& rig = biped();
  EXPECT_GT(rig.points.points.size(), 17u);
  const auto bind = bind_transforms(rig);
  for (const PointHandle& point : rig.points.points) {
    ASSERT_GE(point.joint, 0);
    if (point.name.ends_with(" tip")) continue;
    EXPECT_LT((point.position - bind[static_cast<std::size_t>(point.joint)].translation()).norm(), 1e-9);
  }
  for (std::size_t i = 0; i < rig.points.weights.size(); ++i) {
    double sum = 0;
    for (const ControlRows::Entry& entry : rig.points.weights[i]) sum += static_cast<double>(entry.weight);
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST(PointHandles, RestAndRigidMotionsAreKept) {
  const Rig& rig = biped();
  const double size = bounding_box(rig.mesh.positions).diagonal().norm();
  const std::vector<Vec3> still = run(rig, build_points(rig), {});
  const std::vector<Vec3> turned =
      run(rig, build_points(rig), {.turns = {{rig.skeleton[0].name, Vec3(0, 90, 0)}}});
  const Vec3 pivot = bind_transforms(rig)[0].translation();
  const Affine3 motion = Eigen::Translation3d(pivot) * Eigen::AngleAxisd(std::acos(0.0), Vec3::UnitY()) *
                         Eigen::Translation3d(-pivot);
  for (std::size_t i = 0; i < still.size(); ++i) {
    EXPECT_LT((still[i] - rig.mesh.positions[i]).norm(), 1e-5 * size);
    EXPECT_LT((turned[i] - motion * rig.mesh.positions[i]).norm(), 1e-4 * size);
  }
}

// Bends of arms and legs, against linear blending with bone weights.
TEST(PointHandles, BendMoreRigidlyThanLinearAndDualQuaternionBlendingOfPoints) {
  const Rig& rig = biped();
  std::vector<Vec3> truth, arap, linear, dual;
  for (const auto& [joint, angles] : std::vector<std::pair<const char*, Vec3>>{{"LeftForeArm", {0, -90, 0}},
                                                                               {"RightForeArm", {0, 60, 0}},
                                                                               {"LeftLeg", {90, 0, 0}},
                                                                               {"RightLeg", {45, 0, 0}},
                                                                               {"LeftArm", {0, 0, -60}},
                                                                               {"RightUpLeg", {-70, 0, 0}}}) {
    const PoseRequest bend{.turns = {{joint, angles}}};
    const auto add = [&](std::vector<Vec3>& all, Result<std::unique_ptr<Deformer>> deformer) {
      const std::vector<Vec3> frame = run(rig, std::move(deformer), bend);
      all.insert(all.end(), frame.begin(), frame.end());
      return frame;
    };
    const auto t = add(truth, build_lbs(rig));
    const auto a = add(arap, build_points(rig));
    const auto l = add(linear, build_points(rig, {.form = PointsForm::kLinear}));
    const auto d = add(dual, build_points(rig, {.form = PointsForm::kDualQuaternion}));
    std::printf("%-14s points %.5f, linear %.5f, dual quaternions %.5f\n", joint, shape_error(a, t).e_rms,
                shape_error(l, t).e_rms, shape_error(d, t).e_rms);
  }
  const ShapeError ours = shape_error(arap, truth), by_linear = shape_error(linear, truth),
                   by_dual = shape_error(dual, truth);
  std::printf("all            points %.5f, linear %.5f, dual quaternions %.5f\n", ours.e_rms, by_linear.e_rms,
              by_dual.e_rms);
  EXPECT_LT(ours.e_rms, 0.7 * by_linear.e_rms);
  EXPECT_LT(ours.e_rms, by_dual.e_rms);
  EXPECT_LT(ours.e_rms_printed, by_linear.e_rms_printed);
  EXPECT_LT(ours.e_rms_printed, by_dual.e_rms_printed);
}

// Where the skin of a coarse finger has no vertex in some direction, no other limb's is taken for it.
TEST(PointHandles, NothingFarFromAllJointsHangsOnThem) {
  const Rig& rig = biped();
  const std::vector<Affine3> bind = bind_transforms(rig);
  const auto height_of = [&](const char* name) { return bind[*rig.skeleton.find(name)].translation().y(); };
  const double knee = height_of("LeftLeg"), hip = height_of("LeftUpLeg"), ankle = height_of("LeftFoot");
  const auto between = [](double y, double low, double high) {
    return y > low + 0.3 * (high - low) && y < low + 0.7 * (high - low);
  };
  std::size_t hung = 0, legs = 0;
  const std::vector<std::uint32_t> proximal = proximal_vertices(rig);
  for (const std::uint32_t i : proximal) {
    const Vec3& p = rig.mesh.positions[i];
    if (std::abs(p.x()) < 0.3 && (between(p.y(), knee, hip) || between(p.y(), ankle, knee))) ++hung;
  }
  for (const Vec3& p : rig.mesh.positions) legs += std::abs(p.x()) < 0.3 && between(p.y(), knee, hip);
  EXPECT_GT(legs, 20u);
  EXPECT_EQ(hung, 0u);
}

TEST(PointHandles, GoWhereTheyAreTold) {
  Rig rig = biped();
  const auto hand = std::find_if(rig.points.points.begin(), rig.points.points.end(),
                                 [](const PointHandle& p) { return p.name == "LeftHand"; });
  ASSERT_NE(hand, rig.points.points.end());
  PointsOptions options;
  options.targets = {{static_cast<std::uint32_t>(hand - rig.points.points.begin()),
                      hand->position + Vec3(0, 0.2, 0), Quat::Identity()}};
  const std::vector<Vec3> moved = run(rig, build_points(rig, options), {});
  double most = 0;
  for (std::size_t i = 0; i < moved.size(); ++i)
    if ((rig.mesh.positions[i] - hand->position).norm() < 0.05)
      most = std::max(most, (moved[i] - rig.mesh.positions[i]).y());
  EXPECT_NEAR(most, 0.2, 0.05);
  options.targets[0].handle = 1000;
  EXPECT_EQ(build_points(rig, options).error().code, ErrorCode::kUsage);
  rig.points = {};
  EXPECT_EQ(build_points(rig).error().code, ErrorCode::kImpossible);
}

TEST(PointHandles, AreTheSameAfterARoundTrip) {
  const auto bytes = write_gltf(biped(), nullptr);
  ASSERT_TRUE(bytes.ok());
  const auto read = read_gltf(*bytes, "points.glb");
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->rig.points.points.size(), biped().points.points.size());
  EXPECT_EQ(read->rig.points.weights.offsets, biped().points.weights.offsets);
  for (std::size_t h = 0; h < read->rig.points.points.size(); ++h) {
    const PointHandle &a = read->rig.points.points[h], &b = biped().points.points[h];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(read->rig.skeleton[static_cast<std::size_t>(a.joint)].name,
              biped().skeleton[static_cast<std::size_t>(b.joint)].name);
  }
}

}  // namespace
}  // namespace sinew
