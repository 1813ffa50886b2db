// SPDX-License-Identifier: Apache-2.0
#include "sinew/io/surface_looks.h"

#include <gtest/gtest.h>

#include "support/data.h"

namespace sinew {
namespace {

TEST(SurfaceLooks, FindsTexturesOfRealFiles) {
  SINEW_REQUIRE_DATA(data);
  for (const char* name : {"CesiumMan.glb", "Fox.glb"}) {
    const auto asset = read_asset(data / "rigged_gltf" / name);
    ASSERT_TRUE(asset.ok()) << name;
    const SurfaceLooks looks = read_surface_looks(*asset);
    ASSERT_FALSE(looks.empty()) << name;
    EXPECT_TRUE(looks.warnings.empty()) << name;
    EXPECT_EQ(looks.of_face.size(), asset->rig.mesh.face_count());
    EXPECT_EQ(looks.texcoords.size(), asset->rig.mesh.vertex_count());
    for (const std::uint32_t material : looks.of_face) ASSERT_LT(material, looks.materials.size());
    for (const SurfaceLooks::Material& material : looks.materials) EXPECT_EQ(material.index, 0) << name;
    // These have no texture transform.
    EXPECT_EQ(looks.stored[0], looks.texcoords) << name;
    EXPECT_TRUE(looks.stored[1].empty()) << name;
    const std::string& image = looks.materials[looks.of_face[0]].image;
    EXPECT_TRUE(image.starts_with("\x89PNG") || image.starts_with("\xFF\xD8\xFF")) << name;
  }
}

TEST(SurfaceLooks, FindsColoursOfMaterials) {
  SINEW_REQUIRE_DATA(data);
  const auto asset = read_asset(data / "rigged_gltf" / "RobotExpressive.glb");
  ASSERT_TRUE(asset.ok());
  const SurfaceLooks looks = read_surface_looks(*asset);
  ASSERT_FALSE(looks.empty());
  bool orange = false;
  for (const auto& material : looks.materials)
    orange = orange || material.factor.x() > 2 * material.factor.z();
  EXPECT_TRUE(orange);
}

TEST(SurfaceLooks, PlainMeshesHaveNone) {
  SINEW_REQUIRE_DATA(data);
  const auto asset = read_asset(data / "quad" / "spot_control.obj");
  ASSERT_TRUE(asset.ok());
  EXPECT_TRUE(read_surface_looks(*asset).empty());
}

}  // namespace
}  // namespace sinew
