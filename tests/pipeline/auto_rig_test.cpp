// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/auto_rig.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/characters/characters.h"
#include "sinew/core/parallel.h"
#include "sinew/mesh/winding_number.h"
#include "sinew/pipeline/posed_mesh.h"
#include "sinew/skeleton/conventions.h"
#include "sinew/skeleton/pose.h"
#include "support/deform_choice.h"
#include "support/shapes.h"

namespace sinew {
namespace {

Result<FoundSkeleton> found_in(const PolyMesh& mesh, const SkeletonRequest& request = {}) {
  const PolyMesh* one = &mesh;
  return auto_skeleton({&one, 1}, request);
}

std::vector<Vec3> heads_of(const Skeleton& skeleton) {
  std::vector<Vec3> heads;
  for (const Affine3& global : global_transforms(skeleton, rest_pose(skeleton).local))
    heads.push_back(global.translation());
  return heads;
}

// Every quad cut along the diagonal that triangulate would not take.
PolyMesh cut_to_triangles(const PolyMesh& mesh) {
  PolyMesh out;
  out.positions = mesh.positions;
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    const auto c = mesh.face(f);
    for (std::size_t k = 2; k < c.size(); ++k) out.add_face({c[c.size() - 1], c[k - 2], c[k - 1]});
  }
  return out;
}

PolyMesh mirrored(PolyMesh mesh) {
  for (Vec3& p : mesh.positions) p.x() = -p.x();
  return test::flipped(std::move(mesh));
}

// The largest distance of a true joint from the found one of its name, as a share of the height.
double worst_joint(const Rig& truth, const Affine3& moved, const FoundSkeleton& found, std::string* name) {
  const std::vector<Vec3> wanted = heads_of(truth.skeleton), got = heads_of(found.skeleton);
  const double height = bounding_box(truth.mesh.positions).sizes().maxCoeff() *
                        std::cbrt(std::abs(moved.linear().determinant()));
  double worst = 0;
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    const auto k = found.skeleton.find(truth.skeleton[j].name);
    const double away = k ? (moved * wanted[j] - got[*k]).norm() / height : 1;
    if (away > worst) worst = away, *name = truth.skeleton[j].name;
  }
  return worst;
}

// Arms and cylinders are found where they are asked for, all else by itself.
class BuiltIn : public testing::TestWithParam<const char*> {
 protected:
  static SkeletonRequest request() {
    const std::string_view name = GetParam();
    SkeletonRequest request;
    if (name == "arm" || name == "cylinder") request.skeleton_template = name;
    return request;
  }
};

TEST_P(BuiltIn, GetsItsTrueJointsAtAnyResolutionInQuadsAndTriangles) {
  for (const int resolution : {0, 1000, 2000, 14'000}) {
    const Rig truth = *make_character(GetParam(), {.resolution = resolution});
    for (const bool quads : {true, false}) {
      const auto found = found_in(quads ? truth.mesh : cut_to_triangles(truth.mesh), request());
      ASSERT_TRUE(found.ok()) << found.error().message;
      EXPECT_EQ(found->name, GetParam());
      EXPECT_EQ(found->method, quads ? SkeletonMethod::kRings : SkeletonMethod::kSurface) << found->no_rings;
      EXPECT_EQ(found->no_rings.empty(), quads);
      ASSERT_EQ(found->skeleton.deforming_count(), truth.skeleton.size()) << found->problem;
      std::string joint;
      EXPECT_LT(worst_joint(truth, Affine3::Identity(), *found, &joint), 0.03)
          << joint << " at " << truth.mesh.vertex_count() << (quads ? " quads" : " triangles");
    }
  }
}

TEST_P(BuiltIn, GetsThemTurnedScaledAndMirrored) {
  const Rig truth = *make_character(GetParam());
  const Affine3 turned = Eigen::Translation3d(3, -2, 1) * Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()) *
                         Eigen::Scaling(37.0);
  const Affine3 lying(Eigen::AngleAxisd(-M_PI / 2, Vec3::UnitX()));
  for (const Affine3& moved : {turned, lying}) {
    const auto found = found_in(test::transformed(truth.mesh, moved), request());
    ASSERT_TRUE(found.ok()) << found.error().message;
    std::string joint;
    EXPECT_LT(worst_joint(truth, moved, *found, &joint), 0.03) << joint;
  }
  const auto image = found_in(mirrored(truth.mesh), request());
  ASSERT_TRUE(image.ok()) << image.error().message;
  ASSERT_EQ(image->name, GetParam());
  // Left and right change places: each true joint's image is near some joint.
  const double height = bounding_box(truth.mesh.positions).sizes().maxCoeff();
  const std::vector<Vec3> got = heads_of(image->skeleton);
  for (Vec3 p : heads_of(truth.skeleton)) {
    p.x() = -p.x();
    double nearest = height;
    for (const Vec3& q : got) nearest = std::min(nearest, (p - q).norm());
    EXPECT_LT(nearest, 0.03 * height);
  }
}

