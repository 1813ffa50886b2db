// SPDX-License-Identifier: Apache-2.0
#include "sinew/report/picture.h"

#include <gtest/gtest.h>

#include <array>

#include "sinew/characters/characters.h"

namespace sinew {
namespace {

using Pixel = std::array<std::uint8_t, 3>;

Rig cylinder() {
  auto rig = make_character("cylinder", {.resolution = 300});
  EXPECT_TRUE(rig.ok());
  return *std::move(rig);
}

// Every vertex has one influence of joint 1, with these figures.
void set_joint_weights(Rig& rig, float share, float swing, float twist) {
  rig.joint_weights = {};
  rig.joint_weights.offsets.push_back(0);
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    rig.joint_weights.entries.push_back({1, share, swing, twist});
    rig.joint_weights.offsets.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

// Every vertex has `weight` of joint 1 and the rest of joint 0.
void set_skin_weights(Rig& rig, double weight) {
  rig.weights = {};
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    rig.weights.add_row(std::array<Influence, 2>{{{1, weight}, {0, 1 - weight}}});
}

// The middle of the picture, where the body is and no legend.
Pixel middle(const Rig& rig, const std::string& heat) {
  PictureRequest request;
  request.heat = heat;
  request.render.width = request.render.height = 96;
  request.render.views = {View::kFront};
  const auto image = picture_of(rig, request);
  EXPECT_TRUE(image.ok()) << heat;
  const std::size_t at = 3 * (48 * static_cast<std::size_t>(image->width) + 48);
  return {image->rgb[at], image->rgb[at + 1], image->rgb[at + 2]};
}

TEST(Picture, EachChannelHasTheColourThatASkinWeightOfItsValueHas) {
  Rig rig = cylinder();
  const std::string joint = rig.skeleton[1].name;
  const auto colour_of = [&](double weight) {
    set_skin_weights(rig, weight);
    return middle(rig, joint);
  };
  const Pixel low = colour_of(0.125), half = colour_of(0.5), high = colour_of(0.875);
  ASSERT_NE(low, half);
  ASSERT_NE(half, high);
  set_joint_weights(rig, 0.125f, 0.5f, 0.875f);
  EXPECT_EQ(middle(rig, "deformer:" + joint), low);
  EXPECT_EQ(middle(rig, "share:" + joint), low) << "the old name";
  EXPECT_EQ(middle(rig, "swing:" + joint), half);
  EXPECT_EQ(middle(rig, "twist:" + joint), high);
  rig.endpoint.method = "painted";
  for (const Influence& influence : rig.weights.entries)
    rig.endpoint.values.push_back(influence.joint == 1 ? 0.125f : 0.875f);
  EXPECT_EQ(middle(rig, "endpoint:" + joint), low);
  EXPECT_EQ(middle(rig, "endpoint:" + rig.skeleton[0].name), high);
}

TEST(Picture, OfFleshSwingTwistAndFieldsAreShown) {
  Rig rig = cylinder();
  const std::string joint = rig.skeleton[1].name;
  set_skin_weights(rig, 0.5);
  const Pixel half = middle(rig, joint);
  set_skin_weights(rig, 0.875);
  const Pixel high = middle(rig, joint);
  set_skin_weights(rig, 1);
  const Pixel whole = middle(rig, joint);
  const std::vector<int> parents = bone_parents(rig.skeleton);
  const std::vector<double> swing{1, 0.5}, twist{1, 0.875};
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) rig.flesh.weights.add_row(parents, swing, twist);
  EXPECT_EQ(middle(rig, "swing:" + joint), half);
  EXPECT_EQ(middle(rig, "twist:" + joint), high);
  EXPECT_EQ(middle(rig, "swing:" + rig.skeleton[0].name), whole);  // carried whole, by the base
  // One mode that moves every vertex alike: the largest shift everywhere, which the legend ends at.
  FleshField field;
  field.joint = 1;
  field.mixes.assign(kTurnFunctions, 0.0f);
  field.mixes[0] = 1;
  field.steps = {0.01f};
  for (std::uint32_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    field.vertices.push_back(i);
    field.twist.push_back(0);
    field.values.insert(field.values.end(), {3, 0, 0});
  }
  rig.flesh.fields = {field};
  EXPECT_EQ(middle(rig, "field:" + joint), whole);
  EXPECT_NE(middle(rig, "field:" + rig.skeleton[0].name), whole);
}

TEST(Picture, WhereAJointHasNoPartSwingIsGreyAndItsDeformerWeightIsZero) {
  Rig rig = cylinder();
  set_joint_weights(rig, 1, 1, 1);
  const Pixel swing = middle(rig, "swing:" + rig.skeleton[0].name);
  EXPECT_EQ(swing[0], swing[1]);
  EXPECT_EQ(swing[1], swing[2]);
  const Pixel weight = middle(rig, "deformer:" + rig.skeleton[0].name);
  set_skin_weights(rig, 0);
  EXPECT_EQ(weight, middle(rig, rig.skeleton[1].name));
}

TEST(Picture, AJointWhoseNameHoldsAColonIsFound) {
  Rig rig = cylinder();
  const std::string plain = rig.skeleton[1].name;
  set_skin_weights(rig, 0.875);
  const Pixel expected = middle(rig, plain);
  std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
  joints[1].name = "swing:" + plain;
  auto renamed = Skeleton::create(std::move(joints));
  ASSERT_TRUE(renamed.ok());
  rig.skeleton = *std::move(renamed);
  EXPECT_EQ(middle(rig, "swing:" + plain), expected);
}

TEST(Picture, ChannelsThatAreNotThereAreNamed) {
  Rig rig = cylinder();
  const std::string joint = rig.skeleton[1].name;
  const auto code = [&](const std::string& heat) {
    PictureRequest request;
    request.heat = heat;
    const auto image = picture_of(rig, request);
    EXPECT_FALSE(image.ok()) << heat;
    return image.error().code;
  };
  EXPECT_EQ(code("nobody"), ErrorCode::kUsage);
  EXPECT_EQ(code("swing:nobody"), ErrorCode::kUsage);
  EXPECT_EQ(code("swing"), ErrorCode::kUsage);
  EXPECT_EQ(code("swing:"), ErrorCode::kUsage);
  EXPECT_EQ(code("distance"), ErrorCode::kUsage);
  rig.joint_weights = {};
  rig.endpoint = {};
  for (const char* kind : {"deformer:", "swing:", "twist:", "endpoint:"})
    EXPECT_EQ(code(kind + joint), ErrorCode::kImpossible);
}

}  // namespace
}  // namespace sinew
