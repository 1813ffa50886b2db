// SPDX-License-Identifier: Apache-2.0
// Bodies that are no templates: the built-in ones with limbs, necks and tails longer or shorter, thicker or thinner.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "sinew/characters/characters.h"
#include "sinew/io/asset.h"
#include "sinew/pipeline/auto_rig.h"
#include "sinew/pipeline/posed_mesh.h"
#include "sinew/skeleton/pose.h"
#include "support/data.h"
#include "support/deform_choice.h"
#include "support/shapes.h"

namespace sinew {
namespace {

std::vector<Vec3> rest_heads(const Skeleton& skeleton) {
  std::vector<Vec3> heads;
  for (const Affine3& global : global_transforms(skeleton, rest_pose(skeleton).local))
    heads.push_back(global.translation());
  return heads;
}

struct Augmented {
  PolyMesh mesh;  // triangles
  std::map<std::string, Vec3> joints;
};

// Bones that begin at joints whose names hold a word of `longer` are so many times as long, with the flesh on them; all
// flesh is `thicker` about its bones.
Augmented augmented(const char* kind, const std::map<std::string, double>& longer, double thicker = 1) {
  const Rig rig = *make_character(kind, {.resolution = 4000});
  const std::vector<Vec3> heads = rest_heads(rig.skeleton);
  const std::size_t count = heads.size();
  std::vector<double> factor(count, 1);
  for (std::size_t j = 0; j < count; ++j)
    for (const auto& [word, times] : longer)
      if (rig.skeleton[j].name.find(word) != std::string::npos) factor[j] = times;
  std::vector<Vec3> moved = heads, ends(count, Vec3::Zero());
  std::vector<int> children(count, 0);
  for (const std::uint32_t j : rig.skeleton.order()) {
    const int parent = rig.skeleton[j].parent;
    if (parent < 0) continue;
    const auto above = static_cast<std::size_t>(parent);
    moved[j] = moved[above] + factor[above] * (heads[j] - heads[above]);
    ends[above] += heads[j] - heads[above];
    ++children[above];
  }
  Augmented out;
  for (std::size_t f = 0; f < rig.mesh.face_count(); ++f) {
    const auto c = rig.mesh.face(f);
    for (std::size_t k = 2; k < c.size(); ++k) out.mesh.add_face({c[0], c[k - 1], c[k]});
  }
  for (std::size_t v = 0; v < rig.mesh.vertex_count(); ++v) {
    Vec3 sum = Vec3::Zero();
    for (const Influence& one : rig.weights.row(v)) {
      const Vec3 p = rig.mesh.positions[v] - heads[one.joint];
      Vec3 along = ends[one.joint];
      if (children[one.joint] != 1 && rig.skeleton[one.joint].parent >= 0)
        along = heads[one.joint] - heads[static_cast<std::size_t>(rig.skeleton[one.joint].parent)];
      along.normalize();
      const double s = p.dot(along);
      sum += one.weight * (moved[one.joint] + factor[one.joint] * s * along + thicker * (p - s * along));
    }
    out.mesh.positions.push_back(sum);
  }
  for (std::size_t j = 0; j < count; ++j) out.joints[rig.skeleton[j].name] = moved[j];
  return out;
}

struct Change {
  const char* kind;
  std::map<std::string, double> longer;
  double thicker = 1;
  std::string text() const {
    std::string out = kind;
    for (const auto& [word, times] : longer) out += " " + word + " " + std::to_string(times);
    return out + " thickness " + std::to_string(thicker);
  }
};

TEST(AugmentedBodies, KeepTheirTemplateAndTheirJoints) {
  const std::vector<Change> changes = {
      {"biped", {{"Arm", 0.6}}},
      {"biped", {{"Arm", 1.5}}},
      {"biped", {{"Leg", 0.6}}},
      {"biped", {{"Leg", 1.6}}},
      {"biped", {{"Arm", 1.3}, {"Leg", 0.7}}},
      {"biped", {}, 0.7},
      {"biped", {}, 1.2},
      {"quadruped", {{"Leg", 0.7}, {"ForeArm", 0.7}}},
      {"quadruped", {{"Leg", 1.5}, {"ForeArm", 1.5}}},
      {"quadruped", {{"Tail", 0.5}}},
      {"quadruped", {{"Tail", 1.6}}},
      {"quadruped", {{"Neck", 1.6}}},
      {"quadruped", {}, 0.8},
      {"bird", {{"Neck", 1.5}}},
      {"bird", {{"ForeArm", 0.7}}},
  };
  for (const Change& change : changes) {
    const Augmented body = augmented(change.kind, change.longer, change.thicker);
    const PolyMesh* mesh = &body.mesh;
    const auto found = auto_skeleton({&mesh, 1}, {});
    ASSERT_TRUE(found.ok()) << change.text() << ": " << found.error().message;
    EXPECT_EQ(found->name, change.kind) << change.text();
    const std::vector<Vec3> heads = rest_heads(found->skeleton);
    const double size = bounding_box(body.mesh.positions).sizes().maxCoeff();
    double sum = 0;
    int joints = 0;
    for (const auto& [name, p] : body.joints) {
      if (name.find("Hand") != std::string::npos && name.find("Hand") + 4 < name.size()) continue;  // fingers
      const auto j = found->skeleton.find(name);
      if (!j) continue;
      sum += (heads[*j] - p).norm() / size;
      ++joints;
    }
    ASSERT_GE(joints, 18) << change.text();
    EXPECT_LT(sum / joints, 0.03) << change.text();
  }
}

// Turns every joint but the first about a random axis; half of them by more than `degrees`.
Pose random_pose(const Skeleton& skeleton, double degrees, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Pose pose = rest_pose(skeleton);
  for (const std::uint32_t j : skeleton.order()) {
    if (skeleton[j].parent < 0) continue;
    const Vec3 axis = Vec3(normal(random), normal(random), normal(random)).normalized();
    rotate_joint(skeleton, j, degrees / 0.674 * normal(random) * axis, pose);
  }
  return pose;
}

// A rig's mesh in a pose, and its joints there.
Augmented posed(const Rig& rig, const Pose& pose) {
  Augmented out;
  const auto mesh = posed_mesh(rig, pose, test::by(rig, "lbs"));
  EXPECT_TRUE(mesh.ok()) << (mesh.ok() ? "" : mesh.error().message);
  if (!mesh.ok()) return out;
  out.mesh.positions = mesh->positions;
  for (std::size_t f = 0; f < mesh->face_count(); ++f) {
    const auto c = mesh->face(f);
    for (std::size_t k = 2; k < c.size(); ++k) out.mesh.add_face({c[0], c[k - 1], c[k]});
  }
  const auto globals = global_transforms(rig.skeleton, pose.local);
  for (std::size_t j = 0; j < rig.skeleton.size(); ++j)
    out.joints[rig.skeleton[j].name] = globals[j].translation();
  return out;
}

// Mean distance, as a share of the size, of joints that both have, without fingers and what a list of words names.
double mean_off(const Augmented& body, const Skeleton& found, const std::vector<std::string>& but = {}) {
  const std::vector<Vec3> heads = rest_heads(found);
  double sum = 0;
  int joints = 0;
  for (const auto& [name, p] : body.joints) {
    const auto has = [&](const std::string& word) { return name.find(word) != std::string::npos; };
    if (has("Hand") && !name.ends_with("Hand")) continue;
    const auto j = found.find(name);
    if (!j || std::any_of(but.begin(), but.end(), has)) continue;
    sum += (heads[*j] - p).norm();
    ++joints;
  }
  EXPECT_GE(joints, 14);
  return sum / std::max(joints, 1) / bounding_box(body.mesh.positions).sizes().maxCoeff();
}

TEST(AugmentedBodies, InRandomPosesKeepTheirTemplateAndTheirSides) {
  for (const auto& [kind, most] :
       {std::pair("biped", 0.018), std::pair("quadruped", 0.035), std::pair("bird", 0.04)}) {
    const Rig rig = *make_character(kind, {.resolution = 4000});
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      const Augmented body = posed(rig, random_pose(rig.skeleton, 15, seed));
      const PolyMesh* mesh = &body.mesh;
      const auto found = auto_skeleton({&mesh, 1}, {});
      ASSERT_TRUE(found.ok()) << kind << ' ' << seed << ": " << found.error().message;
      EXPECT_EQ(found->name, kind) << seed;
      EXPECT_LT(mean_off(body, found->skeleton), most) << kind << ' ' << seed;
    }
  }
}

// A stump where an arm or a tail was, and limbs on one side that are not like those on the other.
TEST(AugmentedBodies, WithoutALimbOrWithUnequalOnesKeepTheirTemplateAndTheOtherJoints) {
  const std::vector<std::pair<Change, std::vector<std::string>>> cases = {
      {{"biped", {{"LeftHand", .05}}, 1}, {"LeftHand"}},
      {{"biped", {{"LeftHand", .05}, {"LeftForeArm", .05}}, 1}, {"LeftHand", "LeftForeArm"}},
      {{"biped", {{"RightFoot", .05}, {"RightToe", .05}, {"RightLeg", .1}}, 1},
       {"RightLeg", "RightFoot", "RightToe"}},
      {{"quadruped", {{"Tail", .03}}, 1}, {"Tail"}},
      {{"biped", {{"LeftArm", 1.4}, {"LeftForeArm", 1.4}}, 1}, {}},
      {{"biped", {{"RightUpLeg", 1.2}, {"RightLeg", 1.2}}, 1}, {}},
      {{"quadruped", {{"LeftForeArm", .6}, {"LeftHand", .6}}, 1}, {}},
      {{"bird", {{"LeftForeArm", .6}, {"LeftHand", .6}}, 1}, {}},
  };
  for (const auto& [change, gone] : cases) {
    const Augmented body = augmented(change.kind, change.longer);
    const PolyMesh* mesh = &body.mesh;
    const auto found = auto_skeleton({&mesh, 1}, {});
    ASSERT_TRUE(found.ok()) << change.text() << ": " << found.error().message;
    EXPECT_EQ(found->name, change.kind) << change.text();
    EXPECT_LT(mean_off(body, found->skeleton, gone), 0.013) << change.text();
  }
}

// How far a joint of a changed body is found from where it was, as a share of the size.
double off_by(const char* kind, const PolyMesh& mesh, const std::string& joint, const Vec3& wanted) {
  SkeletonRequest request;
  request.skeleton_template = kind;
  const PolyMesh* one = &mesh;
  const auto found = auto_skeleton({&one, 1}, request);
  if (!found.ok()) return 1;
  const auto j = found->skeleton.find(joint);
  return j ? (rest_heads(found->skeleton)[*j] - wanted).norm() /
                 bounding_box(mesh.positions).sizes().maxCoeff()
           : 1;
}

// A tail a third as thick: its first joint is inside the rump, which is as it was.
TEST(AugmentedBodies, TheFirstJointOfATailDoesNotDependOnHowThickItIs) {
  Augmented body = augmented("quadruped", {});
  const std::vector<Vec3> bones = {body.joints["Tail"], body.joints["Tail1"], body.joints["Tail2"],
                                   body.joints["Tail3"], Vec3(0, .365, -.718)};
  for (Vec3& p : body.mesh.positions) {
    if (p.z() > -0.42) continue;
    Vec3 centre = bones[0];
    for (std::size_t k = 1; k < bones.size(); ++k) {
      const Vec3 bone = bones[k] - bones[k - 1];
      const double t = std::clamp((p - bones[k - 1]).dot(bone) / bone.squaredNorm(), 0.0, 1.0);
      if (const Vec3 near = bones[k - 1] + t * bone; (p - near).norm() < (p - centre).norm()) centre = near;
    }
    p = centre + (p - centre) / 3;
  }
  EXPECT_LT(off_by("quadruped", body.mesh, "Tail", bones[0]), 0.01);
}

// Thighs that are flat behind: hips stay where the pelvis is.
TEST(AugmentedBodies, HipsStayInThePelvisWhereThighsAreFlat) {
  Augmented body = augmented("biped", {});
  for (Vec3& p : body.mesh.positions)
    if (p.y() < 0.9 && p.y() > 0.45 && p.z() < 0) p.z() *= 0.3;
  EXPECT_LT(off_by("biped", body.mesh, "LeftUpLeg", body.joints["LeftUpLeg"]), 0.01);
}

// A tail of its own on a biped, and a horn on a quadruped's head, change nothing else.
TEST(AugmentedBodies, ATailOrAHornMoreLeavesTheTemplate) {
  const Augmented biped = augmented("biped", {}), quadruped = augmented("quadruped", {});
  const Vec3 hips = biped.joints.at("Hips"), head = quadruped.joints.at("Head");
  const PolyMesh with_tail =
      test::joined({biped.mesh, test::capsule(hips, hips + Vec3(0, -0.25, -0.7), 0.04)});
  const PolyMesh with_horn =
      test::joined({quadruped.mesh, test::capsule(head, head + Vec3(0, 0.3, 0.15), 0.02)});
  for (const auto& [mesh, kind] : {std::pair(&with_tail, "biped"), std::pair(&with_horn, "quadruped")}) {
    const PolyMesh* one = mesh;
    const auto found = auto_skeleton({&one, 1}, {});
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->name, kind);
  }
}

