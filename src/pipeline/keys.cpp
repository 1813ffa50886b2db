// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/core/text.h"
#include "sinew/deform/pose_space.h"
#include "sinew/math/svd.h"
#include "sinew/rig/key_names.h"
#include "sinew/skeleton/joint_hint.h"

namespace sinew {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

void put_normal_deltas(const Rig& rig, ShapeKey& key) {
  if (rig.mesh.normals.size() != rig.mesh.vertex_count()) return;
  const TriangleView view = triangulate(rig.mesh);
  std::vector<Vec3> shape = rig.mesh.positions;
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] += key.deltas[i].cast<double>();
  const std::vector<Vec3> before = vertex_normals({rig.mesh.positions, view.triangles}),
                          after = vertex_normals({shape, view.triangles});
  key.normal_deltas.clear();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    // Seams and hard edges keep their own normals: turned as the smooth ones turn.
    const Vec3 own = rig.mesh.normals[i].cast<double>();
    const Quat turn = shortest_arc(before[i], after[i]);
    const bool known = !before[i].isZero() && !after[i].isZero();
    key.normal_deltas.push_back(known ? Vec3(turn * own - own).cast<float>() : Vec3f(Vec3f::Zero()));
  }
}

// Makes `space` be driven by the joint too; where it was not, its examples have it at rest.
std::size_t driver(std::vector<PoseSpace::Driver>& drivers, std::size_t index, double influence, bool given) {
  for (std::size_t d = 0; d < drivers.size(); ++d)
    if (drivers[d].index == index) {
      if (given) drivers[d].influence = influence;
      return d;
    }
  drivers.push_back({index, influence});
  return drivers.size() - 1;
}

Result<void> add_joints(const Rig& rig, const Pose& pose, const ExampleRequest& request, PoseSpace& space) {
  for (const auto& [name, influence] : request.joints) {
    const auto joint = rig.skeleton.find(name);
    if (!joint)
      return usage_error(
          fmt::format("there is no joint '{}'{}", printable(name), joint_hint(rig.skeleton, name)));
    if (!(influence > 0 && std::isfinite(influence)))
      return usage_error(fmt::format("the influence of '{}' must lie above 0", printable(name)));
    driver(space.joints, *joint, influence, true);
  }
  if (request.joints.empty())
    for (std::size_t j = 0; j < rig.skeleton.size(); ++j)
      if (pose_rotation(rig.skeleton, j, pose.local[j]).angularDistance(Quat::Identity()) >
          kSamePoseDegrees * kDegree)
        driver(space.joints, j, 1, false);
  for (PoseSpace::Example& example : space.examples)
    example.rotations.resize(space.joints.size(), Quat::Identity());
  return {};
}

Result<void> add_channels(const Rig& rig, const ExampleRequest& request, PoseSpace& space,
                          PoseSpace::Example& example) {
  for (const ExampleRequest::Channel& channel : request.channels) {
    SINEW_TRY(const std::size_t key, find_key(rig, channel.key));
    if (!(channel.influence > 0 && std::isfinite(channel.influence)))
      return usage_error(fmt::format("the influence of '{}' must lie above 0", printable(channel.key)));
    driver(space.channels, key, channel.influence, true);
  }
  const auto fill = [&](PoseSpace::Example& one) {
    for (std::size_t c = one.channels.size(); c < space.channels.size(); ++c)
      one.channels.push_back(rig.keys[space.channels[c].index].default_weight);
  };
  for (PoseSpace::Example& other : space.examples) fill(other);
  fill(example);
  for (const ExampleRequest::Channel& channel : request.channels)
    for (std::size_t c = 0; c < space.channels.size(); ++c)
      if (rig.keys[space.channels[c].index].name == channel.key) example.channels[c] = channel.value;
  return {};
}

}  // namespace

Result<std::size_t> find_key(const Rig& rig, const std::string& name) {
  std::string names;
  for (std::size_t k = 0; k < rig.keys.size(); ++k) {
    if (rig.keys[k].name == name) return k;
    if (k < 12) names += (k ? ", " : "") + printable(rig.keys[k].name, 40);
  }
  return usage_error(
      fmt::format("there is no key '{}'; the file has {}", printable(name), names.empty() ? "none" : names));
}

