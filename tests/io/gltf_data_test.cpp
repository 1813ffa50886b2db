// SPDX-License-Identifier: Apache-2.0
// The reader against real characters, an independent skinning of them, and files made to break readers.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "gltf_maker.h"
#include "sinew/core/file.h"
#include "sinew/core/text.h"
#include "sinew/io/asset.h"
#include "support/data.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> gltf_files(const fs::path& folder, bool deep = true) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string ending = entry.path().extension().string();
    if ((ending == ".glb" || ending == ".gltf") && (deep || entry.path().parent_path() == folder))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Vec3> reference_positions(const fs::path& path) {
  std::vector<Vec3> points;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Vec3 p;
    if (words >> p[0] >> p[1] >> p[2]) points.push_back(p);
  }
  return points;
}

TEST(GltfData, EveryRiggedFileLoads) {
  SINEW_REQUIRE_DATA(data);
  for (const fs::path& path : gltf_files(data / "rigged_gltf")) {
    const auto asset = read_asset(path);
    ASSERT_TRUE(asset.ok()) << asset.error().message;
    EXPECT_TRUE(validate(asset->rig).ok()) << path;
  }
}

TEST(GltfData, PosedPositionsEqualAnIndependentSkinning) {
  SINEW_REQUIRE_DATA(data);
  std::size_t compared = 0;
  for (const auto& entry : fs::directory_iterator(data / "skinned_reference")) {
    const std::string stem = entry.path().stem().string();
    const std::size_t anim = stem.rfind("_anim"), time = stem.rfind("_t");
    const auto asset = read_asset(data / "rigged_gltf" / (stem.substr(0, anim) + ".glb"));
    ASSERT_TRUE(asset.ok()) << asset.error().message;
    Pose pose = rest_pose(asset->rig.skeleton);
    const std::size_t clip = std::stoul(stem.substr(anim + 5));
    sample_clip(asset->rig.clips[clip], asset->rig.skeleton, *parse_double(stem.substr(time + 2)), pose);
    const std::vector<Vec3> wanted = reference_positions(entry.path()),
                            got = test::skinned_positions(asset->rig, pose);
    ASSERT_EQ(wanted.size(), got.size()) << stem;
    const double size = bounding_box(wanted).sizes().maxCoeff();
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_LT((got[i] - wanted[i]).norm(), 1e-5 * size) << stem << " " << i;
    ++compared;
  }
  EXPECT_GE(compared, 5u);
}

// file -> "reject", "load" or "either".
std::map<fs::path, std::string> wanted_outcomes(const fs::path& hostile) {
  std::map<fs::path, std::string> wanted;
  std::ifstream mutated(hostile / "mutated/expected.tsv");
  for (std::string line; std::getline(mutated, line);) {
    const std::size_t tab = line.find('\t');
    const std::string outcome = line.substr(tab + 1);
    wanted[hostile / "mutated" / line.substr(0, tab)] = outcome.find(" or ") != std::string::npos ? "either"
                                                        : outcome.starts_with("load")             ? "load"
                                                                                                  : "reject";
  }
  std::ifstream validator(hostile / "validator/expected.tsv");
  for (std::string line; std::getline(validator, line);) {
    std::istringstream words(line);
    std::string file, description, errors, warnings;
    std::getline(words, file, '\t');
    std::getline(words, description, '\t');
    std::getline(words, errors, '\t');
    std::getline(words, warnings, '\t');
    if (errors == "0" && warnings == "0") wanted[hostile / "validator" / file] = "load";
  }
  return wanted;
}

TEST(GltfData, HostileFilesAreRefusedOrLoadedAsTheyMust) {
  SINEW_REQUIRE_DATA(data);
  const fs::path hostile = data / "hostile_gltf";
  auto wanted = wanted_outcomes(hostile);
  std::size_t seen = 0;
  for (const fs::path& path : gltf_files(hostile)) {
    const auto found = wanted.find(path);
    const std::string outcome = found == wanted.end() ? "either" : found->second;
    const auto asset = read_asset(path);
    ++seen;
    if (asset.ok()) {
      EXPECT_NE(outcome, "reject") << path;
      EXPECT_TRUE(validate(asset->rig).ok()) << path;
      for (const Vec3& p : test::rest_positions(asset->rig)) ASSERT_TRUE(p.allFinite()) << path;
    } else {
      EXPECT_NE(outcome, "load") << asset.error().message;
      EXPECT_EQ(asset.error().code, ErrorCode::kBadInput) << asset.error().message;
      EXPECT_NE(asset.error().message.find(path.filename().string()), std::string::npos)
          << asset.error().message;
    }
  }
  EXPECT_GT(seen, 200u);
}

}  // namespace
}  // namespace sinew