// A spider in 15 pieces: made unlike its own image its legs are no props, and what is left without them no biped.
TEST(AugmentedBodies, LegsThatAreNoImagesOfEachOtherAreNotWhatABodyHolds) {
  SINEW_REQUIRE_DATA(data);
  const auto asset = read_asset(data / "rigged_gltf" / "q_Spider.glb");
  ASSERT_TRUE(asset.ok()) << asset.error().message;
  const auto still = posed_mesh(asset->rig, rest_pose(asset->rig.skeleton), test::by(asset->rig, "lbs"));
  ASSERT_TRUE(still.ok()) << still.error().message;
  PolyMesh mesh = *still;
  const Box3 box = bounding_box(mesh.positions);
  const double high = box.min().y() + 0.78 * box.sizes().y();
  const Vec3 centre(box.center().x(), high, box.center().z());
  for (Vec3& p : mesh.positions)
    if (p.y() > high) p = centre + 0.6 * (p - centre);
  const PolyMesh* one = &mesh;
  const auto found = auto_skeleton({&one, 1}, {});
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->name, "none");
}

// A shark made higher: the lobes of its tail are no feet of somebody on his side.
TEST(AugmentedBodies, AFishIsNoManOnHisSide) {
  SINEW_REQUIRE_DATA(data);
  const auto asset = read_asset(data / "rigged_gltf" / "q_Shark.glb");
  ASSERT_TRUE(asset.ok()) << asset.error().message;
  const auto still = posed_mesh(asset->rig, rest_pose(asset->rig.skeleton), test::by(asset->rig, "lbs"));
  ASSERT_TRUE(still.ok()) << still.error().message;
  for (const double higher : {1.0, 1.35, 1.7, 2.0}) {
    PolyMesh mesh = *still;
    for (Vec3& p : mesh.positions) p.y() *= higher;
    const PolyMesh* one = &mesh;
    const auto found = auto_skeleton({&one, 1}, {});
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->name, higher < 1.5 ? "snake" : "none") << higher;
  }
}