TEST_P(BuiltIn, JointsLieInsideTheBody) {
  const Rig truth = *make_character(GetParam());
  const auto found = found_in(truth.mesh, request());
  ASSERT_TRUE(found.ok());
  const TriangleView cut = triangulate(truth.mesh);
  const WindingNumber winding({truth.mesh.positions, cut.triangles});
  const std::vector<Vec3> heads = heads_of(found->skeleton);
  for (std::size_t j = 0; j < found->skeleton.deforming_count(); ++j) EXPECT_GT(winding(heads[j]), 0.5);
}

INSTANTIATE_TEST_SUITE_P(AutoRig, BuiltIn,
                         testing::Values("cylinder", "arm", "hand", "biped", "quadruped", "bird", "snake"),
                         [](const auto& one) { return std::string(one.param); });

TEST(AutoRig, TipsThatAreNamedAreTheBodys) {
  const Rig truth = *make_character("biped", {.resolution = 2000});
  const auto farthest = [&](const Vec3& along) {
    std::size_t best = 0;
    for (std::size_t v = 0; v < truth.mesh.vertex_count(); ++v)
      if (truth.mesh.positions[v].dot(along) > truth.mesh.positions[best].dot(along)) best = v;
    return best;
  };
  SkeletonRequest request;
  request.tips = {farthest({0, 1, 0}), farthest({1, 0, 0}), farthest({-1, 0, 0}), farthest({0.3, -1, 1}),
                  farthest({-0.3, -1, 1})};
  const auto found = found_in(truth.mesh, request);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->name, "biped");
  EXPECT_NE(found->method, SkeletonMethod::kRings);
  const std::vector<Vec3> wanted = heads_of(truth.skeleton), got = heads_of(found->skeleton);
  for (const char* name : {"Hips", "Head", "LeftArm", "LeftForeArm", "RightLeg", "RightFoot"}) {
    const auto a = truth.skeleton.find(name), b = found->skeleton.find(name);
    ASSERT_TRUE(a && b) << name;
    EXPECT_LT((wanted[*a] - got[*b]).norm(), 0.05 * 1.76) << name;
  }
  request.skeleton_template = "none";
  request.tips.pop_back();
  const auto one_legged = found_in(truth.mesh, request);
  ASSERT_TRUE(one_legged.ok()) << one_legged.error().message;
  request.tips = {3};
  EXPECT_EQ(found_in(truth.mesh, request).error().code, ErrorCode::kUsage);
  request.tips = {3, truth.mesh.vertex_count()};
  EXPECT_EQ(found_in(truth.mesh, request).error().code, ErrorCode::kUsage);
}

TEST(AutoRig, AsManyJointsAsAreAskedFor) {
  const Rig truth = *make_character("biped", {.resolution = 2000});
  for (const char* name : {"", "none"})
    for (const std::size_t joints : {30u, 45u, 80u}) {
      SkeletonRequest request;
      request.skeleton_template = name;
      request.joints = joints;
      const auto found = found_in(truth.mesh, request);
      ASSERT_TRUE(found.ok()) << found.error().message;
      EXPECT_NEAR(static_cast<double>(found->skeleton.deforming_count()), static_cast<double>(joints), 1)
          << name;
    }
}

TEST(AutoRig, ArmsAndCylindersAreNotChosenByThemselves) {
  for (const char* name : {"arm", "cylinder"}) {
    const auto found = found_in(make_character(name)->mesh);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_TRUE(found->name == "none" || found->name == "snake") << found->name;
    EXPECT_FALSE(found->skeleton.empty());
  }
}

