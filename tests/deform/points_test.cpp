// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/points.h"

#include <gtest/gtest.h>

#include "deform/rig_samples.h"

namespace sinew {
namespace {

// A tube along x with a handle in the middle of each end; weights run evenly from one to the other.
test::Sample handled_tube() {
  test::Sample sample = test::tube();
  sample.rig.points.points = {{"left", Vec3(0, 0, 0), -1}, {"right", Vec3(4, 0, 0), -1}};
  ControlRows& rows = sample.rig.points.weights;
  rows.offsets = {0};
  for (const Vec3& p : sample.rig.mesh.positions) {
    const auto share = static_cast<float>(p.x() / 4);
    rows.entries.push_back({0, 1 - share});
    rows.entries.push_back({1, share});
    rows.offsets.push_back(static_cast<std::uint32_t>(rows.entries.size()));
  }
  return sample;
}

Vec3 moved(const test::Output& out, std::size_t i) {
  return out.positions[i].cast<double>();
}

double mean_edge_change(const test::Sample& sample, const test::Output& out) {
  double sum = 0;
  std::size_t edges = 0;
  for (std::size_t f = 0; f < sample.rig.mesh.face_count(); ++f) {
    const auto face = sample.rig.mesh.face(f);
    for (std::size_t k = 0; k < face.size(); ++k, ++edges) {
      const std::uint32_t a = face[k], b = face[(k + 1) % face.size()];
      const double before = (sample.positions[a] - sample.positions[b]).norm();
      sum += std::abs((out.positions[a] - out.positions[b]).norm() / before - 1);
    }
  }
  return sum / static_cast<double>(edges);
}

class PointsForms : public testing::TestWithParam<PointsForm> {};
INSTANTIATE_TEST_SUITE_P(All, PointsForms,
                         testing::Values(PointsForm::kArap, PointsForm::kLinear,
                                         PointsForm::kDualQuaternion));

// One motion for all handles is the motion of the mesh, normals included.
TEST_P(PointsForms, ARigidMotionOfAllHandlesMovesTheMeshAlike) {
  const test::Sample sample = handled_tube();
  const Quat turn(Eigen::AngleAxisd(2.1, Vec3(1, 2, -1).normalized()));
  const Vec3 by(3, -1, 2);
  PointsOptions options{.form = GetParam()};
  for (std::uint32_t h = 0; h < 2; ++h)
    options.targets.push_back({h, turn * sample.rig.points.points[h].position + by, turn});
  const test::Output out = test::run(build_points(sample.rig, options), sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i) {
    EXPECT_LT((moved(out, i) - (turn * sample.rig.mesh.positions[i] + by)).norm(), 1e-5) << i;
    EXPECT_LT((out.normals[i].cast<double>() - turn * sample.normals[i].cast<double>()).norm(), 1e-5) << i;
  }
}

// A handle pulled away along the tube: linear blending stretches it evenly.
TEST(LinearPoints, StretchEvenly) {
  const test::Sample sample = handled_tube();
  const PointsOptions options{.targets = {{1, Vec3(6, 0, 0), Quat::Identity()}}, .form = PointsForm::kLinear};
  const test::Output out = test::run(build_points(sample.rig, options), sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i) {
    const Vec3 p = sample.rig.mesh.positions[i];
    EXPECT_LT((moved(out, i) - Vec3(1.5 * p.x(), p.y(), p.z())).norm(), 1e-5) << i;
  }
}

// A handle turned about the tube: unit quaternions of one axis blend by their tangents, radii stay.
TEST(DualQuaternionPoints, TwistWithoutShrinking) {
  const test::Sample sample = handled_tube();
  const double angle = 2.4;
  const PointsOptions options{.targets = {{1, Vec3(4, 0, 0), Quat(Eigen::AngleAxisd(angle, Vec3::UnitX()))}},
                              .form = PointsForm::kDualQuaternion};
  const test::Output out = test::run(build_points(sample.rig, options), sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i) {
    const Vec3 p = sample.rig.mesh.positions[i];
    const double share = p.x() / 4;
    const double half = std::atan2(share * std::sin(angle / 2), 1 - share + share * std::cos(angle / 2));
    const Vec3 wanted = Eigen::AngleAxisd(2 * half, Vec3::UnitX()) * p;
    EXPECT_LT((moved(out, i) - wanted).norm(), 1e-5) << i;
  }
}

// Ends turned by 100 degrees to both sides are nearer to each other through the back: the middle turns by
// 180.
TEST(DualQuaternionPoints, TakeTheShorterWay) {
  const test::Sample sample = handled_tube();
  const auto turn = [](double degrees) {
    return Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Vec3::UnitX()));
  };
  const PointsOptions options{.targets = {{0, Vec3(0, 0, 0), turn(-100)}, {1, Vec3(4, 0, 0), turn(100)}},
                              .form = PointsForm::kDualQuaternion};
  const test::Output out = test::run(build_points(sample.rig, options), sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i) {
    const Vec3 p = sample.rig.mesh.positions[i];
    if (std::abs(p.x() - 2) > 1e-9) continue;
    EXPECT_LT((moved(out, i) - Vec3(p.x(), -p.y(), -p.z())).norm(), 1e-5) << i;
  }
}

