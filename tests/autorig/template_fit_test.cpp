// SPDX-License-Identifier: Apache-2.0
#include "autorig/template_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autorig/body_map.h"
#include "autorig/tuning.h"
#include "support/shapes.h"

namespace sinew::autorig {
namespace {

// A body of capsules that stands on two or four legs along z; `leg` is how long they are.
PolyMesh walker(int legs, double leg) {
  std::vector<PolyMesh> parts = {test::capsule({0, 0, -2}, {0, 0, 2}, 0.5),
                                 test::capsule({0, 0, 2}, {0, 1.2, 3}, 0.3)};
  for (const double z : {1.7, -1.7}) {
    if (legs == 2 && z > 0) continue;
    for (const double x : {0.35, -0.35}) parts.push_back(test::capsule({x, 0, z}, {2 * x, -leg, z}, 0.2));
  }
  return test::joined(parts);
}

Skeleton walker_joints(int legs, double leg) {
  std::vector<Joint> joints;
  std::vector<Vec3> at;
  const auto add = [&](const std::string& name, int parent, const Vec3& place) {
    Joint one;
    one.name = name;
    one.parent = parent;
    one.rest_local.translation() = parent < 0 ? place : Vec3(place - at[static_cast<std::size_t>(parent)]);
    joints.push_back(one);
    at.push_back(place);
    return static_cast<int>(at.size()) - 1;
  };
  const int hips = add("Hips", -1, {0, 0, -1.5}), chest = add("Chest", hips, {0, 0, 1.5});
  add("Head", add("Neck", chest, {0, 0.4, 2.3}), {0, 1, 2.8});
  for (const bool front : {true, false}) {
    if (legs == 2 && front) continue;
    for (const bool left : {true, false}) {
      const double x = left ? 0.35 : -0.35, z = front ? 1.7 : -1.7;
      const std::string name = std::string(left ? "Left" : "Right") + (front ? "Front" : "Hind");
      const int top = add(name + "Leg", front ? chest : hips, {x, -0.2, z});
      add(name + "Foot", top, {2 * x, -leg, z});
    }
  }
  return *Skeleton::create(std::move(joints));
}

BodyMap walker_map(const PolyMesh& mesh) {
  const TriangleView cut = triangulate(mesh);
  auto graph = surface_graph({mesh.positions, cut.triangles});
  return *map_body(*std::move(graph), nullptr);
}

struct TwoTemplates {
  SkeletonTemplate four = *learn_template("four", walker(4, 2), walker_joints(4, 2));
  SkeletonTemplate two = *learn_template("two", walker(2, 2), walker_joints(2, 2));
  std::vector<const TemplateData*> all = {&two.data(), &four.data()};
};
const FindMirrors kNoPlane = [](const BodyMap&) { return std::vector<Mirror>(); };

TEST(TemplateFit, ABodyIsLikeTheTemplateThatWasMadeFromIt) {
  const TwoTemplates templates;
  for (const int legs : {2, 4}) {
    FoundSkeleton found;
    const auto fitted = fit_templates(walker_map(walker(legs, 2)), templates.all, {}, kNoPlane, found);
    ASSERT_TRUE(fitted.ok()) << fitted.error().message;
    EXPECT_TRUE(fitted->fits());
    EXPECT_EQ(found.name, legs == 2 ? "two" : "four");
    EXPECT_LT(fitted->match.cost, 0.05);
    EXPECT_GT(fitted->second, fitted->match.cost + 0.1);
    EXPECT_GE(found.curves.size(), 1 + fitted->match.parts.limbs.size());
  }
}

TEST(TemplateFit, WhatWasTriedIsToldInTheOrderGivenWithItsFeatures) {
  const TwoTemplates templates;
  FoundSkeleton found;
  const auto fitted = fit_templates(walker_map(walker(4, 2.6)), templates.all, {}, kNoPlane, found);
  ASSERT_TRUE(fitted.ok());
  EXPECT_EQ(found.name, "four") << "with longer legs, too";
  ASSERT_EQ(found.tried.size(), 2u);
  EXPECT_EQ(found.tried[0].name, "two");
  EXPECT_EQ(found.tried[1].name, "four");
  EXPECT_DOUBLE_EQ(found.tried[1].cost, fitted->match.cost);
  ASSERT_EQ(found.tried[1].features.size(), kFeatureCount);
  EXPECT_EQ(found.tried[0].features[kExtraLimbs].first, kFeatureNames[kExtraLimbs]);
  EXPECT_GT(found.tried[0].cost, found.tried[1].cost);
  double sum = 0;
  for (std::size_t k = 0; k < kFeatureCount; ++k)
    sum += weights_for(*templates.all[1])[k] * found.tried[1].features[k].second;
  EXPECT_NEAR(sum, found.tried[1].cost, 1e-12) << "what decides is the sum that is told";
}

TEST(TemplateFit, WhereNoneFitsThereAreCurvesAndAReason) {
  const TwoTemplates templates;
  FindOptions options;
  options.most_cost = 0;
  FoundSkeleton found;
  const auto fitted = fit_templates(walker_map(walker(4, 2)), templates.all, options, kNoPlane, found);
  ASSERT_TRUE(fitted.ok());
  EXPECT_FALSE(fitted->fits());
  EXPECT_FALSE(found.problem.empty());
  EXPECT_TRUE(found.name.empty());
  EXPECT_EQ(found.curves.size(), fitted->body.major.size()) << "a trunk, and a limb for each other tip";
}

// A long body with pairs of fins; a chain of eight joints is what it would be taken for.
TEST(TemplateFit, ABodyIsNoChainWhereManyLimbsWouldBeLeftOver) {
  std::vector<Joint> joints(8);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    joints[j].name = "Spine" + std::to_string(j);
    joints[j].parent = static_cast<int>(j) - 1;
    joints[j].rest_local.translation() = Vec3(0, 0, j == 0 ? -3.5 : 0.9);
  }
  const PolyMesh straight = test::capsule({0, 0, -4}, {0, 0, 4}, 0.3);
  const SkeletonTemplate chain = *learn_template("chain", straight, *Skeleton::create(std::move(joints)));
  const TemplateData* model = &chain.data();
  for (const double fin : {0.8, 2.5}) {
    std::vector<PolyMesh> parts = {straight};
    for (const double side : {-1.0, 1.0})
      parts.push_back(test::capsule({0, 0, 0.5}, {side * (0.3 + fin), 0, 0}, 0.15));
    FoundSkeleton found;
    FindOptions options;
    options.most_chain_cost = 0.05;  // so that it is none beside other templates
    const PolyMesh body = test::joined(parts);
    auto fitted = fit_templates(walker_map(body), {&model, 1}, options, kNoPlane, found);
    ASSERT_TRUE(fitted.ok());
    ASSERT_FALSE(fitted->fits()) << fin;
    options.most_chain_cost = FindOptions{}.most_chain_cost;
    const auto is_chain = fit_chain({&model, 1}, options, *fitted, found);
    ASSERT_TRUE(is_chain.ok());
    EXPECT_EQ(*is_chain, fin < 1) << fin;
    EXPECT_EQ(found.name == "chain", fin < 1) << fin;
  }
}

TEST(TemplateFit, ABodyWithoutTwoEndsIsNone) {
  const TwoTemplates templates;
  BodyMap body = walker_map(walker(2, 2));
  body.major.resize(1);
  FoundSkeleton found;
  const auto fitted = fit_templates(std::move(body), templates.all, {}, kNoPlane, found);
  ASSERT_FALSE(fitted.ok());
  EXPECT_EQ(fitted.error().code, ErrorCode::kImpossible);
}

}  // namespace
}  // namespace sinew::autorig