TEST(AutoRig, WithoutATemplateEveryBuiltInBodyHasBonesInItsLimbs) {
  SkeletonRequest request;
  request.skeleton_template = "none";
  for (const char* name : {"biped", "quadruped", "hand", "bird"}) {
    const Rig truth = *make_character(name, {.resolution = 2000});
    const auto found = found_in(truth.mesh, request);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->name, "none");
    const std::vector<Vec3> got = heads_of(found->skeleton);
    const double height = bounding_box(truth.mesh.positions).sizes().maxCoeff();
    double sum = 0;
    const std::vector<Vec3> wanted = heads_of(truth.skeleton);
    for (const Vec3& p : wanted) {
      double nearest = height;
      for (const Vec3& q : got) nearest = std::min(nearest, (p - q).norm());
      sum += nearest;
    }
    EXPECT_LT(sum / static_cast<double>(wanted.size()), 0.09 * height) << name;
  }
}

// A body as a toy has it: legs half as long above the ankles, all else as it was.
TEST(AutoRig, AnklesOfShortLegsAreWhereTheyBend) {
  Rig truth = *make_character("biped");
  const std::vector<Vec3> heads = heads_of(truth.skeleton);
  const double ankle = heads[*truth.skeleton.find("LeftFoot")].y();
  const double hip = heads[*truth.skeleton.find("LeftUpLeg")].y();
  const auto shortened = [&](Vec3 p) {
    const double leg = std::clamp(p.y(), ankle, hip) - ankle;
    p.y() -= 0.6 * leg;
    return p;
  };
  PolyMesh mesh = cut_to_triangles(truth.mesh);
  for (Vec3& p : mesh.positions) p = shortened(p);
  SkeletonRequest request;
  request.skeleton_template = "biped";
  const auto found = found_in(mesh, request);
  ASSERT_TRUE(found.ok()) << found.error().message;
  const std::vector<Vec3> got = heads_of(found->skeleton);
  const double height = bounding_box(mesh.positions).sizes().y();
  for (const char* name : {"LeftFoot", "RightFoot"}) {
    const Vec3 off = got[*found->skeleton.find(name)] - shortened(heads[*truth.skeleton.find(name)]);
    EXPECT_LT(off.norm() / height, 0.03) << name << ' ' << off.transpose();
  }
}

// Legs half as thick from the middle of the thigh on: hips are as high above the crotch as the thighs are thick there.
TEST(AutoRig, HipsDoNotDependOnHowThinTheShinsAre) {
  const Rig truth = *make_character("biped");
  const std::vector<Vec3> heads = heads_of(truth.skeleton);
  const auto joint = [&](const char* name) { return heads[*truth.skeleton.find(name)]; };
  const Vec3 hip = joint("LeftUpLeg"), knee = joint("LeftLeg"), ankle = joint("LeftFoot");
  PolyMesh mesh = cut_to_triangles(truth.mesh);
  for (Vec3& p : mesh.positions) {
    if (p.y() > (hip.y() + knee.y()) / 2) continue;
    const bool thigh = p.y() > knee.y();
    const Vec3 &above = thigh ? hip : knee, &below = thigh ? knee : ankle;
    Vec3 centre = below + (p.y() - below.y()) / (above.y() - below.y()) * (above - below);
    if (p.y() < ankle.y()) centre = ankle;
    if (p.x() < 0) centre.x() = -centre.x();
    p.x() = (p.x() + centre.x()) / 2;
    p.z() = (p.z() + centre.z()) / 2;
  }
  SkeletonRequest request;
  request.skeleton_template = "biped";
  const auto found = found_in(mesh, request);
  ASSERT_TRUE(found.ok()) << found.error().message;
  const std::vector<Vec3> got = heads_of(found->skeleton);
  const double height = bounding_box(mesh.positions).sizes().y();
  for (const char* name : {"LeftUpLeg", "RightUpLeg"}) {
    const Vec3 off = got[*found->skeleton.find(name)] - joint(name);
    EXPECT_LT(off.norm() / height, 0.015) << name << ' ' << off.transpose();
  }
}

TEST(AutoRig, KnucklesDoNotDependOnHowMuchOfTheForearmThereIs) {
  const Rig truth = *make_character("hand");
  const std::vector<Vec3> heads = heads_of(truth.skeleton);
  const double wrist = heads[*truth.skeleton.find("Hand")].y();
  PolyMesh mesh = cut_to_triangles(truth.mesh);
  for (Vec3& p : mesh.positions)
    if (p.y() < wrist) p.y() = wrist + 0.1 * (p.y() - wrist);
  SkeletonRequest request;
  request.skeleton_template = "hand";
  const auto found = found_in(mesh, request);
  ASSERT_TRUE(found.ok()) << found.error().message;
  const std::vector<Vec3> got = heads_of(found->skeleton);
  const double length = bounding_box(mesh.positions).sizes().maxCoeff();
  for (const char* name : {"Index1", "Middle1", "Ring1", "Pinky1"}) {
    const Vec3 off = got[*found->skeleton.find(name)] - heads[*truth.skeleton.find(name)];
    EXPECT_LT(off.norm() / length, 0.02) << name << ' ' << off.transpose();
  }
}

