// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_write_keys.h"

#include <algorithm>

namespace sinew::gltf {
namespace {

bool moves(const ShapeKey& key, const MeshPart& part) {
  const auto first = key.deltas.begin() + static_cast<std::ptrdiff_t>(part.vertex_begin);
  return std::any_of(first, first + static_cast<std::ptrdiff_t>(part.vertex_count),
                     [](const Vec3f& delta) { return delta != Vec3f::Zero(); });
}

bool moves_anything(const ShapeKey& key) {
  return std::any_of(key.deltas.begin(), key.deltas.end(),
                     [](const Vec3f& delta) { return delta != Vec3f::Zero(); });
}

}  // namespace

std::vector<std::size_t> keys_of(const Rig& rig, std::span<const MeshPart> parts, bool with_still) {
  std::vector<std::size_t> keys;
  for (std::size_t k = 0; k < rig.keys.size(); ++k) {
    const bool here = std::any_of(parts.begin(), parts.end(),
                                  [&](const MeshPart& part) { return moves(rig.keys[k], part); });
    if (here || (with_still && !moves_anything(rig.keys[k]))) keys.push_back(k);
  }
  return keys;
}

void put_targets(Builder& builder, const Rig& rig, std::span<const std::size_t> keys, const MeshPart& part,
                 const ToStored& to_stored, Json& primitive, bool sparse) {
  primitive.erase("targets");
  for (const std::size_t k : keys)
    put_target(builder, rig.keys[k].deltas, rig.keys[k].normal_deltas, part, to_stored, primitive, sparse);
}

void name_targets(const std::vector<std::string>& names, const std::vector<double>& weights, Json& mesh) {
  if (names.empty()) {
    mesh.erase("weights");
    if (!mesh.contains("extras") || !mesh["extras"].is_object()) return;
    mesh["extras"].erase("targetNames");
    if (mesh["extras"].empty()) mesh.erase("extras");
    return;
  }
  mesh["weights"] = weights;
  ensure_object(mesh, "extras")["targetNames"] = names;
}

void put_baked_targets(Builder& builder, const BakedFrames& frames, const MeshPart& part, Json& primitive) {
  primitive.erase("targets");
  std::vector<Vec3f> deltas(frames.positions[0].size()), normal_deltas;
  if (!frames.normals.empty()) normal_deltas.resize(deltas.size());
  const std::size_t end = part.vertex_begin + part.vertex_count;
  for (std::size_t k = 0; k < frames.positions.size(); ++k) {
    for (std::size_t i = part.vertex_begin; i < end; ++i)
      deltas[i] = frames.positions[k][i] - frames.positions[0][i];
    for (std::size_t i = part.vertex_begin; i < end && !normal_deltas.empty(); ++i)
      normal_deltas[i] = frames.normals[k][i] - frames.normals[0][i];
    put_target(builder, deltas, normal_deltas, part, {}, primitive);
  }
}

void name_baked_targets(const BakedFrames& frames, Json& mesh) {
  std::vector<std::string> names;
  std::vector<double> weights(frames.positions.size(), 0.0);
  for (std::size_t k = 0; k < weights.size(); ++k) names.push_back("frame" + std::to_string(k));
  name_targets(names, weights, mesh);
}

void put_baked_clip(Builder& builder, const Rig& rig, const BakedFrames& frames, std::span<const int> nodes) {
  const std::size_t count = frames.positions.size();
  std::vector<float> times(count), values(count * count, 0.0f);
  for (std::size_t k = 0; k < count; ++k) {
    times[k] = static_cast<float>(static_cast<double>(k) / frames.fps);
    values[k * count + k] = 1;
  }
  Json animation = {{"name", "baked"}};
  ClipWriter writer(builder, rig);
  for (const int node : nodes) {
    if (!has_channels(animation)) {
      writer.add_channel(node, "weights", Interpolation::kLinear, times, values, "SCALAR", animation);
    } else {
      animation["channels"].push_back({{"sampler", 0}, {"target", {{"node", node}, {"path", "weights"}}}});
    }
  }
  if (has_channels(animation)) builder.json["animations"] = Json::array({std::move(animation)});
}

PolyMesh plain_mesh(const Rig& rig, const BakedFrames* frames) {
  PolyMesh mesh = rig.mesh;
  if (!frames) return mesh;
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i)
    mesh.positions[i] = frames->positions[0][i].cast<double>();
  mesh.normals = frames->normals.empty() ? std::vector<Vec3f>() : frames->normals[0];
  return mesh;
}

}  // namespace sinew::gltf
