// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_keys.h"

#include <Eigen/LU>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>

#include "io/gltf_accessor.h"
#include "sinew/core/parallel.h"

namespace sinew::gltf {
namespace {

std::size_t target_count(const Json& primitive) {
  const auto targets = primitive.find("targets");
  return targets != primitive.end() && targets->is_array() ? targets->size() : 0;
}

// Nodes that weigh or animate their targets themselves.
std::vector<bool> nodes_with_weights(const GltfDocument& document,
                                     const std::vector<RawAnimation>& animations) {
  std::vector<bool> own(document.nodes.size());
  for (std::size_t n = 0; n < own.size(); ++n) own[n] = document.json["nodes"][n].contains("weights");
  for (const RawAnimation& animation : animations)
    for (const RawChannel& channel : animation.channels)
      if (channel.path == ChannelPath::kKeyWeights) own[at(channel.node)] = true;
  return own;
}

std::vector<KeyGroup> find_groups(const GltfDocument& document, const std::vector<PartPlan>& plans,
                                  const std::vector<RawAnimation>& animations) {
  std::map<int, KeyGroup> by_mesh;
  std::vector<int> order;
  for (const PartPlan& plan : plans) {
    const std::size_t count = target_count(*plan.primitive);
    if (count == 0) continue;
    auto [found, fresh] = by_mesh.try_emplace(plan.source.mesh);
    if (fresh) order.push_back(plan.source.mesh);
    KeyGroup& group = found->second;
    group.mesh = plan.source.mesh;
    group.count = std::max(group.count, count);
    if (group.nodes.empty() || group.nodes.back() != plan.source.node)
      group.nodes.push_back(plan.source.node);
  }
  const std::vector<bool> own = nodes_with_weights(document, animations);
  std::vector<KeyGroup> groups;
  for (const int mesh : order) {
    const KeyGroup& group = by_mesh[mesh];
    const bool split = group.nodes.size() > 1 && std::any_of(group.nodes.begin(), group.nodes.end(),
                                                             [&](int node) { return own[at(node)]; });
    if (!split) groups.push_back(group);
    for (std::size_t n = 0; split && n < group.nodes.size(); ++n)
      groups.push_back({mesh, {group.nodes[n]}, 0, group.count});
  }
  std::size_t first = 0;
  for (KeyGroup& group : groups) {
    group.first = first;
    first += group.count;
  }
  return groups;
}

// An attribute of a target, or -1.
Result<int> target_attribute(const GltfDocument& document, const PartPlan& plan, std::size_t target,
                             const char* name) {
  if (target >= target_count(*plan.primitive)) return -1;
  const auto& targets = (*plan.primitive)["targets"];
  if (!targets[target].is_object())
    return bad_input(" is " + describe(targets[target]) + ": it must be an object");
  SINEW_TRY(const int index, index_member(targets[target], name, document.accessors.size()));
  if (index < 0) return index;
  const Accessor& accessor = document.accessors[at(index)];
  if (accessor.rows != 3 || accessor.columns != 1 || accessor.count != plan.vertices)
    return bad_input("." + std::string(name) + " is accessors[" + std::to_string(index) +
                     "], which does not hold three numbers for each of " + std::to_string(plan.vertices) +
                     " vertices");
  return index;
}

Result<void> read_deltas(GltfDocument& document, const std::string& place, int accessor, const Mat3& linear,
                         std::span<Vec3f> out) {
  SINEW_TRY(const auto stored, read_floats(document, document.accessors[at(accessor)]));
  const bool plain = linear.isIdentity(0);
  std::atomic<std::size_t> odd = 0;
  parallel_for(out.size(), 1 << 14, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3f delta(stored[3 * i], stored[3 * i + 1], stored[3 * i + 2]);
      out[i] = plain ? delta : Vec3f((linear * delta.cast<double>()).cast<float>());
      // As it is stored, and as it is in bind space, where a new file has it.
      const auto fits = [](const Vec3f& v) { return v.allFinite() && v.cwiseAbs().maxCoeff() <= kLargest; };
      if (fits(delta) && fits(out[i])) continue;
      out[i].setZero();
      odd.fetch_add(1, std::memory_order_relaxed);
    }
  });
  if (odd == 0) return {};
  document.mended_geometry = true;
  document.warnings.push_back(place + " holds " + std::to_string(odd.load()) +
                              " vectors that are not finite or too large: read as 0");
  return {};
}