TEST(AutoRig, SymmetricBodiesGetSymmetricJoints) {
  for (const char* kind : {"biped", "quadruped", "bird"}) {
    const auto found = found_in(make_character(kind, {.resolution = 3000})->mesh);
    ASSERT_TRUE(found.ok());
    EXPECT_TRUE(found->symmetric) << kind;
    const std::vector<Vec3> heads = heads_of(found->skeleton);
    for (std::size_t j = 0; j < heads.size(); ++j) {
      const std::string& name = found->skeleton[j].name;
      if (!name.starts_with("Left")) continue;
      const auto other = found->skeleton.find("Right" + name.substr(4));
      ASSERT_TRUE(other.has_value());
      const Vec3 image(-heads[*other].x(), heads[*other].y(), heads[*other].z());
      EXPECT_LT((heads[j] - image).norm(), 2e-3) << name;
      EXPECT_GT(heads[j].x(), 0) << "the character's left is +x";
    }
  }
}

TEST(AutoRig, JointsHaveTheAxesOfTheBodyOnRequest) {
  const Rig biped = *make_character("biped");
  SkeletonRequest request;
  request.axes = "world";
  const auto straight = found_in(biped.mesh, request);
  ASSERT_TRUE(straight.ok());
  for (const Affine3& global : global_transforms(straight->skeleton, rest_pose(straight->skeleton).local))
    EXPECT_LT((global.linear() - Mat3::Identity()).norm(), 1e-9);
  for (const Vec3& axis : {Vec3(0, 1, 0), Vec3(1, 0, 0), Vec3(0, 0, -1)}) {
    const Affine3 turn(Eigen::AngleAxisd(M_PI / 2, axis));
    const auto turned = found_in(test::transformed(biped.mesh, turn), request);
    ASSERT_TRUE(turned.ok());
    for (const Affine3& global : global_transforms(turned->skeleton, rest_pose(turned->skeleton).local))
      EXPECT_LT((global.linear() - turn.linear()).norm(), 1e-9) << axis.transpose();
  }
}

TEST(AutoRig, AxesThatFollowBonesTurnWithTheBody) {
  const Rig biped = *make_character("biped");
  const auto straight = found_in(biped.mesh);
  const Affine3 turn(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitX()));
  const auto turned = found_in(test::transformed(biped.mesh, turn));
  ASSERT_TRUE(straight.ok() && turned.ok());
  ASSERT_EQ(straight->skeleton.size(), turned->skeleton.size());
  const auto before = global_transforms(straight->skeleton, rest_pose(straight->skeleton).local);
  const auto after = global_transforms(turned->skeleton, rest_pose(turned->skeleton).local);
  for (std::size_t j = 0; j < before.size(); ++j)
    EXPECT_LT((turn.linear() * before[j].linear() - after[j].linear()).norm(), 1e-5) << j;
  SkeletonRequest request;
  request.axes = "north";
  EXPECT_EQ(found_in(biped.mesh, request).error().code, ErrorCode::kUsage);
}

TEST(AutoRig, SoupsAndBodiesInPiecesGoThroughTheVoxelBody) {
  const Rig biped = *make_character("biped");
  for (const PolyMesh& mesh : {test::joined({biped.mesh, test::uv_sphere({0, 1.85, 0}, 0.12)})}) {
    const auto found = found_in(mesh);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->name, "biped");
  }
  SkeletonRequest request;
  request.volume = true;
  const auto found = found_in(test::soup(biped.mesh), request);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->method, SkeletonMethod::kVolume);
  ASSERT_EQ(found->name, "biped");
  const std::vector<Vec3> wanted = heads_of(biped.skeleton), got = heads_of(found->skeleton);
  for (const char* name : {"Hips", "Head", "LeftArm", "LeftForeArm", "LeftUpLeg", "RightLeg", "RightFoot"}) {
    const auto a = biped.skeleton.find(name), b = found->skeleton.find(name);
    ASSERT_TRUE(a && b);
    EXPECT_LT((wanted[*a] - got[*b]).norm(), 0.05 * 1.76) << name;
  }
}

