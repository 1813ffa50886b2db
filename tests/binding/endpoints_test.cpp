// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/binding/bind.h"
#include "sinew/binding/reweight.h"
#include "sinew/characters/characters.h"
#include "sinew/weights/endpoint.h"

namespace sinew {
namespace {

Rig arm() {
  auto rig = make_character("arm", {.resolution = 300});
  EXPECT_TRUE(rig.ok());
  return *std::move(rig);
}

float value_of(const Rig& rig, std::size_t vertex, std::uint32_t joint) {
  for (std::size_t e = rig.weights.offsets[vertex]; e < rig.weights.offsets[vertex + 1]; ++e)
    if (rig.weights.entries[e].joint == joint) return rig.endpoint.values[e];
  return -1;
}

// Every stored value is that of its own vertex and bone.
void expect_projected(const Rig& rig) {
  ASSERT_EQ(rig.endpoint.values.size(), rig.weights.entries.size());
  const std::vector<Bone> bones = bones_of(rig.skeleton, bind_transforms(rig));
  for (std::size_t i = 0; i < rig.weights.vertex_count(); ++i)
    for (const Influence& one : rig.weights.row(i))
      EXPECT_NEAR(value_of(rig, i, one.joint),
                  endpoint_by_projection(bones[one.joint], rig.mesh.positions[i]), 1e-6);
}

TEST(Endpoints, EachInfluenceGetsTheValueOfItsOwnBone) {
  Rig rig = arm();
  ASSERT_TRUE(bind(rig, {.method = "heat", .endpoint = "projection"}).ok());
  EXPECT_EQ(rig.endpoint.method, "projection");
  expect_projected(rig);
  EXPECT_TRUE(validate(rig).ok());
}

TEST(Endpoints, StayAlignedThroughPruningSmoothingAndANewBinding) {
  Rig rig = arm();
  ASSERT_TRUE(bind(rig, {.method = "inverse-distance", .influences = 8, .endpoint = "projection"}).ok());
  ASSERT_GT(rig.weights.max_influences(), 2u);
  ASSERT_TRUE(reweight(rig, {.influences = 2}).ok());
  EXPECT_EQ(rig.weights.max_influences(), 2u);
  expect_projected(rig);
  ASSERT_TRUE(reweight(rig, {.smooth = 3, .influences = 8}).ok());
  expect_projected(rig);
  ASSERT_TRUE(bind(rig, {.method = "envelope"}).ok());
  EXPECT_EQ(rig.endpoint.method, "projection");
  expect_projected(rig);
}

TEST(Endpoints, NoneTakesThemAway) {
  Rig rig = arm();
  ASSERT_TRUE(bind(rig, {.method = "heat", .endpoint = "projection"}).ok());
  ASSERT_TRUE(bind(rig, {.method = "heat"}).ok());
  EXPECT_FALSE(rig.endpoint.empty());
  ASSERT_TRUE(bind(rig, {.method = "heat", .endpoint = "none"}).ok());
  EXPECT_TRUE(rig.endpoint.empty());
}

TEST(Endpoints, ThoseOfTwistAreMadeByAMethodOfTheirOwn) {
  Rig one = arm(), other = arm(), both = arm();
  ASSERT_TRUE(bind(one, {.method = "heat", .endpoint = "projection"}).ok());
  ASSERT_TRUE(bind(other, {.method = "heat", .endpoint = "inverse-distance"}).ok());
  ASSERT_TRUE(
      bind(both, {.method = "heat", .endpoint = "projection", .endpoint_twist = "inverse-distance"}).ok());
  EXPECT_TRUE(one.endpoint.twist.empty());
  EXPECT_EQ(both.endpoint.values, one.endpoint.values);
  EXPECT_EQ(both.endpoint.twist, other.endpoint.values);
  EXPECT_TRUE(validate(both).ok());
  // A new binding keeps both, and takes either away.
  ASSERT_TRUE(bind(both, {.method = "envelope"}).ok());
  EXPECT_EQ(both.endpoint.twist.size(), both.weights.entries.size());
  ASSERT_TRUE(bind(both, {.method = "envelope", .endpoint_twist = "none"}).ok());
  EXPECT_TRUE(both.endpoint.twist.empty());
  EXPECT_FALSE(both.endpoint.empty());
}

TEST(Endpoints, TwistAloneIsRefused) {
  Rig rig = arm();
  for (const char* twist : {"heat", "guess"}) {
    const auto refused = bind(rig, {.method = "heat", .endpoint = "none", .endpoint_twist = twist});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
    EXPECT_EQ(refused.error().parameter, "endpoint-twist");
  }
  EXPECT_EQ(bind(rig, {.method = "heat", .endpoint_twist = "painted"}).error().code, ErrorCode::kImpossible);
}

TEST(Endpoints, PaintedOnesAreKeptAndMissingOnesRefused) {
  Rig rig = arm();
  const auto refused = bind(rig, {.method = "heat", .endpoint = "painted"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kImpossible);
  EXPECT_NE(refused.error().message.find("projection"), std::string::npos);
  EXPECT_EQ(bind(rig, {.method = "heat", .endpoint = "guess"}).error().code, ErrorCode::kUsage);

  ASSERT_TRUE(bind(rig, {.method = "heat", .influences = 8, .endpoint = "projection"}).ok());
  rig.endpoint.method = "painted";
  for (float& e : rig.endpoint.values) e = 0.625f;
  const Rig before = rig;
  ASSERT_TRUE(bind(rig, {.method = "heat", .influences = 2, .endpoint = "painted"}).ok());
  EXPECT_EQ(rig.endpoint.method, "painted");
  ASSERT_EQ(rig.endpoint.values.size(), rig.weights.entries.size());
  for (const float e : rig.endpoint.values) EXPECT_EQ(e, 0.625f);
}

TEST(Endpoints, GoWithTheSkeletonThatTheyBelongTo) {
  Rig rig = arm();
  ASSERT_TRUE(bind(rig, {.method = "heat", .endpoint = "inverse-distance"}).ok());
  EXPECT_FALSE(rig.endpoint.empty());
  set_skeleton(rig, rig.skeleton);
  EXPECT_TRUE(rig.endpoint.empty());
}

}  // namespace
}  // namespace sinew
