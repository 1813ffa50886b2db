// SPDX-License-Identifier: Apache-2.0
// What glTF cannot say about keys, pose spaces and loose edges, through a file and back.
#include <gtest/gtest.h>

#include "gltf_maker.h"
#include "sinew/io/gltf.h"
#include "sinew/io/mesh_files.h"
#include "support/shapes.h"

namespace sinew {
namespace {

using test::reread;

Rig keyed() {
  Rig rig;
  rig.mesh = test::box(Vec3::Zero(), Vec3::Ones());
  std::vector<Joint> joints(2);
  joints[0].name = "root";
  joints[1].name = "tip";
  joints[1].parent = 0;
  rig.skeleton = *Skeleton::create(joints);
  rig.inverse_bind.resize(2, Affine3::Identity());
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    rig.weights.add_row(std::vector<Influence>{{static_cast<std::uint32_t>(i % 2), 1}});
  for (const char* name : {"smile", "frown"}) {
    ShapeKey key;
    key.name = name;
    key.deltas.assign(rig.mesh.vertex_count(), Vec3f(0, 1, 0));
    rig.keys.push_back(key);
  }
  rig.keys[0].without_scale = true;
  rig.keys[1].without_rotation = true;
  rig.keys[1].mask = "!below:tip";
  PoseSpace space;
  space.name = "elbow";
  space.radius = 0.7;
  space.joints = {{1, 2.5}};
  space.channels = {{0, 1.0}};
  space.examples = {{1, {Quat(Eigen::AngleAxisd(1.2, Vec3::UnitZ()))}, {0.25}}};
  rig.pose_spaces.push_back(space);
  rig.loose_edges = {{0, 7}, {1, 6}};
  return rig;
}

void expect_whole(const Rig& rig) {
  ASSERT_EQ(rig.keys.size(), 2u);
  EXPECT_TRUE(rig.keys[0].without_scale && !rig.keys[0].without_rotation);
  EXPECT_TRUE(!rig.keys[1].without_scale && rig.keys[1].without_rotation);
  EXPECT_EQ(rig.keys[1].mask, "!below:tip");
  ASSERT_EQ(rig.pose_spaces.size(), 1u);
  const PoseSpace& space = rig.pose_spaces[0];
  EXPECT_EQ(space.name, "elbow");
  EXPECT_EQ(space.radius, 0.7);
  ASSERT_EQ(space.joints.size(), 1u);
  EXPECT_EQ(rig.skeleton[space.joints[0].index].name, "tip");
  EXPECT_EQ(space.joints[0].influence, 2.5);
  ASSERT_EQ(space.channels.size(), 1u);
  EXPECT_EQ(space.channels[0].index, 0u);
  ASSERT_EQ(space.examples.size(), 1u);
  EXPECT_EQ(space.examples[0].key, 1u);
  EXPECT_LT(space.examples[0].rotations[0].angularDistance(Quat(Eigen::AngleAxisd(1.2, Vec3::UnitZ()))),
            1e-9);
  EXPECT_EQ(space.examples[0].channels, std::vector<double>{0.25});
  EXPECT_EQ(rig.loose_edges, keyed().loose_edges);
}

TEST(GltfKeyInfo, FlagsMasksSpacesAndEdgesComeBack) {
  const GltfFile file = reread(keyed());
  EXPECT_TRUE(file.warnings.empty());
  expect_whole(file.rig);
}

TEST(GltfKeyInfo, EditsOfOtherThingsKeepThemAndEditsOfKeysReplaceThem) {
  const GltfFile file = reread(keyed());
  GltfWriteOptions options;
  options.edit.clips = true;
  expect_whole(reread(file.rig, file.document.get(), options).rig);
  Rig changed = file.rig;
  changed.keys[0].without_scale = changed.keys[1].without_rotation = false;
  changed.keys[1].mask.clear();
  changed.pose_spaces.clear();
  options.edit.keys = true;
  const GltfFile again = reread(changed, file.document.get(), options);
  EXPECT_FALSE(again.rig.keys[0].without_scale || again.rig.keys[1].without_rotation);
  EXPECT_TRUE(again.rig.keys[1].mask.empty());
  EXPECT_TRUE(again.rig.pose_spaces.empty());
}

TEST(GltfKeyInfo, ABakedFileHasNone) {
  const GltfFile file = reread(keyed());
  GltfWriteOptions options;
  options.without_skin = true;
  const GltfFile plain = reread(file.rig, file.document.get(), options);
  EXPECT_TRUE(plain.rig.pose_spaces.empty());
}

TEST(GltfKeyInfo, WhatIsNotThereIsLeftOutWithANote) {
  Rig rig = keyed();
  GltfWriteOptions as_text;
  as_text.binary = false;
  auto bytes = write_gltf(rig, nullptr, as_text);
  ASSERT_TRUE(bytes.ok());
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string text = *bytes;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    return read_gltf(text, "rig.gltf");
  };
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"examples\":[{\"channels\":[0.25],\"key\":\"frown\"",
            "\"examples\":[{\"channels\":[0.25],\"key\":\"nobody\""},
           {"\"channels\":[0.25]", "\"channels\":[0.25,1]"},
           {"\"edges\":[0,7", "\"edges\":[0,70000"},
           {"\"influence\":2.5", "\"influence\":-1"}}) {
    const auto file = broken(from, to);
    ASSERT_TRUE(file.ok()) << to;
    EXPECT_FALSE(file->warnings.empty()) << to;
  }
}

TEST(ObjLooseEdges, LinesAreRead) {
  const auto file =
      read_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nl 1 4 2\nl -1 1\nl 9 1\n", "a.obj");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->edges, (std::vector<std::array<std::uint32_t, 2>>{{0, 3}, {3, 1}, {3, 0}}));
  EXPECT_EQ(file->warnings.size(), 1u);
}

}  // namespace
}  // namespace sinew
