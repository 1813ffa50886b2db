// SPDX-License-Identifier: Apache-2.0
// The built-in templates are data, and what the built-in characters give now. SINEW_TEMPLATES=DIR writes them
// there instead (./dev templates).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "autorig/template_data.h"
#include "sinew/characters/characters.h"
#include "sinew/pipeline/auto_rig.h"

namespace sinew {
namespace {

constexpr const char* kNames[] = {"biped", "quadruped", "bird", "hand", "snake", "arm", "cylinder"};

class Templates : public testing::TestWithParam<const char*> {};

void expect_alike(const autorig::TemplateData& file, const autorig::TemplateData& fresh) {
  const double close = 1e-3 * fresh.diameter;
  EXPECT_EQ(file.rings, fresh.rings);
  EXPECT_EQ(file.two_sided, fresh.two_sided);
  EXPECT_NEAR(file.spare, fresh.spare, 1e-3);
  EXPECT_NEAR(file.diameter, fresh.diameter, close);
  ASSERT_EQ(file.joints.size(), fresh.joints.size());
  for (std::size_t j = 0; j < file.joints.size(); ++j) {
    EXPECT_EQ(file.joints[j].name, fresh.joints[j].name);
    EXPECT_EQ(file.joints[j].parent, fresh.joints[j].parent);
    EXPECT_EQ(file.joints[j].mirror, fresh.joints[j].mirror);
    EXPECT_LT((file.joints[j].head - fresh.joints[j].head).norm(), close);
    EXPECT_EQ(file.joints[j].anchor.part, fresh.joints[j].anchor.part);
    EXPECT_EQ(file.joints[j].tail.has_value(), fresh.joints[j].tail.has_value());
    EXPECT_NEAR(file.joints[j].anchor.s, fresh.joints[j].anchor.s, close) << file.joints[j].name;
  }
  ASSERT_EQ(file.apart.rows(), fresh.apart.rows());
  EXPECT_LT((file.apart - fresh.apart).cwiseAbs().maxCoeff(), close);
  ASSERT_EQ(file.parts.limbs.size(), fresh.parts.limbs.size());
  ASSERT_EQ(file.parts.minors.size(), fresh.parts.minors.size());
  for (std::size_t l = 0; l < file.parts.limbs.size(); ++l)
    EXPECT_NEAR(file.parts.limbs[l].curve.length(), fresh.parts.limbs[l].curve.length(), close);
}

// Joints of the built-in body that the template has elsewhere, where people have them and artists put them (see
// docs/results.md): how far to the left of the left one, up and to the front, of the body's units.
struct Moved {
  const char* joint;
  Vec3 by;
};
const Moved kBipedMoved[] = {
    {"Foot", {0, .03, 0}},    {"Shoulder", {0, 0, .03}}, {"Hips", {0, 0, -.012}},
    {"UpLeg", {0, 0, -.015}}, {"Leg", {0, .012, .015}},  {"Arm", {-.012, -.02, .01}},
};

Rig character_of(const std::string& name) {
  Rig rig = *make_character(name);
  if (name != "biped") return rig;
  std::vector<Affine3> globals = bind_transforms(rig);
  std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    for (const auto& [joint, by] : kBipedMoved) {
      if (joints[j].name == joint || joints[j].name == std::string("Left") + joint)
        globals[j].translation() += by;
      if (joints[j].name == std::string("Right") + joint)
        globals[j].translation() += Vec3(-by.x(), by.y(), by.z());
    }
    const int above = joints[j].parent;
    joints[j].rest_local =
        above < 0 ? globals[j] : globals[static_cast<std::size_t>(above)].inverse() * globals[j];
    joints[j].rest_parts.reset();
    rig.inverse_bind[j] = globals[j].inverse();
  }
  rig.skeleton = *Skeleton::create(std::move(joints));
  return rig;
}

TEST_P(Templates, AreWhatTheCharactersGive) {
  const auto fresh = template_of(GetParam(), character_of(GetParam()));
  ASSERT_TRUE(fresh.ok()) << fresh.error().message;
  if (const char* folder = std::getenv("SINEW_TEMPLATES")) {
    std::ofstream(std::string(folder) + "/" + GetParam() + ".template") << write_template(*fresh);
    return;
  }
  const auto file = built_in_template(GetParam());
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->name(), GetParam());
  expect_alike(file->data(), fresh->data());
  ASSERT_NE(file->rings(), nullptr);
  ASSERT_NE(fresh->rings(), nullptr);
  expect_alike(*file->rings(), *fresh->rings());
}

INSTANTIATE_TEST_SUITE_P(AutoRig, Templates, testing::ValuesIn(kNames),
                         [](const auto& one) { return std::string(one.param); });

TEST(Templates, TextThatIsCutShortOrForeignIsRefused) {
  const auto whole = built_in_template("snake");
  ASSERT_TRUE(whole.ok());
  const std::string text = write_template(*whole);
  ASSERT_TRUE(read_template(text).ok());
  EXPECT_EQ(write_template(*read_template(text)), text);
  for (std::size_t cut = 0; cut + 40 < text.size(); cut += text.size() / 97) {
    const auto part = read_template(std::string_view(text).substr(0, cut));
    if (part.ok()) {
      EXPECT_EQ(part->rings(), nullptr) << cut << ": only whole ways are left out";
    } else {
      EXPECT_EQ(part.error().code, ErrorCode::kBadInput);
    }
  }
  for (const char* other : {"", "sinew-template 2 x", "{}", "sinew-template 1 x way surface diameter nan"})
    EXPECT_FALSE(read_template(other).ok()) << other;
  EXPECT_EQ(built_in_template("dragon").error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace sinew
