// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sinew/io/gltf.h"

namespace sinew::test {

// Small glTF files, made by hand and without any code of the library.
struct GltfMaker {
  nlohmann::json json = {{"asset", {{"version", "2.0"}}}, {"nodes", nlohmann::json::array()}};
  std::string binary;

  // An accessor over fresh bytes; `count` elements of `type`.
  template <class T>
  int add(const std::vector<T>& values, int component, const char* type, std::size_t count) {
    binary.resize((binary.size() + 3) / 4 * 4);
    json["bufferViews"].push_back(
        {{"buffer", 0}, {"byteOffset", binary.size()}, {"byteLength", values.size() * sizeof(T)}});
    binary.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    json["accessors"].push_back({{"bufferView", json["bufferViews"].size() - 1},
                                 {"componentType", component},
                                 {"count", count},
                                 {"type", type}});
    return static_cast<int>(json["accessors"].size() - 1);
  }
  int add_floats(const std::vector<float>& values, const char* type, std::size_t width) {
    return add(values, 5126, type, values.size() / width);
  }

  std::string text() const { return json.dump(); }

  static void put(std::string& out, std::uint32_t word) {
    out.append(reinterpret_cast<const char*>(&word), 4);
  }
  static std::string glb(std::string json_text, std::string bytes) {
    json_text.resize((json_text.size() + 3) / 4 * 4, ' ');
    bytes.resize((bytes.size() + 3) / 4 * 4);
    std::string out = "glTF";
    put(out, 2);
    put(out, static_cast<std::uint32_t>(20 + json_text.size() + (bytes.empty() ? 0 : 8 + bytes.size())));
    put(out, static_cast<std::uint32_t>(json_text.size()));
    put(out, 0x4E4F534A);
    out += json_text;
    if (bytes.empty()) return out;
    put(out, static_cast<std::uint32_t>(bytes.size()));
    put(out, 0x004E4942);
    return out + bytes;
  }
  std::string glb() const {
    nlohmann::json whole = json;
    if (!binary.empty()) whole["buffers"] = {{{"byteLength", binary.size()}}};
    return glb(whole.dump(), binary);
  }

  Result<GltfFile> read() const { return read_gltf(glb(), "made.glb"); }
};

// One node with one triangle: positions accessor 0, indices accessor 1.
inline GltfMaker triangle_file() {
  GltfMaker maker;
  const int positions = maker.add_floats({0, 0, 0, 1, 0, 0, 0, 1, 0}, "VEC3", 3);
  const int indices = maker.add<std::uint16_t>({0, 1, 2}, 5123, "SCALAR", 3);
  maker.json["meshes"] = {
      {{"primitives", {{{"attributes", {{"POSITION", positions}}}, {"indices", indices}}}}}};
  maker.json["nodes"] = {{{"mesh", 0}}};
  return maker;
}

// The triangle bound to two joints, nodes 1 and 2 (2 below 1, one unit up): vertex 0 to the first, vertex 1
// to the second, vertex 2 to both. JOINTS_0 is accessor 2, WEIGHTS_0 accessor 3, the inverse bind matrices
// accessor 4.
inline GltfMaker skinned_file() {
  GltfMaker maker = triangle_file();
  const int joints = maker.add<std::uint8_t>({0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0}, 5121, "VEC4", 3);
  const int weights = maker.add_floats({1, 0, 0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0}, "VEC4", 4);
  std::vector<float> matrices(32, 0.0f);
  for (std::size_t m = 0; m < 2; ++m)
    for (std::size_t d = 0; d < 4; ++d) matrices[16 * m + 5 * d] = 1;
  matrices[16 + 13] = -1;
  const int inverse = maker.add_floats(matrices, "MAT4", 16);
  auto& attributes = maker.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["JOINTS_0"] = joints;
  attributes["WEIGHTS_0"] = weights;
  maker.json["nodes"] = {{{"mesh", 0}, {"skin", 0}},
                         {{"name", "root"}, {"children", {2}}},
                         {{"name", "tip"}, {"translation", {0, 1, 0}}}};
  maker.json["skins"] = {{{"joints", {1, 2}}, {"inverseBindMatrices", inverse}}};
  return maker;
}

// Positions of the posed vertices by the formula of rig.h, in double.
inline std::vector<Vec3> skinned_positions(const Rig& rig, const Pose& pose) {
  const auto globals = global_transforms(rig.skeleton, pose.local);
  const auto weights = key_weights_of(rig, pose);
  std::vector<Vec3> out(rig.mesh.vertex_count());
  for (std::size_t i = 0; i < out.size(); ++i) {
    Vec3 p = rig.mesh.positions[i];
    for (std::size_t k = 0; k < rig.keys.size(); ++k) p += weights[k] * rig.keys[k].deltas[i].cast<double>();
    const auto row = rig.weights.row(i);
    out[i] = row.empty() ? p : Vec3(Vec3::Zero());
    for (const Influence& influence : row)
      out[i] += influence.weight * (globals[influence.joint] * (rig.inverse_bind[influence.joint] * p));
  }
  return out;
}
inline std::vector<Vec3> rest_positions(const Rig& rig) {
  return skinned_positions(rig, rest_pose(rig.skeleton));
}

// The file is refused as bad input, and the sentence names it and holds `words`.
inline void expect_refused(const Result<GltfFile>& file, const std::string& words) {
  ASSERT_FALSE(file.ok()) << "loaded, but should be refused: " << words;
  EXPECT_EQ(file.error().code, ErrorCode::kBadInput) << file.error().message;
  EXPECT_NE(file.error().message.find("made.gl"), std::string::npos) << file.error().message;
  EXPECT_NE(file.error().message.find(words), std::string::npos) << file.error().message;
}

inline bool has_warning(const GltfFile& file, const std::string& words) {
  for (const std::string& note : file.warnings)
    if (note.find(words) != std::string::npos) return true;
  return false;
}

// What a reader gets of a rig that was written.
inline GltfFile reread(const Rig& rig, const GltfDocument* document = nullptr,
                       const GltfWriteOptions& options = {}) {
  auto bytes = write_gltf(rig, document, options);
  EXPECT_TRUE(bytes.ok());
  auto file = read_gltf(*bytes, "rig.glb");
  EXPECT_TRUE(file.ok()) << (file.ok() ? "" : file.error().message);
  return *std::move(file);
}

}  // namespace sinew::test
