// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <numeric>

#include "binding/small_rigs.h"
#include "sinew/characters/characters.h"

namespace sinew {
namespace {

// The bar of two bones, bound so that the second carries a share that rises from 0 to 1 over `width` around
// their joint at x = 2.
Rig ramp_bar(double width) {
  Rig rig = test::small_bar();
  rig.weights = {};
  rig.parts[0].skinned = true;
  for (const Vec3& p : rig.mesh.positions) {
    const double share = std::clamp((p.x() - 2) / width + 0.5, 0.0, 1.0);
    const std::vector<Influence> row{{0, 1 - share}, {1, share}};
    rig.weights.add_row(row);
  }
  return rig;
}

// Adds a small closed box as an island, bound whole to one joint.
void add_box(Rig& rig, const Vec3& low, double size, std::uint32_t joint) {
  const PolyMesh box = test::box(low, low + Vec3::Constant(size));
  const auto first = static_cast<std::uint32_t>(rig.mesh.vertex_count());
  for (const Vec3& p : box.positions) {
    rig.mesh.positions.push_back(p);
    const std::vector<Influence> row{{joint, 1.0}};
    rig.weights.add_row(row);
  }
  for (std::size_t f = 0; f < box.face_count(); ++f) {
    std::vector<std::uint32_t> corners;
    for (const std::uint32_t i : box.face(f)) corners.push_back(first + i);
    rig.mesh.add_face(corners);
  }
  rig.mesh.normals.clear();
  rig.mesh.texcoords.clear();
  rig.parts[0].vertex_count = rig.mesh.vertex_count();
  rig.parts[0].face_count = rig.mesh.face_count();
}

CheckReport checked(const Rig& rig, const CheckRequest& request = {}) {
  auto report = check(rig, request);
  EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message);
  return report.ok() ? *std::move(report) : CheckReport{};
}

bool names(const JointCheck& joint, const std::string& words) {
  return std::any_of(joint.reasons.begin(), joint.reasons.end(),
                     [&](const std::string& reason) { return reason.find(words) != std::string::npos; });
}

TEST(Check, ABarWithASmoothRampIsWhole) {
  const CheckReport report = checked(ramp_bar(2));
  EXPECT_LE(report.grade, Grade::kC);
  ASSERT_TRUE(report.joints[1].energy_ratio.has_value());
  EXPECT_FALSE(report.joints[0].energy_ratio.has_value()) << "it moves everything";
  EXPECT_EQ(report.islands, 1u);
  EXPECT_EQ(report.torn, 0u);
  EXPECT_EQ(report.unweighted, 0u);
}

TEST(Check, ASharpRampCostsMoreThanASmoothOne) {
  const double smooth = *checked(ramp_bar(2)).joints[1].energy_ratio;
  const CheckReport sharp = checked(ramp_bar(0.3));
  EXPECT_GT(*sharp.joints[1].energy_ratio, 1.2 * smooth);
}

TEST(Check, AnIslandThatStaysBehindIsTorn) {
  // A box on the far end of the bar: with the second bone it stays on, with the first it comes off.
  const Vec3 on_top(3.4, 0.45, -0.1);
  Rig good = ramp_bar(2), bad = good;
  add_box(good, on_top, 0.2, 1);
  add_box(bad, on_top, 0.2, 0);
  const CheckReport stays = checked(good), comes_off = checked(bad);
  EXPECT_EQ(stays.islands, 2u);
  EXPECT_EQ(stays.torn, 0u);
  EXPECT_EQ(comes_off.torn, 1u);
  EXPECT_TRUE(stays.faulty.empty());
  std::vector<std::uint32_t> box(8);
  std::iota(box.begin(), box.end(), static_cast<std::uint32_t>(bad.mesh.vertex_count() - 8));
  EXPECT_EQ(comes_off.faulty, box);
  EXPECT_EQ(comes_off.joints[1].grade, Grade::kF);
  EXPECT_TRUE(names(comes_off.joints[1], "an island of 8 vertices comes off"));
  EXPECT_EQ(comes_off.grade, Grade::kF) << "one joint of two is more than a tenth";
}

TEST(Check, ASeamWhoseSidesMoveApartIsTorn) {
  Rig rig = ramp_bar(2);
  // A face of the far end gets vertices of its own, bound to the first bone.
  const std::size_t before = rig.mesh.vertex_count();
  std::size_t face = 0;
  for (std::size_t f = 0; f < rig.mesh.face_count(); ++f)
    if (rig.mesh.positions[rig.mesh.face(f)[0]].x() > 3.2) face = f;
  for (std::uint32_t c = rig.mesh.face_offsets[face]; c < rig.mesh.face_offsets[face + 1]; ++c) {
    std::uint32_t& corner = rig.mesh.face_vertices[c];
    rig.mesh.positions.push_back(rig.mesh.positions[corner]);
    std::vector<Influence> row(rig.weights.row(corner).begin(), rig.weights.row(corner).end());
    rig.weights.add_row(row);
    corner = static_cast<std::uint32_t>(rig.mesh.vertex_count() - 1);
  }
  rig.mesh.normals.clear();
  rig.mesh.texcoords.clear();
  rig.parts[0].vertex_count = rig.mesh.vertex_count();
  EXPECT_EQ(checked(rig).torn, 0u) << "a seam with equal weights holds";
  SkinWeights weights;
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    const std::vector<Influence> first{{0, 1.0}};
    if (i < before)
      weights.add_row(rig.weights.row(i));
    else
      weights.add_row(first);
  }
  rig.weights = weights;
  const CheckReport report = checked(rig);
  EXPECT_EQ(report.torn, 1u);
  EXPECT_TRUE(names(report.joints[1], "a seam of"));
  // Both sides of the seam are to be looked at, and nothing else.
  ASSERT_EQ(report.faulty.size(), 2 * (rig.mesh.vertex_count() - before));
  EXPECT_TRUE(std::is_sorted(report.faulty.begin(), report.faulty.end()));
  for (const std::uint32_t i : report.faulty) EXPECT_GT(rig.mesh.positions[i].x(), 3.1);
  EXPECT_EQ(report.faulty.back(), rig.mesh.vertex_count() - 1);
  EXPECT_EQ(report.joints[1].grade, Grade::kF);
}

