// SPDX-License-Identifier: Apache-2.0
// Every deformer on every rigged file of the test data, beside linear blending.
#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/binding/prepare.h"
#include "sinew/io/asset.h"
#include "sinew/player/deformers.h"
#include "sinew/player/rig_deformer.h"
#include "sinew/player/stack.h"
#include "support/data.h"
#include "support/sanitized.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

// Voxel bodies of the default size take minutes for the large meshes among them.
constexpr double kFewVoxels = 40;

std::vector<std::string> tried_deformers() {
  std::vector<std::string> names;
  for (const DeformerMethod& method : deformer_methods()) names.emplace_back(method.name);
  names.emplace_back("lbs+mush");
  return names;
}

std::vector<fs::path> rigged_files(const fs::path& data) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(data / "rigged_gltf"))
    if (entry.path().extension() == ".glb" || entry.path().extension() == ".gltf")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

struct Posed {
  std::vector<Vec3f> positions;
  double size() const {
    Eigen::AlignedBox3f box;
    for (const Vec3f& p : positions) box.extend(p);
    return box.isEmpty() ? 0 : static_cast<double>(box.diagonal().norm());
  }
};

Result<Posed> posed_by(Rig& rig, const Pose& pose, const std::string& deformer) {
  SINEW_TRY(const Stack stack, stack_with(rig, deformer, {{"voxels", kFewVoxels}}));
  SINEW_TRY(const DeformerNeeds needs, needs_of(stack));
  DeformerData data;
  SINEW_CHECK(prepare(rig, needs, data));
  SINEW_TRY(const RigDeformer built, RigDeformer::build(rig, stack, data));
  RigWorkspace workspace = built.make_workspace();
  Posed out;
  out.positions.resize(rig.mesh.vertex_count());
  EXPECT_EQ(built.evaluate(pose, workspace, out.positions), Status::kOk) << deformer;
  return out;
}

// The pose in which no joint moves anything.
Pose bind_pose(const Rig& rig) {
  Pose pose = rest_pose(rig.skeleton);
  const std::vector<Affine3> bind = bind_transforms(rig);
  for (std::size_t j = 0; j < bind.size(); ++j) {
    const int parent = rig.skeleton[j].parent;
    pose.local[j] = parent < 0 ? bind[j] : bind[static_cast<std::size_t>(parent)].inverse() * bind[j];
  }
  pose.key_weights.assign(rig.keys.size(), 0.0);
  return pose;
}

bool solves(const std::string& deformer) {
  return deformer == "arap" || deformer == "differential" || deformer == "elastic" || deformer == "flesh";
}

TEST(EveryFile, LooksAsWithLinearBlendingInItsOwnPoseAndAtRest) {
  SINEW_REQUIRE_DATA(data);
  std::size_t count = 0, large = 0;
  for (const fs::path& file : rigged_files(data)) {
    auto asset = read_asset(file.string());
    ASSERT_TRUE(asset.ok()) << file;
    Rig& rig = asset->rig;
    if (rig.weights.entries.empty() || (test::kSanitized && rig.mesh.vertex_count() > 500)) continue;
    // What takes long is tried on every third file.
    const bool every = test::every_file();
    if (rig.mesh.vertex_count() > 2000 && large++ % 3 != 0 && !every) continue;
    const bool long_ones = count++ % 3 == 0 || every;
    const Pose own = rest_pose(rig.skeleton), bind = bind_pose(rig);
    const auto expected = posed_by(rig, own, "lbs"), rest = posed_by(rig, bind, "lbs");
    ASSERT_TRUE(expected.ok() && rest.ok()) << file;
    for (const std::string& name : tried_deformers()) {
      if (solves(name) && !long_ones) continue;
      const auto posed = posed_by(rig, own, name);
      // A body that no voxel fits, or nothing that a joint holds alone.
      if (!posed.ok() && posed.error().code == ErrorCode::kImpossible) continue;
      ASSERT_TRUE(posed.ok()) << file << name << posed.error().message;
      const double size = expected->size();
      // On a few faces each corner counts for much.
      const bool toy = rig.mesh.vertex_count() < 100;
      // The elastic body and flesh know no skin weights: where bones are far from their binds they look
      // otherwise.
      if (name != "elastic" && name != "flesh") {
        EXPECT_NEAR(posed->size() / size, 1, toy ? 0.2 : 0.1) << file << " " << name;
      }
      std::size_t far = 0;
      double apart = 0;
      for (std::size_t i = 0; i < posed->positions.size(); ++i) {
        ASSERT_TRUE(posed->positions[i].allFinite()) << file << name << i;
        const double distance = (posed->positions[i] - expected->positions[i]).norm();
        far += distance > 0.05 * size;
        apart += distance / static_cast<double>(posed->positions.size());
      }
      // Smoothing acts at creases alone: where scaled joints lost the detail, all of a body was thinner.
      if (name == "lbs+mush" && !toy) {
        EXPECT_LT(apart, 0.002 * size) << file;
      }
      // Those that solve for a shape leave linear blending where joints have moved far from their binds.
      if (!toy && !solves(name)) {
        EXPECT_LE(static_cast<double>(far), 0.05 * static_cast<double>(posed->positions.size()))
            << file << " " << name;
      }
      const auto still = posed_by(rig, bind, name);
      ASSERT_TRUE(still.ok()) << file << name;
      double most = 0;
      for (std::size_t i = 0; i < still->positions.size(); ++i)
        most = std::max<double>(most, (still->positions[i] - rest->positions[i]).norm());
      EXPECT_LT(most, 1e-3 * rest->size()) << file << " " << name;
    }
  }
}

}  // namespace
}  // namespace sinew
