// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "pipeline/endpoints.h"
#include "pipeline/islands.h"
#include "pipeline/surface.h"
#include "sinew/characters/characters.h"
#include "sinew/core/text.h"
#include "sinew/pipeline/methods.h"
#include "sinew/weights/geodesic.h"
#include "sinew/weights/lock.h"
#include "sinew/weights/prune_smoothly.h"

namespace sinew {
namespace {

constexpr double kNegligible = 1e-5;  // weights below this are not stored

// Fills what the method left: through the voxel body where it reaches, else from the nearest bone.
Result<void> fill(const Surface& surface, const BindRequest& request, BoneWeights& weights,
                  BindReport& report) {
  if (std::all_of(weights.bound.begin(), weights.bound.end(), [](std::uint8_t b) { return b != 0; }))
    return {};
  GeodesicWeights geodesic;
  if (request.method == "geodesic") {
    geodesic.weights.bound.assign(weights.bound.size(), 0);  // it has had its turn
  } else {
    GeodesicOptions options;
    options.voxels = request.voxels;
    options.progress = request.progress;
    SINEW_TRY(geodesic, geodesic_weights(surface.input(), options));
    report.voxels = std::max(report.voxels, geodesic.voxels);
  }
  std::size_t lost = 0;  // stored vertices that not even the voxel body joins to a bone
  for (const std::uint32_t i : surface.welded.weld.to_welded)
    lost += !weights.bound[i] && !geodesic.weights.bound[i];
  if (lost > 0)
    report.notes.push_back(fmt::format(
        "{} of {} vertices have no way to a bone through the voxel body and follow the nearest one", lost,
        report.vertices));
  for (std::size_t i = 0; i < weights.bound.size(); ++i) {
    if (weights.bound[i]) continue;
    auto row = weights.values.row(static_cast<Eigen::Index>(i));
    if (geodesic.weights.bound[i]) {
      row = geodesic.weights.values.row(static_cast<Eigen::Index>(i));
    } else {
      row.setZero();
      row[static_cast<Eigen::Index>(nearest_bone(surface.welded.weld.positions[i], surface.bones))] = 1;
    }
    weights.bound[i] = 1;
  }
  return {};
}

// Dense rows of welded vertices into sparse rows of stored ones.
SkinWeights to_skin(const Surface& surface, const BoneWeights& weights) {
  SkinWeights skin;
  skin.offsets.assign(1, 0);
  std::vector<Influence> row;
  for (const std::uint32_t i : surface.welded.weld.to_welded) {
    row.clear();
    for (std::size_t j = 0; j < surface.bones.size(); ++j)
      if (const double w = weights.values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
          w > kNegligible)
        row.push_back({static_cast<std::uint32_t>(surface.bones[j].joint), w});
    skin.add_row(row);
  }
  return skin;
}

void count_filled(const Surface& surface, const std::vector<std::uint8_t>& bound, BindReport& report) {
  for (const std::uint32_t i : surface.welded.weld.to_welded) report.filled += !bound[i];
  if (report.filled > 0)
    report.notes.push_back(fmt::format("{} of {} vertices could not be bound by '{}' and were filled",
                                       report.filled, report.vertices, report.method));
}

// The new weights with what the user locked put back.
Result<SkinWeights> with_locks(const Rig& rig, const BindRequest& request, const SkinWeights& solved) {
  std::vector<std::uint8_t> joints(rig.skeleton.size(), 0), vertices(rig.mesh.vertex_count(), 0);
  for (const std::string& name : request.locked_joints) {
    const auto joint = rig.skeleton.find(name);
    if (!joint) return usage_error(fmt::format("--lock: there is no joint '{}'", printable(name)));
    joints[*joint] = 1;
  }
  for (const std::size_t vertex : request.locked_vertices) {
    if (vertex >= vertices.size())
      return usage_error(
          fmt::format("there is no vertex {} to lock; the mesh has {}", vertex, vertices.size()));
    vertices[vertex] = 1;
  }
  if (rig.weights.entries.empty()) return impossible("the file has no weights that could be locked");
  return apply_locks(solved, rig.weights, vertices, joints, request.influences);
}

void finish(const Pruned& pruned, BindReport& report) {
  const WeightStats stats = weight_stats(pruned.weights, 0, pruned.weights.vertex_count());
  report.unweighted = stats.unweighted;
  report.max_row_error = stats.max_row_error;
  report.min = stats.min;
  report.max = stats.max;
  report.pruning_error = pruned.error;
}

}  // namespace

Result<BindReport> bind(Rig& rig, const BindRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  if (request.influences < 1 || request.influences > 64)
    return usage_error("--influences must lie between 1 and 64");
  SINEW_TRY(const Surface surface, make_surface(rig));
  BindReport report;
  report.method = request.method;
  report.vertices = rig.mesh.vertex_count();
  report.bones = surface.bones.size();
  SINEW_TRY(BoneWeights weights, compute_weights(surface.input(), request, report));
  report.clamped = weights.clamped;
  report.iterations = weights.iterations;
  if (is_cancelled(request.progress)) return cancelled();

  const IslandPlan plan = plan_islands(surface.welded.view(), request.follow, request.linked);
  report.islands = plan.components.count;
  report.following = plan.following;
  // Rows that are about to be replaced were not missing.
  for (std::size_t i = 0; i < weights.bound.size(); ++i)
    if (const std::uint32_t island = plan.components.of_vertex[i];
        island != kNoComponent && plan.follows[island])
      weights.bound[i] = 1;
  count_filled(surface, weights.bound, report);
  if (request.strict && report.filled > 0) return impossible(report.notes.back() + "; --strict forbids that");
  SINEW_CHECK(fill(surface, request, weights, report));
  follow_body(surface.welded.view(), plan, weights);
  if (plan.following > 0)
    report.notes.push_back(
        fmt::format("{} of {} islands follow the body under them", plan.following, report.islands));

  std::vector<int> parents;
  for (std::size_t j = 0; j < rig.skeleton.size(); ++j) parents.push_back(rig.skeleton[j].parent);
  Pruned pruned = prune_smoothly(to_skin(surface, weights), parents, surface.welded, request.influences);
  if (!request.locked_joints.empty() || !request.locked_vertices.empty()) {
    SINEW_TRY(pruned.weights, with_locks(rig, request, pruned.weights));
  }
  finish(pruned, report);
  if (report.unweighted > 0)
    return Error{ErrorCode::kBug, fmt::format("{} vertices were left without weights", report.unweighted)};
  SINEW_TRY(EndpointWeights endpoint, endpoints_for(rig, pruned.weights, surface.input(),
                                                    surface.welded.weld.to_welded, request, report));
  rig.endpoint = std::move(endpoint);
  rig.weights = std::move(pruned.weights);
  rig.joint_weights = {};  // they were made for other weights, or for another skeleton
  for (MeshPart& part : rig.parts) part.skinned = true;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

void set_skeleton(Rig& rig, Skeleton skeleton) {
  rig.skeleton = std::move(skeleton);
  rig.inverse_bind.clear();
  for (const Affine3& global : global_transforms(rig.skeleton, rest_pose(rig.skeleton).local))
    rig.inverse_bind.push_back(global.inverse());
  rig.weights = {};
  rig.endpoint = {};
  rig.joint_weights = {};
  rig.pose_spaces.clear();
  rig.weights.offsets.assign(rig.mesh.vertex_count() + 1, 0);
  rig.clips.clear();
}

Result<Skeleton> fit_template(const std::string& name, const Box3& box) {
  SINEW_TRY(const Rig character, make_character(name, {.resolution = 1000}));
  const Box3 own = bounding_box(character.mesh.positions);
  const Vec3 scale = box.sizes().cwiseQuotient(own.sizes().cwiseMax(1e-12));
  const auto fitted = [&](const Vec3& p) -> Vec3 { return box.min() + scale.cwiseProduct(p - own.min()); };
  const auto globals = global_transforms(character.skeleton, rest_pose(character.skeleton).local);
  std::vector<Joint> joints(character.skeleton.joints().begin(), character.skeleton.joints().end());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Vec3 head = fitted(globals[j].translation());
    const Vec3 above = joints[j].parent < 0
                           ? Vec3::Zero()
                           : fitted(globals[static_cast<std::size_t>(joints[j].parent)].translation());
    joints[j].rest_local = Affine3(Eigen::Translation3d(head - above));
    if (joints[j].tail) joints[j].tail = fitted(globals[j] * *joints[j].tail) - head;
  }
  return Skeleton::create(std::move(joints));
}

}  // namespace sinew