Result<std::size_t> add_key(Rig& rig, const std::string& name, std::span<const Vec3> positions) {
  if (positions.size() != rig.mesh.vertex_count())
    return bad_input(
        fmt::format("key '{}' has {} vertices, but the mesh has {}: a key needs the same vertices",
                    printable(name), positions.size(), rig.mesh.vertex_count()));
  ShapeKey key;
  key.name = name;
  for (std::size_t i = 0; i < positions.size(); ++i)
    key.deltas.push_back((positions[i] - rig.mesh.positions[i]).cast<float>());
  put_normal_deltas(rig, key);
  const std::vector<std::size_t> known = keys_named(rig, name);
  if (known.empty()) {
    rig.keys.push_back(std::move(key));
    return rig.keys.size() - 1;
  }
  for (const std::size_t k : known) {  // the first has the shape in all meshes from now on
    rig.keys[k].deltas.assign(positions.size(), Vec3f::Zero());
    rig.keys[k].normal_deltas.clear();
  }
  rig.keys[known[0]].deltas = std::move(key.deltas);
  rig.keys[known[0]].normal_deltas = std::move(key.normal_deltas);
  return known[0];
}

Result<void> remove_from_key(Rig& rig, const std::string& what, const std::string& name) {
  if (what != "rotation" && what != "scale")
    return usage_error(
        fmt::format("'{}' cannot be removed from a key: give rotation or scale", printable(what)));
  SINEW_CHECK(find_key(rig, name));
  for (const std::size_t k : keys_named(rig, name))
    (what == "rotation" ? rig.keys[k].without_rotation : rig.keys[k].without_scale) = true;
  return {};
}

Result<std::vector<std::string>> add_example(Rig& rig, const Pose& pose, const ExampleRequest& request) {
  SINEW_TRY(const std::size_t key, find_key(rig, request.key));
  const std::string name = request.space.empty() ? "pose" : request.space;
  std::vector<PoseSpace> spaces = rig.pose_spaces;
  auto space = std::find_if(spaces.begin(), spaces.end(), [&](const PoseSpace& s) { return s.name == name; });
  if (space == spaces.end()) {
    spaces.emplace_back();
    space = spaces.end() - 1;
    space->name = name;
  }
  SINEW_CHECK(add_joints(rig, pose, request, *space));
  PoseSpace::Example example{key, {}, {}};
  SINEW_CHECK(add_channels(rig, request, *space, example));
  if (space->joints.empty() && space->channels.empty())
    return usage_error(
        "the pose rotates no joint: rotate one, or name the joints or keys that drive the space");
  for (const PoseSpace::Driver& joint : space->joints)
    example.rotations.push_back(pose_rotation(rig.skeleton, joint.index, pose.local[joint.index]));
  if (request.radius > 0) space->radius = request.radius * kDegree;
  // One example a key and space: a new pose replaces the old one.
  std::erase_if(space->examples, [&](const PoseSpace::Example& other) { return other.key == key; });
  space->examples.push_back(std::move(example));
  rig.pose_spaces.swap(spaces);
  SINEW_TRY(const PoseSpaces built, PoseSpaces::build(rig));
  return std::vector<std::string>(built.merged().begin(), built.merged().end());
}

Result<std::vector<std::string>> add_sculpted_key(Rig& rig, const std::string& name, const Pose& pose,
                                                  const DeformChoice& choice, std::span<const Vec3> sculpted,
                                                  const std::optional<ExampleRequest>& example,
                                                  UnposeReport& report) {
  Rig keyed = rig;
  SINEW_TRY(const std::size_t key, add_key(keyed, name, keyed.mesh.positions));  // without a shape for now
  std::vector<std::string> merged;
  if (example) {
    SINEW_TRY(merged, add_example(keyed, pose, *example));
  }
  Pose with_key = pose;
  if (!with_key.key_weights.empty()) with_key.key_weights.resize(keyed.keys.size(), 0.0);
  SINEW_TRY(const std::vector<Vec3> rest, unposed(keyed, with_key, choice, sculpted, report));
  SINEW_CHECK(add_key(keyed, keyed.keys[key].name, rest));
  std::swap(rig.keys, keyed.keys);
  std::swap(rig.pose_spaces, keyed.pose_spaces);
  return merged;
}

}  // namespace sinew
