// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "binding/endpoints.h"
#include "sinew/binding/islands.h"
#include "sinew/binding/joint_weights.h"
#include "sinew/binding/skin_chains.h"
#include "sinew/binding/surface.h"
#include "sinew/binding/weight_methods.h"
#include "sinew/core/counted.h"
#include "sinew/core/text.h"
#include "sinew/measure/weight_faults.h"
#include "sinew/skeleton/carry_clip.h"
#include "sinew/skeleton/joint_hint.h"
#include "sinew/weights/geodesic.h"
#include "sinew/weights/lock.h"
#include "sinew/weights/prune_with_falloff.h"

namespace sinew {
namespace {

constexpr double kNegligible = 1e-5;  // weights below this are not stored

// Fills what the method left: through the solid voxel grid where it reaches, else from the nearest bone.
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
  std::size_t lost = 0;  // stored vertices that not even the solid voxel grid joins to a bone
  for (const std::uint32_t i : surface.welded.weld.to_welded)
    lost += !weights.bound[i] && !geodesic.weights.bound[i];
  if (lost > 0)
    report.warnings.push_back(
        fmt::format("{} of {} vertices {} the nearest one", lost, report.vertices,
                    agreeing(lost, "has no path to a bone through the voxel grid and follows",
                             "have no path to a bone through the voxel grid and follow")));
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

// What lies across a gap is near in the solid voxel grid, which may close it: thighs that touch, a mouth. Weights
// that a joint has there, far from what it carries on the way along the surface, are taken away.
void clear_gaps(const Surface& surface, BoneWeights& weights) {
  constexpr StrayOptions kAcross{.weight = 1e-2, .detour = 2.5, .fewest = 1};
  constexpr double kLeft = 0.25;  // of a row: a vertex that is held from across alone stays as it is
  SkinWeights rows;
  std::vector<Influence> row;
  for (Eigen::Index i = 0; i < weights.values.rows(); ++i) {
    row.clear();
    for (Eigen::Index j = 0; j < weights.values.cols(); ++j)
      if (weights.values(i, j) > kNegligible)
        row.push_back({static_cast<std::uint32_t>(j), weights.values(i, j)});
    rows.add_row(row);
  }
  for (const StrayWeights& stray : stray_weights(surface.welded.view(), rows, surface.bones.size(), kAcross))
    for (const std::uint32_t i : stray.vertices) {
      double& value = weights.values(i, static_cast<Eigen::Index>(stray.joint));
      if (stray.near && weights.values.row(i).sum() - value > kLeft) value = 0;
    }
  normalise_rows(weights);
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

// Per joint: whether it gets weights. Empty: all that deform.
Result<std::vector<std::uint8_t>> carrying_joints(const Rig& rig, const BindRequest& request,
                                                  BindReport& report) {
  const std::size_t count = rig.skeleton.deforming_count();
  std::vector<std::uint8_t> carrying(rig.skeleton.size(), 0);
  for (const Influence& influence : rig.weights.entries)
    if (influence.weight > 0 && influence.joint < count) carrying[influence.joint] = 1;
  const bool bound = std::any_of(carrying.begin(), carrying.end(), [](std::uint8_t c) { return c != 0; });
  for (const std::string& name : request.added_joints) {
    const auto joint = rig.skeleton.find(name);
    if (joint)
      carrying[*joint] = 1;
    else if (name == "all")
      std::fill_n(carrying.begin(), count, std::uint8_t{1});
    else
      return parameter_error("add-joint", fmt::format("names '{}': there is no such joint{}", printable(name),
                                                      joint_hint(rig.skeleton, name)));
  }
  const auto used = static_cast<std::size_t>(
      std::count(carrying.begin(), carrying.begin() + static_cast<std::ptrdiff_t>(count), 1));
  if (!bound || used == count) return std::vector<std::uint8_t>();
  report.idle_joints = count - used;
  report.warnings.push_back(fmt::format("{} of {} joints {} none", report.idle_joints, count,
                                        agreeing(report.idle_joints, "has no weights in the file and gets",
                                                 "have no weights in the file and get")));
  return carrying;
}

// The rig with bones as its own weights tell of them.
Result<Rig> bones_of_skin(const Rig& rig) {
  if (rig.weights.entries.empty()) return rig;
  std::vector<std::string> controls;  // named where it matters: which joints carry what stays as it was
  return as_chains(rig, controls);
}

// Where the file does not say where bones end, it does from now on: whoever reads it finds the bones that it was bound to.
Result<Skeleton> with_ends_of(const Skeleton& chains, const Skeleton& skeleton) {
  std::vector<Joint> joints(skeleton.joints().begin(), skeleton.joints().end());
  for (std::size_t j = 0; j < joints.size(); ++j)
    if (!joints[j].tail) joints[j].tail = chains[j].tail;
  return Skeleton::create(std::move(joints));
}

void note_islands(const IslandPlan& plan, BindReport& report) {
  report.islands = plan.components.count;
  report.layers = plan.count(IslandBinding::kLayer);
  report.rigid = plan.count(IslandBinding::kRigid);
  if (report.layers > 0)
    report.warnings.push_back(
        fmt::format("{} of {} islands {}", report.layers, report.islands,
                    agreeing(report.layers, "follows the body beneath it", "follow the body beneath them")));
  if (report.rigid > 0)
    report.warnings.push_back(fmt::format(
        "{} of {} islands {}", report.rigid, report.islands,
        agreeing(report.rigid, "is rigid: one joint moves it", "are rigid: one joint moves each of them")));
}

void count_filled(const Surface& surface, const std::vector<std::uint8_t>& bound, BindReport& report) {
  for (const std::uint32_t i : surface.welded.weld.to_welded) report.filled += !bound[i];
  if (report.filled > 0)
    report.warnings.push_back(fmt::format("{} of {} vertices could not be bound by '{}' and {} filled",
                                          report.filled, report.vertices, report.method,
                                          agreeing(report.filled, "was", "were")));
}

// The new weights with what the user locked put back. `vertices`: those whose rows stay anyway.
Result<SkinWeights> with_locks(const Rig& rig, const BindRequest& request, std::vector<std::uint8_t> vertices,
                               const SkinWeights& solved) {
  std::vector<std::uint8_t> joints(rig.skeleton.size(), 0);
  for (const std::string& name : request.locked_joints) {
    const auto joint = rig.skeleton.find(name);
    if (!joint)
      return parameter_error("lock", fmt::format("names '{}': there is no such joint{}", printable(name),
                                                 joint_hint(rig.skeleton, name)));
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

std::string joint_method(const BindRequest& request) {
  if (!request.joint_weights.empty()) return request.joint_weights;
  return elastic_fit(request.method) ? request.method : "none";
}

Result<void> add_joint_weights(Rig& rig, BindingContext& context, const BindRequest& request,
                               BindReport& report) {
  JointWeightsRequest wanted;
  wanted.method = joint_method(request);
  if (wanted.method == "none") return {};
  wanted.influences = request.influences;
  wanted.voxels = request.voxels;
  wanted.settings = request.settings;
  wanted.islands = request.islands;
  wanted.progress = request.progress;
  SINEW_TRY(const JointWeightsReport made, make_joint_weights(rig, context, wanted));
  report.warnings.insert(report.warnings.end(), made.warnings.begin(), made.warnings.end());
  return {};
}

// Settings of other methods mean nothing to flesh.
Settings twist_setting(const Settings& settings) {
  return {{"twist-weights", settings.find("twist-weights")->second}};
}

Result<void> add_flesh(Rig& rig, BindingContext& context, const BindRequest& request, BindReport& report) {
  if (!request.flesh) return {};
  FleshRequest wanted = *request.flesh;
  if (request.settings.contains("twist-weights")) {
    SINEW_TRY(const ElasticWeightOptions options,
              elastic_options("elastic", twist_setting(request.settings)));
    wanted.twist = options.twist;
  }
  wanted.islands = request.islands;
  wanted.progress = request.progress;
  SINEW_TRY(report.flesh, make_flesh(rig, context, wanted));
  report.warnings.insert(report.warnings.end(), report.flesh->warnings.begin(), report.flesh->warnings.end());
  return {};
}

// Whether a part is a rigid piece of a node that is no bone.
bool is_on_node(const Rig& rig, const MeshPart& part) {
  if (part.vertex_count == 0) return false;
  const auto row = rig.weights.row(part.vertex_begin);
  return row.size() == 1 && row[0].joint >= rig.skeleton.deforming_count();
}

// The rig's clips on the joints of another skeleton. A clip stays in its place and keeps what it does to
// shape keys; it loses its joints where less than half of those that it moves are there.
void carry_clips(Rig& rig, const Skeleton& skeleton) {
  const std::vector<Affine3> bind = bind_transforms(rig);
  for (Clip& clip : rig.clips) {
    Clip carried{clip.name, {}};
    const MatchedJoints joints = count_matched(clip, rig.skeleton, skeleton);
    if (joints.matched > 0 && 2 * joints.matched >= joints.moved)
      if (auto fitted = carry_clip(clip, rig.skeleton, bind, skeleton)) carried = std::move(fitted->clip);
    std::copy_if(clip.channels.begin(), clip.channels.end(), std::back_inserter(carried.channels),
                 [](const Channel& channel) { return channel.path == ChannelPath::kKeyWeights; });
    clip = std::move(carried);
  }
}

}  // namespace

void note_pruned(const Rig& rig, const SkinWeights& before, const SkinWeights& after, BindReport& report) {
  constexpr double kMuch = 0.1;  // of a row: the skin shows it
  constexpr std::size_t kNamed = 3;
  std::string names;
  std::size_t much = 0;
  for (const JointLoss& loss : joint_losses(before, after, rig.skeleton.size())) {
    report.pruned.push_back({rig.skeleton[loss.joint].name, loss.largest, loss.vertices});
    if (loss.largest <= kMuch || ++much > kNamed) continue;
    names += fmt::format("{}{} loses up to {:.2f} of a vertex", much > 1 ? ", " : "",
                         printable(rig.skeleton[loss.joint].name), loss.largest);
  }
  if (much == 0) return;
  report.warnings.push_back(
      fmt::format("pruning to {} loses weight: {}{}; allow more influences to keep it",
                  counted(static_cast<std::size_t>(after.max_influences()), "influence"), names,
                  much > kNamed ? ", and " + counted(much - kNamed, "more joint") : ""));
}

Result<void> check_influences(int influences) {
  if (influences >= 1 && influences <= 64) return {};
  return parameter_error("influences", fmt::format("is {}: give a number from 1 to 64", influences));
}

Result<BindReport> bind(Rig& rig, const BindRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  SINEW_CHECK(check_influences(request.influences));
  BindReport report;
  SINEW_TRY(const std::vector<std::uint8_t> carrying, carrying_joints(rig, request, report));
  SINEW_TRY(const Rig chains, bones_of_skin(rig));
  SINEW_TRY(BindingContext context, BindingContext::make(chains, request.voxels, request.progress, carrying));
  const Surface& surface = context.surface();
  report.method = request.method;
  report.vertices = rig.mesh.vertex_count();
  report.bones = surface.bones.size();
  SINEW_TRY(BoneWeights weights, compute_weights(context, request, report));
  report.clamped = weights.clamped;
  report.iterations = weights.iterations;
  if (is_cancelled(request.progress)) return cancelled();

  SINEW_TRY(const IslandPlan plan, plan_islands(rig, surface, request.islands));
  note_islands(plan, report);
  // Rows that are about to be replaced are not missing.
  for (std::size_t i = 0; i < weights.bound.size(); ++i)
    if (plan.binding_of(i) != IslandBinding::kOwn) weights.bound[i] = 1;
  count_filled(surface, weights.bound, report);
  if (request.strict && report.filled > 0)
    return impossible(report.warnings.back() + "; a strict binding forbids that");
  SINEW_CHECK(fill(surface, request, weights, report));
  if (report.voxels > 0) clear_gaps(surface, weights);
  bind_islands(surface, plan, weights);

  std::vector<int> parents;
  for (std::size_t j = 0; j < rig.skeleton.size(); ++j) parents.push_back(rig.skeleton[j].parent);
  const SkinWeights whole = to_skin(surface, weights);
  Pruned pruned = prune_with_falloff(whole, parents, surface.welded, request.influences);
  note_pruned(rig, whole, pruned.weights, report);
  std::vector<std::uint8_t> kept;
  for (const std::uint32_t i : surface.welded.weld.to_welded) kept.push_back(plan.is_kept(i));
  if (!request.locked_joints.empty() || !request.locked_vertices.empty() ||
      std::find(kept.begin(), kept.end(), 1) != kept.end()) {
    SINEW_TRY(pruned.weights, with_locks(rig, request, std::move(kept), pruned.weights));
  }
  finish(pruned, report);
  if (report.unweighted > 0)
    return Error{ErrorCode::kBug,
                 counted(report.unweighted, "vertex was", "vertices were") + " left without weights"};
  SINEW_TRY(EndpointWeights endpoint, endpoints_for(rig, pruned.weights, surface.input(),
                                                    surface.welded.weld.to_welded, request, report));
  // Joint weights are made from the new weights; where that fails, the rig gets its old ones back.
  SINEW_TRY(Skeleton ended, with_ends_of(chains.skeleton, rig.skeleton));
  std::swap(rig.skeleton, ended);
  std::swap(rig.endpoint, endpoint);
  std::swap(rig.weights, pruned.weights);
  JointWeights old = std::exchange(rig.joint_weights, {});
  Flesh old_flesh = std::exchange(rig.flesh, {});
  // All that has weights now is skinned, and flesh leaves out what is not.
  std::vector<MeshPart> old_parts = rig.parts;
  for (MeshPart& part : rig.parts) part.skinned = part.skinned || !is_on_node(rig, part);
  Result<void> added = [&]() -> Result<void> {
    SINEW_CHECK(add_joint_weights(rig, context, request, report));
    if (!request.flesh || carrying.empty()) return add_flesh(rig, context, request, report);
    // Flesh has a field for every joint.
    SINEW_TRY(BindingContext all, BindingContext::make(rig, request.voxels, request.progress));
    return add_flesh(rig, all, request, report);
  }();
  if (!added) {
    std::swap(rig.skeleton, ended);
    std::swap(rig.endpoint, endpoint);
    std::swap(rig.weights, pruned.weights);
    rig.joint_weights = std::move(old);
    rig.flesh = std::move(old_flesh);
    rig.parts = std::move(old_parts);
    return added.error();
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

void set_skeleton(Rig& rig, Skeleton skeleton) {
  carry_clips(rig, skeleton);
  rig.skeleton = std::move(skeleton);
  rig.inverse_bind.clear();
  for (const Affine3& global : global_transforms(rig.skeleton, rest_pose(rig.skeleton).local))
    rig.inverse_bind.push_back(global.inverse());
  rig.weights = {};
  rig.endpoint = {};
  rig.joint_weights = {};
  rig.flesh = {};
  rig.pose_spaces.clear();
  rig.weights.offsets.assign(rig.mesh.vertex_count() + 1, 0);
}

}  // namespace sinew
