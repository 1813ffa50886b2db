// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/convention_axes.h"

#include <gtest/gtest.h>

#include <map>
#include <numbers>

#include "sinew/math/quaternion.h"
#include "sinew/skeleton/pose.h"
#include "skeletons.h"

namespace sinew {
namespace {

struct Oriented {
  Skeleton skeleton;
  std::vector<Affine3> globals;
  std::vector<Mat3> axes;

  Oriented(Skeleton body, const char* convention, const Quat& world = Quat::Identity())
      : skeleton(std::move(body)) {
    globals = global_transforms(skeleton, rest_pose(skeleton).local);
    for (Affine3& global : globals) global = Affine3(world) * global;
    axes = *convention_axes(skeleton, globals, find_humanoid(skeleton, globals), convention);
  }
  const Mat3& of(const char* name) const { return axes[*skeleton.find(name)]; }
  // A child's place in its parent.
  Vec3 place(const char* parent, const char* child) const {
    return of(parent).transpose() *
           (globals[*skeleton.find(child)].translation() - globals[*skeleton.find(parent)].translation());
  }
};

Mat3 rows(double a, double b, double c, double d, double e, double f, double g, double h, double i) {
  Mat3 m;
  m << a, b, c, d, e, f, g, h, i;
  return m;
}

// Bases of SkeletonProfileHumanoid's reference pose, each in its parent's.
TEST(ConventionAxes, AreThoseOfGodotsHumanoid) {
  const Mat3 same = Mat3::Identity(), half = rows(-1, 0, 0, 0, 1, 0, 0, 0, -1);
  const std::map<std::string, Mat3> shoulders = {{"Left", rows(0, 1, 0, 0, 0, 1, 1, 0, 0)},
                                                 {"Right", rows(0, -1, 0, 0, 0, 1, -1, 0, 0)}};
  const std::map<std::string, Mat3> elbows = {{"Left", rows(0, 0, -1, 0, 1, 0, 1, 0, 0)},
                                              {"Right", rows(0, 0, 1, 0, 1, 0, -1, 0, 0)}};
  const Oriented body(mixamo_body(), "godot");
  const auto expect = [&](const std::string& parent, const std::string& child, const Mat3& wanted,
                          double most) {
    const Mat3 relative = body.of(parent.c_str()).transpose() * body.of(child.c_str());
    EXPECT_LT((relative - wanted).cwiseAbs().maxCoeff(), most) << child << "\n" << relative;
  };
  EXPECT_LT((body.of("Hips") - same).norm(), 1e-9);
  for (const char* pair[] = {"Hips", "Spine", "Spine1", "Spine2", "Neck", "Head"};
       const int k : {0, 1, 2, 3, 4})
    expect(pair[k], pair[k + 1], same, 1e-9);
  for (const std::string side : {"Left", "Right"}) {
    expect("Spine2", side + "Shoulder", shoulders.at(side), 1e-9);
    expect(side + "Shoulder", side + "Arm", half, 1e-9);
    expect(side + "Arm", side + "ForeArm", elbows.at(side), 1e-9);
    expect(side + "ForeArm", side + "Hand", elbows.at(side).transpose(), 0.1);  // fingers fan out
    expect(side + "HandMiddle1", side + "HandMiddle2", same, 1e-9);
    expect("Hips", side + "UpLeg", rows(-1, 0, 0, 0, -1, 0, 0, 0, 1), 0.06);  // knees bend a little
    expect(side + "UpLeg", side + "Leg", half, 0.12);
  }
}

// Of the mannequin: which way along its x each limb goes on, and which way a positive angle about Unreal's z bends
// it. Unreal exchanges y and z on import: its z is y here, and turns the other way round.
TEST(ConventionAxes, AreThoseOfUnrealsMannequin) {
  const Oriented body(mixamo_body(), "unreal");
  struct Limb {
    const char *joint, *child;
    double sign;
    Vec3 bends;
  };
  const Vec3 front = Vec3::UnitZ(), down = -Vec3::UnitY();
  for (const Limb& limb :
       {Limb{"Hips", "Spine", 1, front}, Limb{"Spine1", "Spine2", 1, front},
        Limb{"LeftArm", "LeftForeArm", 1, front}, Limb{"RightArm", "RightForeArm", -1, front},
        Limb{"LeftForeArm", "LeftHand", 1, front}, Limb{"RightForeArm", "RightHand", -1, front},
        Limb{"LeftUpLeg", "LeftLeg", -1, -front}, Limb{"RightUpLeg", "RightLeg", 1, -front},
        Limb{"LeftLeg", "LeftFoot", -1, -front}, Limb{"RightLeg", "RightFoot", 1, -front},
        Limb{"LeftHandIndex1", "LeftHandIndex2", 1, down},
        Limb{"RightHandIndex1", "RightHandIndex2", -1, down}}) {
    const Vec3 place = body.place(limb.joint, limb.child);
    EXPECT_NEAR(place.x(), limb.sign * place.norm(), 1e-9) << limb.joint;
    const Mat3& axes = body.of(limb.joint);
    EXPECT_NEAR(axes.determinant(), 1, 1e-12);
    const Vec3 after = Eigen::AngleAxisd(-0.2, Vec3(axes.col(1))) * (axes * place);
    EXPECT_GT((after - axes * place).normalized().dot(limb.bends), 0.9) << limb.joint;
  }
  // A foot stands upright: its toes are to the front, along Unreal's y.
  EXPECT_GT(body.place("LeftFoot", "LeftToeBase").z(), 0.1);
  EXPECT_LT(body.place("RightFoot", "RightToeBase").z(), -0.1);
}

TEST(ConventionAxes, TurnWithTheBody) {
  const Quat world(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()));  // z is up
  for (const char* const name : axes_names()) {
    const Oriented here(mixamo_body(), name), there(mixamo_body(), name, world);
    for (std::size_t j = 0; j < here.axes.size(); ++j) {
      EXPECT_LT((world.toRotationMatrix() * here.axes[j] - there.axes[j]).norm(), 1e-6)
          << name << " " << here.skeleton[j].name;
    }
  }
}

TEST(ConventionAxes, OfABodyWithoutArmsLieAlongItsBones) {
  std::mt19937 random(5);
  const Skeleton chain = bent_chain(6, random);
  const Oriented bone(chain, "bone"), unreal(chain, "unreal"), godot(chain, "godot");
  for (std::size_t j = 0; j + 1 < 6; ++j) {
    const Vec3 along = (bone.globals[j + 1].translation() - bone.globals[j].translation()).normalized();
    EXPECT_LT((bone.axes[j].col(1) - along).norm(), 1e-9);
    EXPECT_LT((godot.axes[j] - bone.axes[j]).norm(), 1e-9);
    EXPECT_LT((unreal.axes[j].col(0) - along).norm(), 1e-9);
    EXPECT_LT((unreal.axes[j].col(2) - bone.axes[j].col(2)).norm(), 1e-9);
  }
}

TEST(ConventionAxes, UnknownWordsAreUsageErrors) {
  const auto answer = convention_axes({}, {}, {}, "quake");
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kUsage);
  EXPECT_NE(answer.error().message.find("bone, godot or unreal"), std::string::npos);
}

}  // namespace
}  // namespace sinew