TEST(AutoRig, BodiesStandOnARootAndHandsDoNot) {
  SkeletonRequest grounded;
  grounded.root = "ground";
  for (const char* kind : {"biped", "quadruped", "bird", "hand"}) {
    const Rig truth = *make_character(kind, {.resolution = 2000});
    const auto found = found_in(truth.mesh, grounded);
    ASSERT_TRUE(found.ok());
    const Skeleton& skeleton = found->skeleton;
    const bool stands = std::string_view(kind) != "hand";
    EXPECT_EQ(skeleton.size() - skeleton.deforming_count(), stands ? 1u : 0u) << kind;
    if (!stands) continue;
    const Joint& root = skeleton[skeleton.order()[0]];
    EXPECT_EQ(root.name, "Root");
    EXPECT_NEAR(root.rest_local.translation().y(), bounding_box(truth.mesh.positions).min().y(), 1e-6)
        << kind;
    const auto bare = found_in(truth.mesh);
    ASSERT_TRUE(bare.ok());
    EXPECT_EQ(bare->skeleton.size(), skeleton.deforming_count());
    EXPECT_LT((heads_of(bare->skeleton)[0] - heads_of(skeleton)[0]).norm(), 1e-9) << "joints stay";
  }
  grounded.root = "moon";
  EXPECT_EQ(found_in(make_character("biped")->mesh, grounded).error().code, ErrorCode::kUsage);
}

TEST(AutoRig, ShapesWithoutASkeletonAreSaidToBeSo) {
  for (const PolyMesh& mesh :
       {test::box({0, 0, 0}, {1, 1, 1}, 4), test::torus(1, 0.3), test::grid(10, 10),
        test::uv_sphere({0, 0, 0}, 1), test::grid(100, 4, 10, 0.4), test::one_triangle(), test::bow_tie()}) {
    const auto found = found_in(mesh);
    if (!found.ok()) {
      EXPECT_TRUE(found.error().code == ErrorCode::kImpossible || found.error().code == ErrorCode::kBadInput);
      EXPECT_FALSE(found.error().message.empty());
    } else {
      EXPECT_TRUE(found->skeleton.empty()) << found->name;
      EXPECT_FALSE(found->problem.empty());
    }
  }
  EXPECT_FALSE(found_in(PolyMesh{}).ok());
}

TEST(AutoRig, ATemplateThatIsNamedButDoesNotFitIsNotSure) {
  const Rig quadruped = *make_character("quadruped", {.resolution = 2000});
  const PolyMesh* mesh = &quadruped.mesh;
  SkeletonRequest request;
  request.skeleton_template = "biped";
  const auto found = auto_skeleton({&mesh, 1}, request);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_LT(found->confidence, 0.5);
}

TEST(AutoRig, NamesTemplatesAndFailuresOfTheRequest) {
  const Rig biped = *make_character("biped", {.resolution = 2000});
  SkeletonRequest request;
  auto vrm = found_in(biped.mesh, request);
  ASSERT_TRUE(vrm.ok());
  const auto heads = global_transforms(vrm->skeleton, rest_pose(vrm->skeleton).local);
  ASSERT_TRUE(rename_joints(vrm->skeleton, heads, "vrm").ok());
  for (const char* name : {"hips", "upperChest", "leftUpperArm", "rightLowerLeg", "leftToes",
                           "leftThumbMetacarpal", "rightLittleDistal"})
    EXPECT_TRUE(vrm->skeleton.find(name).has_value()) << name;
  request.skeleton_template = "dragon";
  EXPECT_EQ(found_in(biped.mesh, request).error().code, ErrorCode::kUsage);
  request.skeleton_template = "nowhere.glb";
  EXPECT_EQ(found_in(biped.mesh, request).error().code, ErrorCode::kIo);
  const PolyMesh other = test::box({0, 0, 0}, {1, 1, 1});
  const PolyMesh* poses[] = {&biped.mesh, &other};
  EXPECT_EQ(auto_skeleton(poses, {}).error().code, ErrorCode::kUsage);
}