// A handle of a joint goes with it, one of none stays; what the step before made is the shape at rest.
TEST_P(PointsForms, FollowTheirJointsFromWhateverShapeCameIn) {
  test::Sample sample = handled_tube();
  for (PointHandle& point : sample.rig.points.points) point.joint = 1;
  for (Vec3f& p : sample.positions) p.y() *= 0.5f;
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[1] = local[1] * Eigen::AngleAxisd(0.8, Vec3::UnitZ());
  test::set_pose(sample, local);
  const test::Output out = test::run(build_points(sample.rig, {.form = GetParam()}), sample);
  for (PointHandle& point : sample.rig.points.points) point.joint = -1;
  const test::Output still = test::run(build_points(sample.rig, {.form = GetParam()}), sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i) {
    const Vec3 p = sample.positions[i].cast<double>();
    EXPECT_LT((moved(out, i) - sample.matrices[1] * p).norm(), 1e-5) << i;
    EXPECT_LT((moved(still, i) - p).norm(), 1e-5) << i;
  }
}

// Those that hang on the handles are where blending puts them; the others have less energy than that.
TEST(ArapPoints, HoldTheProximalVerticesAndRelaxTheRest) {
  const test::Sample sample = handled_tube();
  PointsOptions options{.targets = {{1, Vec3(3, 2, 0), Quat(Eigen::AngleAxisd(1.2, Vec3::UnitZ()))}},
                        .iterations = 60};
  const auto proximal = proximal_vertices(sample.rig, options);
  const test::Output arap = test::run(build_points(sample.rig, options), sample);
  options.form = PointsForm::kLinear;
  const test::Output linear = test::run(build_points(sample.rig, options), sample);
  ASSERT_GT(proximal.size(), 0u);
  ASSERT_LT(proximal.size(), sample.positions.size() / 2);
  for (const std::uint32_t i : proximal)
    EXPECT_LT((arap.positions[i] - linear.positions[i]).norm(), 1e-5f) << i;
  EXPECT_LT(mean_edge_change(sample, arap), 0.7 * mean_edge_change(sample, linear));
}

TEST(ProximalVertices, LieNearAHandleOrHangOnItAlmostAlone) {
  const test::Sample sample = handled_tube();
  const auto near = [&](std::size_t i, double radius) {
    double away = 1e9, nearest = 1e9;
    for (const Vec3& p : sample.rig.mesh.positions) nearest = std::min(nearest, p.norm());
    for (const PointHandle& point : sample.rig.points.points)
      away = std::min(away, (sample.rig.mesh.positions[i] - point.position).norm());
    return away <= radius * nearest;
  };
  // The two ends are alike, so one distance serves both handles.
  for (const double radius : {1.001, 3.001}) {
    const auto list = proximal_vertices(sample.rig, {.radius = radius});
    std::vector<bool> chosen(sample.positions.size());
    for (const std::uint32_t i : list) chosen[i] = true;
    for (std::size_t i = 0; i < chosen.size(); ++i) EXPECT_EQ(chosen[i], near(i, radius)) << i;
  }
  const auto heavy = proximal_vertices(sample.rig, {.radius = 0, .weight = 0.88});
  std::size_t wanted = 0;
  for (const Vec3& p : sample.rig.mesh.positions) wanted += std::abs(p.x() - 2) >= 1.52;
  EXPECT_EQ(heavy.size(), wanted);
}

// A joint near the top of a thick limb: its ring reaches the bottom too.
TEST(ProximalVertices, GoAllRoundAJointThatIsNotInTheMiddle) {
  test::Sample sample = handled_tube();
  Rig& rig = sample.rig;
  const std::vector<Affine3> bind = bind_transforms(rig);
  const Vec3 joint = bind[1].translation();
  rig.points.points = {{"joint", joint, 1}};
  rig.points.weights = {};
  rig.points.weights.offsets = {0};
  for (Vec3& p : rig.mesh.positions) {
    p.y() += p.y() < 0 ? -3.0 : 0.0;
    rig.points.weights.entries.push_back({0, 1.0f});
    rig.points.weights.offsets.push_back(static_cast<std::uint32_t>(rig.points.weights.entries.size()));
  }
  const auto list = proximal_vertices(rig, {});
  double top = -1e9, bottom = 1e9;
  for (const std::uint32_t i : list) {
    top = std::max(top, rig.mesh.positions[i].y() - joint.y());
    bottom = std::min(bottom, rig.mesh.positions[i].y() - joint.y());
  }
  EXPECT_GT(top, 0);
  EXPECT_LT(bottom, -3);
}

}  // namespace
}  // namespace sinew