TEST(Check, BendsByTheLengthsThatTheRangeSays) {
  CheckRequest request;
  request.pictures = 1;
  request.range = {std::numbers::pi / 2, std::numbers::pi / 2};
  const Rig rig = ramp_bar(2);
  const CheckReport report = checked(rig, request);
  ASSERT_EQ(report.pictures.size(), 1u);
  EXPECT_NE(report.pictures[0].pose.find("90"), std::string::npos);
  ASSERT_EQ(report.pictures[0].positions.size(), rig.mesh.vertex_count());
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    const Vec3 head(2, 0, 0), &p = rig.mesh.positions[i], &q = report.pictures[0].positions[i];
    if (p.x() <= 1) {
      EXPECT_NEAR((q - p).norm(), 0, 1e-12);
    }
    if (p.x() >= 3) {
      EXPECT_NEAR((q - head).norm(), (p - head).norm(), 1e-12);
    }
  }
}

TEST(Check, AFootThatHangsOnAControlFollowsItsLeg) {
  // The bar of two bones, whose second hangs on a control beside the first.
  Rig rig = ramp_bar(2);
  std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
  joints[1].parent = -1;
  joints[1].rest_local = joints[0].rest_local * joints[1].rest_local;
  rig.skeleton = *Skeleton::create(joints);
  const CheckReport apart = checked(rig), whole = checked(ramp_bar(2));
  ASSERT_EQ(apart.warnings.size(), 1u);
  EXPECT_NE(apart.warnings[0].find("hangs on a control"), std::string::npos) << apart.warnings[0];
  EXPECT_EQ(apart.grade, whole.grade);
  EXPECT_TRUE(whole.warnings.empty());
}

TEST(Check, ARigidPartOnAControlIsNotTornByTheControlsPlace) {
  // Two boxes that touch. The second hangs on a control whose place is far below, as the feet of rigs with
  // inverse kinematics do: turned about that it leaves the first.
  Rig rig = ramp_bar(2);
  rig.mesh = test::box(Vec3(0, 0, 0), Vec3(2, 1, 1), 4);
  rig.weights = {};
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    const std::vector<Influence> row{{0, 1.0}};
    rig.weights.add_row(row);
  }
  add_box(rig, Vec3(2.001, 0, 0), 1, 1);
  std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
  joints[1].parent = -1;
  joints[1].rest_local = Affine3(Eigen::Translation3d(2.5, -3, 0.5));
  rig.skeleton = *Skeleton::create(joints);
  rig.inverse_bind[1] = joints[1].rest_local.inverse();
  const CheckReport control = checked(rig);
  EXPECT_EQ(control.islands, 2u);
  EXPECT_EQ(control.torn, 0u);
  // A joint of the leg itself must lie where the two meet.
  joints[1].parent = 0;
  joints[1].rest_local = joints[0].rest_local.inverse() * joints[1].rest_local;
  rig.skeleton = *Skeleton::create(joints);
  EXPECT_EQ(checked(rig).torn, 1u);
}

TEST(Check, JointsThatCarryNothingHaveNoGrade) {
  Rig rig = *make_character("arm", {.resolution = 400});
  const std::size_t last = rig.skeleton.deforming_count() - 1;
  SkinWeights weights;
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    std::vector<Influence> row;
    for (const Influence& influence : rig.weights.row(i))
      row.push_back(
          {influence.joint == last ? static_cast<std::uint32_t>(rig.skeleton[last].parent) : influence.joint,
           influence.weight});
    weights.add_row(row);
  }
  rig.weights = weights;
  const CheckReport report = checked(rig);
  EXPECT_FALSE(report.joints[last].grade.has_value());
  EXPECT_TRUE(report.joints[0].grade.has_value());
}

TEST(Check, RigsWithoutSkinAreImpossible) {
  Rig rig = ramp_bar(2);
  rig.weights = {};
  EXPECT_EQ(check(rig).error().code, ErrorCode::kImpossible);
  rig = {};
  rig.mesh = test::box(Vec3(0, 0, 0), Vec3(1, 1, 1));
  EXPECT_EQ(check(rig).error().code, ErrorCode::kImpossible);
}

TEST(Check, StopsWhenToldTo) {
  std::atomic<bool> stop{true};
  Progress progress;
  progress.cancel = &stop;
  CheckRequest request;
  request.progress = &progress;
  auto report = check(*make_character("arm", {.resolution = 400}), request);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace sinew