// A knight with one forearm that is short, or long, is nearly its own image, and no hand.
TEST(AugmentedBodies, WhatIsItsOwnImageIsNoHand) {
  SINEW_REQUIRE_DATA(data);
  const auto asset = read_asset(data / "rigged_gltf" / "q_KnightCharacter.glb");
  ASSERT_TRUE(asset.ok()) << asset.error().message;
  const auto forearm = asset->rig.skeleton.find("LowerArm.L");
  ASSERT_TRUE(forearm.has_value());
  for (const double longer : {0.1, 1.5}) {
    Pose pose = rest_pose(asset->rig.skeleton);
    pose.bones.resize(asset->rig.skeleton.size());
    pose.bones[*forearm].stretch = longer;
    const auto mesh = posed_mesh(asset->rig, pose, test::by(asset->rig, "stretch-lbs"));
    ASSERT_TRUE(mesh.ok()) << mesh.error().message;
    const PolyMesh* one = &*mesh;
    const auto found = auto_skeleton({&one, 1}, {});
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->name, "biped") << longer;
  }
}

// A robot in 61 pieces, made broader or with longer arms: its biped fits, but not by the first way that is tried, and a
// chain of many joints came before it.
TEST(AugmentedBodies, WhatANamedTemplateCanIsFoundWithoutItsName) {
  SINEW_REQUIRE_DATA(data);
  const auto asset = read_asset(data / "rigged_gltf" / "RobotExpressive.glb");
  ASSERT_TRUE(asset.ok()) << asset.error().message;
  const auto still = posed_mesh(asset->rig, rest_pose(asset->rig.skeleton), test::by(asset->rig, "lbs"));
  ASSERT_TRUE(still.ok()) << still.error().message;
  for (const auto& [broader, deeper] : {std::pair(1.0, 1.0), std::pair(1.35, 1.35), std::pair(1.0, 0.7)}) {
    PolyMesh mesh = *still;
    for (Vec3& p : mesh.positions) p.x() *= broader, p.z() *= deeper;
    const PolyMesh* one = &mesh;
    const auto found = auto_skeleton({&one, 1}, {});
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->name, "biped") << broader << " " << deeper;
  }
}

}  // namespace
}  // namespace sinew
