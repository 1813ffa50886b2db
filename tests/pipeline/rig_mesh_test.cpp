// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/rig_mesh.h"

#include <gtest/gtest.h>

#include "sinew/binding/joint_weights.h"
#include "sinew/characters/characters.h"
#include "support/shapes.h"

namespace sinew {
namespace {

Rig bare(const Rig& character) {
  Rig rig;
  rig.mesh = character.mesh;
  rig.parts.push_back({"body", 0, rig.mesh.vertex_count(), 0, rig.mesh.face_count()});
  rig.weights.offsets.assign(rig.mesh.vertex_count() + 1, 0);
  return rig;
}

std::vector<JointPlace> places_of(const Rig& rig) {
  std::vector<JointPlace> places;
  const auto globals = bind_transforms(rig);
  for (std::size_t j = 0; j < rig.skeleton.deforming_count(); ++j)
    places.push_back({rig.skeleton[j].name, rig.skeleton[j].parent, globals[j].translation(), {}});
  return places;
}

TEST(RigMesh, ASkeletonThatIsFoundIsGiven) {
  Rig rig = bare(*make_character("biped", {.resolution = 1500}));
  const auto made = find_skeleton_for(rig, {});
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_TRUE(made->given);
  EXPECT_FALSE(made->stretched);
  EXPECT_EQ(made->found.name, "biped");
  EXPECT_EQ(rig.skeleton.size(), made->found.skeleton.size());
  EXPECT_EQ(rig.inverse_bind.size(), rig.skeleton.size());
}

TEST(RigMesh, WhereNothingFitsTheRigStaysAndATemplateThatIsNamedIsStretched) {
  Rig rig;
  rig.mesh = test::box(Vec3(0, 0, 0), Vec3(1, 1, 1), 4);
  const auto none = find_skeleton_for(rig, {});
  ASSERT_TRUE(none.ok()) << none.error().message;
  EXPECT_FALSE(none->given);
  EXPECT_FALSE(none->found.problem.empty());
  EXPECT_TRUE(rig.skeleton.empty());
  const auto stretched = find_skeleton_for(rig, {.skeleton_template = "biped"});
  ASSERT_TRUE(stretched.ok()) << stretched.error().message;
  EXPECT_TRUE(stretched->given && stretched->stretched);
  const Box3 box = bounding_box(rig.mesh.positions);
  for (const Affine3& global : bind_transforms(rig))
    EXPECT_LE(box.exteriorDistance(Vec3(global.translation())), 1e-9);
  Rig empty;
  EXPECT_EQ(find_skeleton_for(empty, {}).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(find_skeleton_for(rig, {.skeleton_template = "dragon"}).error().code, ErrorCode::kUsage);
}

TEST(RigMesh, AMovedJointKeepsItsAxesAndTheOthersTheirPlaces) {
  const Rig rig = *make_character("arm");
  std::vector<JointPlace> places = places_of(rig);
  ASSERT_GE(places.size(), 3u);
  places[1].head += Vec3(0.1, -0.2, 0.3);
  Rig moved = rig;
  ASSERT_TRUE(place_joints(moved, places).ok());
  const auto before = bind_transforms(rig), after = bind_transforms(moved);
  const auto rest = global_transforms(moved.skeleton, rest_pose(moved.skeleton).local);
  for (std::size_t j = 0; j < places.size(); ++j) {
    EXPECT_LT((after[j].translation() - places[j].head).norm(), 1e-12) << j;
    EXPECT_LT((after[j].linear() - before[j].linear()).norm(), 1e-12) << j;
    EXPECT_LT((after[j].matrix() - rest[j].matrix()).norm(), 1e-12) << j;
  }
  EXPECT_TRUE(moved.weights.entries.empty());
  EXPECT_EQ(moved.clips.size(), rig.clips.size());
  EXPECT_TRUE(validate(moved).ok());
  // Nobody moved: the bones are the old ones, tails and all.
  Rig same = rig;
  ASSERT_TRUE(place_joints(same, places_of(rig)).ok());
  const auto bones = bones_of(same.skeleton, bind_transforms(same)), own = bones_of(rig.skeleton, before);
  ASSERT_EQ(bones.size(), own.size());
  for (std::size_t b = 0; b < own.size(); ++b) EXPECT_LT((bones[b].tail - own[b].tail).norm(), 1e-12) << b;
}

TEST(RigMesh, PlacesAreThoseOfTheRigsOwnPoseAndCarriersMayBeAmongThem) {
  Rig rig = *make_character("arm");
  // The file stands in another pose than the one it was bound in, below a node that scales.
  std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
  const std::size_t count = rig.skeleton.deforming_count();
  joints.resize(count);
  joints[1].rest_local.rotate(Eigen::AngleAxisd(1.2, Vec3::UnitY()));
  Joint carrier;
  carrier.name = "Armature";
  carrier.deforms = false;
  carrier.rest_local.linear() *= 100;
  joints.push_back(carrier);
  for (std::size_t j = 0; j < count; ++j)
    if (joints[j].parent < 0) joints[j].parent = static_cast<int>(count);
  rig.inverse_bind.resize(count);
  rig.inverse_bind.push_back(Affine3::Identity());
  auto skeleton = Skeleton::create(joints);
  ASSERT_TRUE(skeleton.ok()) << skeleton.error().message;
  rig.skeleton = *std::move(skeleton);

  const auto rest = global_transforms(rig.skeleton, rest_pose(rig.skeleton).local);
  std::vector<JointPlace> all;
  for (std::size_t j = 0; j <= count; ++j)
    all.push_back({joints[j].name, joints[j].parent, rest[j].translation(), {}});
  all[2].head += rest[2].linear() * Vec3(0.01, 0, 0);
  std::vector<JointPlace> deforming(all.begin(), all.end() - 1);
  for (JointPlace& place : deforming)
    if (place.parent == static_cast<int>(count)) place.parent = -1;
  for (const std::vector<JointPlace>& places : {all, deforming}) {
    Rig moved = rig;
    ASSERT_TRUE(place_joints(moved, places).ok());
    ASSERT_EQ(moved.skeleton.size(), count + 1);
    const auto bind = bind_transforms(rig), after = bind_transforms(moved);
    const auto stands = global_transforms(moved.skeleton, rest_pose(moved.skeleton).local);
    for (std::size_t j = 0; j <= count; ++j) {
      Affine3 expected = bind[j];
      if (j == 2) expected.translation() += bind[2].linear() * Vec3(0.01, 0, 0);
      EXPECT_LT((after[j].matrix() - expected.matrix()).norm(), 1e-9) << j;
      EXPECT_LT((stands[j].translation() - all[j].head).norm(), 1e-9) << j;
      EXPECT_EQ(moved.skeleton[j].parent, rig.skeleton[j].parent) << j;
    }
  }
}

TEST(RigMesh, OtherJointsBecomeASkeletonOfTheirOwn) {
  Rig rig = *make_character("arm");
  const std::vector<JointPlace> places = {{"a", -1, Vec3(1, 0, 0), {}},
                                          {"b", 0, Vec3(1, 2, 0), Vec3(1, 2, 5)}};
  ASSERT_TRUE(place_joints(rig, places).ok());
  ASSERT_EQ(rig.skeleton.size(), 2u);
  const auto bones = bones_of(rig.skeleton, bind_transforms(rig));
  EXPECT_EQ(bones[0].head, Vec3(1, 0, 0));
  EXPECT_EQ(bones[0].tail, Vec3(1, 2, 0));
  EXPECT_EQ(bones[1].tail, Vec3(1, 2, 5));
  for (const Clip& clip : rig.clips) EXPECT_TRUE(clip.channels.empty());
}

TEST(RigMesh, PlacesThatAreNoneAreBadInput) {
  const auto code = [&](std::vector<JointPlace> places) {
    Rig rig;
    const auto placed = place_joints(rig, places);
    return placed.ok() ? ErrorCode::kBug : placed.error().code;
  };
  EXPECT_EQ(code({}), ErrorCode::kBadInput);
  EXPECT_EQ(code({{"a", -1, Vec3(0, NAN, 0), {}}}), ErrorCode::kBadInput);
  EXPECT_EQ(code({{"a", -1, Vec3::Zero(), Vec3(INFINITY, 0, 0)}}), ErrorCode::kBadInput);
  EXPECT_EQ(code({{"a", 1, Vec3::Zero(), {}}}), ErrorCode::kBadInput);
  EXPECT_EQ(code({{"a", -2, Vec3::Zero(), {}}}), ErrorCode::kBadInput);
  EXPECT_EQ(code({{"a", 1, Vec3::Zero(), {}}, {"b", 0, Vec3::Zero(), {}}}), ErrorCode::kBadInput);
}

TEST(RigMesh, JointWeightsComeWithTheWeightsWhereTheyAreWanted) {
  Rig rig = *make_character("cylinder", {.resolution = 300});
  BindRequest request;
  request.method = "heat";
  const auto bind_with = [&](const std::string& joint_weights) {
    request.joint_weights = joint_weights;
    return bind(rig, request);
  };
  const auto both = bind_with("skin");
  ASSERT_TRUE(both.ok()) << both.error().message;
  EXPECT_EQ(rig.joint_weights.method, "skin");
  EXPECT_EQ(rig.weights.vertex_count(), rig.mesh.vertex_count());
  for (const char* none : {"none", ""}) {
    ASSERT_TRUE(bind_with(none).ok());
    EXPECT_TRUE(rig.joint_weights.entries.empty());
  }
  request.method = "elastic";
  request.voxels = 24;
  ASSERT_TRUE(bind_with("").ok());
  EXPECT_EQ(rig.joint_weights.method, "elastic");
  EXPECT_EQ(bind_with("magic").error().code, ErrorCode::kUsage);
  EXPECT_EQ(rig.joint_weights.method, "elastic") << "a binding that fails leaves the rig as it was";
}

}  // namespace
}  // namespace sinew
