// SPDX-License-Identifier: Apache-2.0
// The whole chain, skeleton to posed vertices, against meshes that were posed by another program.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sinew/rig/rig.h"
#include "support/data.h"

namespace sinew {
namespace {

std::vector<Vec3> read_vertices(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<Vec3> vertices;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    Vec3 v;
    if (words >> key && key == "v" && words >> v.x() >> v.y() >> v.z()) vertices.push_back(v);
  }
  return vertices;
}

Vec3 vector_of(const nlohmann::json& list) {
  return {list[0].get<double>(), list[1].get<double>(), list[2].get<double>()};
}

// Joints turned away from the world's axes, so that a pose in the wrong axes cannot pass.
Rig read_rig(const std::filesystem::path& folder, const std::string& name) {
  Rig rig;
  rig.mesh.positions = read_vertices(folder / (name + ".obj"));
  const nlohmann::json json = nlohmann::json::parse(std::ifstream(folder / (name + ".rig.json")));
  std::vector<Joint> joints;
  std::vector<Affine3> globals;
  std::map<std::string, std::uint32_t> index;
  for (const auto& item : json["joints"]) {
    Joint joint;
    joint.name = item["name"];
    joint.parent = item["parent"];
    Affine3 global = Affine3::Identity();
    global.linear() =
        Quat(Eigen::AngleAxisd(0.1 * static_cast<double>(joints.size()), Vec3(1, 2, -1).normalized()))
            .toRotationMatrix();
    global.translation() = vector_of(item["head"]);
    joint.rest_local =
        joint.parent < 0 ? global : globals[static_cast<std::size_t>(joint.parent)].inverse() * global;
    globals.push_back(global);
    rig.inverse_bind.push_back(global.inverse());
    index[joint.name] = static_cast<std::uint32_t>(joints.size());
    joints.push_back(joint);
  }
  rig.skeleton = *Skeleton::create(joints);
  std::vector<std::vector<Influence>> rows(rig.mesh.vertex_count());
  for (const auto& [joint, list] : json["weights"].items())
    for (const auto& entry : list) rows[entry[0].get<std::size_t>()].push_back({index.at(joint), entry[1]});
  for (const auto& row : rows) rig.weights.add_row(row);
  rig.parts = {{name, 0, rig.mesh.vertex_count(), 0, 0, true, Affine3::Identity()}};
  return rig;
}

Pose read_pose(const Skeleton& skeleton, const std::filesystem::path& path) {
  Pose pose = rest_pose(skeleton);
  const nlohmann::json json = nlohmann::json::parse(std::ifstream(path));
  for (const auto& [name, turns] : json["rotations"].items())
    for (const auto& turn : turns)
      rotate_joint(skeleton, skeleton.find(name).value(), vector_of(turn["axis"]) * turn["deg"].get<double>(),
                   pose);
  return pose;
}

std::vector<Vec3> skin(const Rig& rig, const Pose& pose) {
  std::vector<Affine3> matrices(rig.skeleton.size());
  skinning_matrices(rig, global_transforms(rig.skeleton, pose.local), matrices);
  std::vector<Vec3> posed(rig.mesh.vertex_count(), Vec3::Zero());
  for (std::size_t i = 0; i < posed.size(); ++i)
    for (const Influence& entry : rig.weights.row(i))
      posed[i] += entry.weight * (matrices[entry.joint] * rig.mesh.positions[i]);
  return posed;
}

TEST(PosePairs, AreReproducedToTheirLastPrintedDigit) {
  SINEW_REQUIRE_DATA(data);
  const Rig rig = read_rig(data / "quad", "mh_neutral");
  ASSERT_EQ(rig.mesh.vertex_count(), 13380u);
  const auto valid = validate(rig);
  EXPECT_TRUE(valid.ok()) << valid.error().message;
  for (const std::string name : {"mh_neutral_poseA", "mh_neutral_poseB"}) {
    const auto expected = read_vertices(data / "pose_pairs" / (name + ".obj"));
    const auto posed = skin(rig, read_pose(rig.skeleton, data / "pose_pairs" / (name + ".json")));
    ASSERT_EQ(expected.size(), posed.size());
    double error = 0;
    for (std::size_t i = 0; i < posed.size(); ++i)
      error = std::max(error, (posed[i] - expected[i]).cwiseAbs().maxCoeff());
    EXPECT_LT(error, 1e-6) << name;
  }
}

}  // namespace
}  // namespace sinew