TEST(AutoRig, JointsAloneAreATemplateToo) {
  // The skeleton of the biped without its body, laid into the body: joints come out near where they were.
  const Rig biped = *make_character("biped");
  Rig bones = biped;
  bones.mesh = {};
  const auto own = template_of("bones", bones);
  ASSERT_TRUE(own.ok()) << own.error().message;
  EXPECT_EQ(own->rings(), nullptr) << "prisms have no rings of a body";
  FindOptions options;
  options.most_cost = options.most_one_sided_cost = options.most_chain_cost = 1.2;
  const auto found = find_skeleton(biped.mesh, {&*own, 1}, options);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->no_rings, "the template is no mesh of quads");
  const std::vector<Vec3> wanted = heads_of(biped.skeleton), got = heads_of(found->skeleton);
  for (const char* name : {"Hips", "Head", "LeftForeArm", "RightLeg", "RightFoot", "LeftHand"}) {
    const auto a = biped.skeleton.find(name), b = found->skeleton.find(name);
    ASSERT_TRUE(a && b) << name;
    EXPECT_LT((wanted[*a] - got[*b]).norm(), 0.08 * 1.76) << name;
  }
}

TEST(AutoRig, BentArmOfASecondPoseGivesTheElbow) {
  Rig biped = *make_character("biped");
  const std::size_t elbow = *biped.skeleton.find("LeftForeArm");
  Pose pose = rest_pose(biped.skeleton);
  rotate_joint(biped.skeleton, elbow, {0, -70, 0}, pose);
  const auto bent = posed_mesh(biped, pose, test::by(biped, "dqs"));
  ASSERT_TRUE(bent.ok());
  const PolyMesh* poses[] = {&biped.mesh, &*bent};
  const auto found = auto_skeleton(poses, {});
  ASSERT_TRUE(found.ok()) << found.error().message;
  const Vec3 truth = heads_of(biped.skeleton)[elbow];
  const Vec3 got = heads_of(found->skeleton)[*found->skeleton.find("LeftForeArm")];
  EXPECT_LT((truth - got).norm(), 0.025);  // one ring of the arm
}

// Legs and arms of other proportions than any template's, so that lengths alone mislead. Only the left ones
// move: the right ones are their images.
TEST(AutoRig, MotionOfTheSkinTellsWhereJointsAre) {
  const Rig biped = *make_character("biped");
  const Skeleton& bones = biped.skeleton;
  Pose rest = rest_pose(bones);
  const std::size_t knee = *bones.find("LeftLeg"), elbow = *bones.find("LeftForeArm");
  const std::size_t right_knee = *bones.find("RightLeg"), right_elbow = *bones.find("RightForeArm");
  for (const std::size_t joint : {knee, right_knee}) rest.local[joint].translation() *= 1.15;
  for (const std::size_t joint : {elbow, right_elbow}) rest.local[joint].translation() *= 0.85;
  Pose bent = rest;
  rotate_joint(bones, knee, {60, 0, 0}, bent);
  rotate_joint(bones, elbow, {0, -50, 20}, bent);
  const auto still = posed_mesh(biped, rest, test::by(biped, "lbs")),
             moved = posed_mesh(biped, bent, test::by(biped, "lbs"));
  ASSERT_TRUE(still.ok() && moved.ok());
  const PolyMesh* poses[] = {&*still, &*moved};
  const auto alone = auto_skeleton({poses, 1}, {}), both = auto_skeleton(poses, {});
  ASSERT_TRUE(alone.ok() && both.ok());
  const auto globals = global_transforms(bones, rest.local);
  EXPECT_TRUE(both->symmetric);
  for (const std::size_t joint : {knee, elbow, right_knee, right_elbow}) {
    const Vec3 truth = globals[joint].translation();
    const auto off = [&](const FoundSkeleton& found) {
      return (truth - heads_of(found.skeleton)[*found.skeleton.find(bones[joint].name)]).norm();
    };
    EXPECT_GT(off(*alone), 0.015) << bones[joint].name;  // metres, of 1.77
    EXPECT_LT(off(*both), 0.01) << bones[joint].name;
  }
}

TEST(AutoRig, IsTheSameForAnyNumberOfThreads) {
  const Rig quadruped = *make_character("quadruped", {.resolution = 2000});
  std::vector<Vec3> first;
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    const auto found = found_in(quadruped.mesh);
    ASSERT_TRUE(found.ok());
    const std::vector<Vec3> heads = heads_of(found->skeleton);
    if (first.empty()) first = heads;
    EXPECT_EQ(first, heads);
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace sinew