// What turns normals; exact for rotations with even scale, which is what rigs have.
Mat3 normal_map(const Mat3& linear) {
  Mat3 cofactors;
  cofactors << linear.col(1).cross(linear.col(2)), linear.col(2).cross(linear.col(0)),
      linear.col(0).cross(linear.col(1));
  const double determinant = linear.determinant();
  if (determinant == 0) return Mat3::Identity();
  return cofactors * ((determinant < 0 ? -1 : 1) / std::pow(std::abs(determinant), 2.0 / 3));
}

Result<void> read_target(GltfDocument& document, const PartPlan& plan, const MeshPart& part,
                         std::size_t target, const PolyMesh& mesh, ShapeKey& key) {
  SINEW_TRY(const int position, target_attribute(document, plan, target, "POSITION"));
  SINEW_TRY(const int normal, target_attribute(document, plan, target, "NORMAL"));
  const std::string place = item(plan.place + ".targets", target);
  if (position >= 0)
    SINEW_CHECK(read_deltas(document, place + ".POSITION", position, part.to_bind.linear(),
                            std::span(key.deltas).subspan(part.vertex_begin, part.vertex_count)));
  if (normal < 0 || mesh.normals.empty()) return {};
  if (key.normal_deltas.empty()) key.normal_deltas.assign(mesh.vertex_count(), Vec3f::Zero());
  return read_deltas(document, place + ".NORMAL", normal, normal_map(part.to_bind.linear()),
                     std::span(key.normal_deltas).subspan(part.vertex_begin, part.vertex_count));
}

void name_keys(const GltfDocument& document, const KeyGroup& group, Rig& rig) {
  const Json& mesh = document.json["meshes"][at(group.mesh)];
  const Json* extras = object_member(mesh, "extras");
  const Json* names = extras && extras->contains("targetNames") ? &(*extras)["targetNames"] : nullptr;
  auto weights = number_list(document.json["nodes"][at(group.nodes[0])], "weights", 0);
  if (!weights.ok() || weights->empty()) weights = number_list(mesh, "weights", 0);
  for (std::size_t t = 0; t < group.count; ++t) {
    ShapeKey& key = rig.keys[group.first + t];
    key.name = "key" + std::to_string(group.first + t);
    if (names && names->is_array() && t < names->size() && (*names)[t].is_string() &&
        !(*names)[t].get_ref<const std::string&>().empty())
      key.name = (*names)[t].get<std::string>();
    if (weights.ok() && t < weights->size() && std::abs((*weights)[t]) <= 1e6)
      key.default_weight = (*weights)[t];
  }
}

Result<void> check_budget(const GltfDocument& document, const Rig& rig, std::size_t keys) {
  const double bytes = static_cast<double>(keys) * (static_cast<double>(rig.mesh.vertex_count()) * 24 + 100);
  if (bytes <= memory_budget(document)) return {};
  return bad_input("the morph targets would need " +
                   std::to_string(static_cast<std::uint64_t>(bytes / (1 << 20))) +
                   " MiB, far more than the file has bytes for: use fewer");
}

}  // namespace

Result<void> read_keys(GltfDocument& document, const std::vector<PartPlan>& plans,
                       const std::vector<RawAnimation>& animations, Rig& rig) {
  document.key_groups = find_groups(document, plans, animations);
  if (document.key_groups.empty()) return {};
  const std::size_t count = document.key_groups.back().first + document.key_groups.back().count;
  SINEW_CHECK(check_budget(document, rig, count));
  rig.keys.resize(count);
  for (ShapeKey& key : rig.keys) key.deltas.assign(rig.mesh.vertex_count(), Vec3f::Zero());
  document.node_key_group.assign(document.nodes.size(), -1);
  for (std::size_t g = 0; g < document.key_groups.size(); ++g) {
    name_keys(document, document.key_groups[g], rig);
    for (const int node : document.key_groups[g].nodes)
      document.node_key_group[at(node)] = static_cast<int>(g);
  }
  for (std::size_t p = 0; p < plans.size(); ++p) {
    if (target_count(*plans[p].primitive) == 0) continue;
    const KeyGroup& group = document.key_groups[at(document.node_key_group[at(plans[p].source.node)])];
    for (std::size_t t = 0; t < group.count; ++t)
      if (auto read = read_target(document, plans[p], rig.parts[p], t, rig.mesh, rig.keys[group.first + t]);
          !read.ok())
        return inside(item(plans[p].place + ".targets", t), read.error());
  }
  return {};
}

}  // namespace sinew::gltf
