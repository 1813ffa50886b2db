// SPDX-License-Identifier: Apache-2.0
// Skeletons and bodies that nobody would make on purpose: binding, joint weights, the deformers that stand on
// them and the comparison each give a whole answer that says what was mended, or a sentence.
#include <gtest/gtest.h>

#include "binding/small_rigs.h"
#include "sinew/binding/joint_weights.h"
#include "sinew/pipeline/compare.h"

namespace sinew {
namespace {

struct Odd {
  std::string name;
  Rig rig;
  std::string turned;  // the joint to turn
  std::string told;    // words of a note of the binding or of the joint weights; empty: there need be none
  bool comparable = true;  // some joint moves one part of the mesh against another
};

std::vector<Odd> odd_rigs() {
  const PolyMesh bar = test::capped_cylinder(0.5, 4, 16, 17);
  const Vec3 a(0.2, 0, 0), b(2, 0, 0), c(3.8, 0, 0);
  std::vector<Odd> all;
  all.push_back({"zero-length bones", test::small_rig(bar, {{-1, a}, {0, b, b}, {1, b, b}}), "j1", ""});
  all.push_back(
      {"all joints at one place", test::small_rig(bar, {{-1, b, b}, {0, b, b}, {1, b, b}}), "j1", "share"});
  all.push_back(
      {"coincident joints", test::small_rig(bar, {{-1, a}, {0, b}, {1, b, c}, {1, b, c}}), "j1", "share"});
  all.push_back({"a joint outside",
                 test::small_rig(bar, {{-1, a}, {0, b}, {1, Vec3(2, 9, 0), Vec3(2, 12, 0)}}), "j1",
                 "outside the body"});
  all.push_back({"all outside",
                 test::small_rig(bar, {{-1, Vec3(0, 9, 0)}, {0, Vec3(4, 9, 0), Vec3(8, 9, 0)}}), "j1",
                 "outside the body"});
  all.push_back(
      {"two parts, one without bones",
       test::small_rig(test::joined({bar, test::uv_sphere(Vec3(2, 3, 0), 0.9)}), {{-1, a}, {0, b, c}}), "j1",
       ""});
  all.push_back({"two parts, a bone in each",
                 test::small_rig(test::joined({bar, test::uv_sphere(Vec3(2, 3, 0), 0.9)}),
                                 {{-1, a, c}, {0, Vec3(2, 2.5, 0), Vec3(2, 3.5, 0)}}),
                 "j1", ""});
  all.push_back({"a flat sheet",
                 test::small_rig(test::grid(16, 4, 4, 1),
                                 {{-1, Vec3(0.2, 0.5, 0)}, {0, Vec3(2, 0.5, 0), Vec3(3.8, 0.5, 0)}}),
                 "j1", "thickened to the cells"});
  all.push_back({"one joint", test::small_rig(bar, {{-1, a, c}}), "j0", "", false});
  all.push_back({"one joint without length", test::small_rig(bar, {{-1, b, b}}), "j0", "", false});
  all.push_back({"two roots", test::small_rig(bar, {{-1, a, b}, {-1, b, c}}), "j1", ""});
  all.push_back(
      {"one triangle",
       test::small_rig(test::one_triangle(), {{-1, Vec3(0, 0, 0)}, {0, Vec3(0.5, 0, 0), Vec3(1, 0, 0)}}),
       "j1", "thickened to the cells"});
  return all;
}

class OddRigs : public testing::TestWithParam<std::size_t> {
 protected:
  const Odd odd = odd_rigs()[GetParam()];
  const double extent = bounding_box(odd.rig.mesh.positions).diagonal().norm();
};
INSTANTIATE_TEST_SUITE_P(All, OddRigs, testing::Range(std::size_t{0}, odd_rigs().size()),
                         [](const auto& parameter) {
                           std::string name = odd_rigs()[parameter.param].name;
                           std::erase_if(
                               name, [](char ch) { return !std::isalnum(static_cast<unsigned char>(ch)); });
                           return name;
                         });

TEST_P(OddRigs, AreBoundByEveryElasticMethodAndToldOf) {
  for (const char* method : {"elastic", "elastic-dqs", "lsq", "lsq-nonnegative"}) {
    Rig rig = odd.rig;
    auto report = bind(rig, {.method = method, .voxels = 20});
    ASSERT_TRUE(report.ok()) << method << ": " << report.error().message;
    EXPECT_EQ(report->unweighted, 0u) << method;
    EXPECT_LT(report->max_row_error, 1e-6) << method;
    EXPECT_GE(report->min, 0) << method;
    std::string warnings;
    for (const std::string& note : report->warnings) warnings += note + '\n';
    EXPECT_NE(warnings.find(odd.told), std::string::npos) << method << ": " << warnings;
  }
}

TEST_P(OddRigs, HaveJointWeightsThatDeformThem) {
  Rig rig = odd.rig;
  ASSERT_TRUE(bind(rig, {.method = "elastic", .voxels = 20}).ok());
  auto report = make_joint_weights(rig, {.voxels = 20});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(validate(rig).ok());
  for (const char* deformer : {"swing-twist", "joint-dqs", "elastic"}) {
    Settings settings;
    settings["voxels"] = 20.0;
    const DeformChoice request = test::by(rig, deformer, settings);
    auto rest = posed_mesh(rig, rest_pose(rig.skeleton), request);
    ASSERT_TRUE(rest.ok()) << deformer << ": " << rest.error().message;
    EXPECT_LT(test::largest_distance(rest->positions, rig.mesh.positions), 1e-5 * extent) << deformer;
    const auto out = test::turned(rig, odd.turned, Vec3(40, 60, 80), request);
    ASSERT_TRUE(test::all_finite(out)) << deformer;
    EXPECT_GT(test::largest_distance(out, rig.mesh.positions), 0.01 * extent) << deformer;  // it moves
    // Nothing flies off: a turn leaves all within reach of the joints and the body.
    const Box3 reach = bounding_box(rig.mesh.positions);
    for (const Vec3& p : out) ASSERT_LT((p - reach.center()).norm(), 20 * extent) << deformer;
  }
}

TEST_P(OddRigs, DeformOnTheSpotWithoutJointWeights) {
  Rig rig = odd.rig;
  ASSERT_TRUE(bind(rig, {.method = "geodesic", .voxels = 20}).ok());
  const DeformChoice choice = test::by(rig, "swing-twist", {{"voxels", 20.0}});
  EXPECT_TRUE(test::all_finite(test::turned(rig, odd.turned, Vec3(40, 60, 80), choice)));
  const auto ready = ready_deformer(rig, choice);
  ASSERT_TRUE(ready.ok());
  EXPECT_FALSE(ready->made.empty());
  EXPECT_EQ(RigDeformer::build(rig, "swing-twist").error().code, ErrorCode::kImpossible)
      << "nothing is made aside";
}

TEST_P(OddRigs, AreComparedOrRefusedWithASentence) {
  auto report = compare(odd.rig, {.clip_samples = 0, .voxels = 20, .pictures = 1});
  if (!report.ok()) {
    EXPECT_EQ(report.error().code, ErrorCode::kImpossible);
    EXPECT_FALSE(report.error().message.empty());
    std::vector<std::string> all;
    for (std::size_t j = 0; j < odd.rig.skeleton.size(); ++j) all.push_back(odd.rig.skeleton[j].name);
    report = compare(odd.rig, {.joints = all, .clip_samples = 0, .voxels = 20, .pictures = 1});
    EXPECT_EQ(report.ok(), odd.comparable);
  }
  if (!report.ok()) return;
  for (const PoseFigures& pose : report->poses)
    for (const MethodFigures& method : pose.methods) {
      const std::string what = pose.name + ' ' + method.pair.weights + ':' + method.pair.deformer;
      for (const double value :
           {method.energy_ratio, method.rms, method.max, method.volume_change, method.elastic_rms})
        EXPECT_TRUE(std::isfinite(value)) << what;
      EXPECT_GE(method.energy_ratio, 0.999) << what;
    }
}

TEST(NoSkeleton, IsImpossibleAndSaysWhatToGive) {
  Rig rig;
  rig.mesh = test::capped_cylinder(0.5, 4, 16, 17);
  rig.parts.push_back({"mesh", 0, rig.mesh.vertex_count(), 0, rig.mesh.face_count()});
  Rig again = rig;
  auto bound = bind(again, {.method = "elastic"});
  ASSERT_FALSE(bound.ok());
  EXPECT_EQ(bound.error().code, ErrorCode::kImpossible);
  EXPECT_NE(bound.error().message.find("skeleton"), std::string::npos);
  auto weights = make_joint_weights(again);
  ASSERT_FALSE(weights.ok());
  EXPECT_EQ(weights.error().code, ErrorCode::kImpossible);
  auto compared = compare(rig, {});
  ASSERT_FALSE(compared.ok());
  EXPECT_EQ(compared.error().code, ErrorCode::kImpossible);
}

// Joints, but nothing says which vertex follows which: the joint-based deformers make what they lack or say
// that it cannot be made; elastic needs no weights at all.
TEST(Unbound, IsDeformedElasticallyAndElseToldOf) {
  const Rig rig = test::small_bar();
  ASSERT_TRUE(rig.weights.entries.empty());
  const auto out = test::turned(rig, "j1", Vec3(0, 0, 80), test::by(rig, "elastic", {{"voxels", 20.0}}));
  EXPECT_GT(test::largest_distance(out, rig.mesh.positions), 1);
  auto pose = make_pose(rig, {.turns = {{"j1", Vec3(0, 0, 80)}}});
  auto mesh = posed_mesh(rig, *pose, test::by(rig, "swing-twist", {{"voxels", 20.0}}));
  ASSERT_FALSE(mesh.ok());
  EXPECT_EQ(mesh.error().code, ErrorCode::kImpossible);
  EXPECT_NE(mesh.error().message.find("sinew weights"), std::string::npos);
}

TEST(NoTriangles, IsBadInput) {
  for (const bool flat : {false, true}) {
    PolyMesh mesh;
    mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0)};
    if (flat) {
      mesh = test::one_triangle();
      for (Vec3& p : mesh.positions) p = Vec3(p.x(), 0, 0);
    }
    const Rig rig = test::small_rig(mesh, {{-1, Vec3(0, 0, 0)}, {0, Vec3(1, 0, 0), Vec3(2, 0, 0)}});
    Rig bound = rig;
    auto report = bind(bound, {.method = "elastic"});
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, ErrorCode::kBadInput);
    auto compared = compare(rig, {});
    ASSERT_FALSE(compared.ok());
    EXPECT_EQ(compared.error().code, ErrorCode::kBadInput);
  }
}

}  // namespace
}  // namespace sinew
