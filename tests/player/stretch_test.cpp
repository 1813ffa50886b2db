// SPDX-License-Identifier: Apache-2.0
// Stretched, twisted and volume-keeping deformers on whole characters, and in files.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "sinew/characters/characters.h"
#include "sinew/io/write_mesh.h"
#include "sinew/measure/shape.h"
#include "sinew/pipeline/compare.h"
#include "sinew/pipeline/posed_mesh.h"
#include "sinew/player/pose_request.h"
#include "support/deform_choice.h"

namespace sinew {
namespace {

Rig stretchable(const std::string& kind, int resolution) {
  auto rig = make_character(kind, {.resolution = resolution});
  EXPECT_TRUE(rig.ok());
  return *std::move(rig);
}

std::vector<Vec3> posed(const Rig& rig, const PoseRequest& request, const std::string& deformer,
                        std::optional<double>* change = nullptr) {
  const auto pose = make_pose(rig, request);
  EXPECT_TRUE(pose.ok());
  auto mesh = posed_mesh(rig, *pose, test::by(rig, deformer));
  EXPECT_TRUE(mesh.ok()) << deformer;
  if (change) *change = volume_change(rig.mesh, mesh->positions);
  return mesh->positions;
}

TEST(Stretched, VolumeOfABentElbowIsKeptAndLinearBlendingLosesIt) {
  const Rig rig = stretchable("arm", 2000);
  const TriangleView view = triangulate(rig.mesh);
  const double rest = enclosed_volume({rig.mesh.positions, view.triangles});
  for (const Vec3& turn : {Vec3(0, -90, 0), Vec3(0, 90, 0), Vec3(0, 0, 90)}) {
    const PoseRequest bend{.turns = {{"ForeArm", turn}}};
    std::optional<double> told;
    const auto change = [&](const std::string& deformer) {
      const std::vector<Vec3> shape = posed(rig, bend, deformer, &told);
      return (enclosed_volume({shape, view.triangles}) - rest) / rest;
    };
    const double lbs = change("lbs"), volume = change("volume");
    EXPECT_LT(std::abs(volume), 0.002);
    EXPECT_LT(5 * std::abs(volume), std::abs(lbs));
    ASSERT_TRUE(told.has_value());
    EXPECT_NEAR(*told, volume, 1e-9);
  }
}

TEST(Stretched, BeyondTheEndNothingGrows) {
  const Rig rig = stretchable("arm", 2000);
  const std::vector<Bone> bones = bones_of(rig.skeleton, bind_transforms(rig));
  const PoseRequest request{.stretches = {{"ForeArm", 1.8}}};
  const Vec3 step = 0.8 * (bones[1].tail - bones[1].head);
  for (const std::string deformer : {"stretch-lbs", "stretch-dqs"}) {
    const std::vector<Vec3> shape = posed(rig, request, deformer);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const auto row = rig.weights.row(i);
      if (row.size() != 1 || row[0].joint != 2) continue;  // the hand alone
      EXPECT_LT((shape[i] - rig.mesh.positions[i] - step).norm(), 1e-5) << deformer << i;
    }
  }
}

TEST(Stretched, AFileWithAStretchedPosePlaysAsPlainLinearBlending) {
  Asset asset;
  asset.rig = stretchable("arm", 300);
  const PoseRequest request{.turns = {{"UpperArm", Vec3(0, 0, 30)}},
                            .stretches = {{"UpperArm", 1.4}, {"ForeArm", 0.7}}};
  const auto pose = make_pose(asset.rig, request);
  ASSERT_TRUE(pose.ok());
  const auto path = std::filesystem::temp_directory_path() / "sinew_stretched_pose.glb";
  GltfWriteOptions write;
  write.edit.pose = true;
  write.posed = &*pose;
  ASSERT_TRUE(save_asset(asset, path.string(), Overwrite::kYes, write).ok());
  const auto again = read_asset(path.string());
  std::filesystem::remove(path);
  ASSERT_TRUE(again.ok());
  const std::vector<Vec3> expected = posed(asset.rig, request, "lbs");
  const std::vector<Vec3> played = posed(again->rig, {}, "lbs");
  ASSERT_EQ(played.size(), expected.size());
  for (std::size_t i = 0; i < played.size(); ++i) EXPECT_LT((played[i] - expected[i]).norm(), 1e-5) << i;
  // The bones are where the pose has them: each as long as asked for, the wrist at the end of the two.
  const auto globals = global_transforms(again->rig.skeleton, rest_pose(again->rig.skeleton).local);
  const std::vector<Bone> bones = bones_of(asset.rig.skeleton, bind_transforms(asset.rig));
  const auto length = [&](std::size_t j) { return (bones[j].tail - bones[j].head).norm(); };
  EXPECT_NEAR((globals[1].translation() - globals[0].translation()).norm(), 1.4 * length(0), 1e-5);
  EXPECT_NEAR((globals[2].translation() - globals[1].translation()).norm(), 0.7 * length(1), 1e-5);
}

TEST(Stretched, CanBeCompared) {
  const std::vector<MethodPair> pairs = {{"own", "volume"},
                                         {"heat", "stretch-lbs"},
                                         {"bbw", "stretch-dqs"},
                                         {"bbw", "lbs+mush"},
                                         {"bbw", "volume"}};
  const auto report = compare(stretchable("arm", 300),
                              {.pairs = pairs, .joints = {"ForeArm"}, .clip_samples = 0, .voxels = 32});
  ASSERT_TRUE(report.ok()) << report.error().message;
  for (const PoseFigures& pose : report->poses)
    for (const MethodFigures& method : pose.methods) {
      EXPECT_GE(method.energy_ratio, 0.999) << method.pair.deformer;
      EXPECT_LT(method.energy_ratio, 100) << method.pair.deformer;
      // Grids have no faces to smooth over.
      if (method.pair.weights == "bbw") {
        EXPECT_EQ(method.extended, method.pair.deformer == "lbs+mush") << method.pair.deformer;
      }
    }
}

}  // namespace
}  // namespace sinew
