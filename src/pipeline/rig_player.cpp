// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/rig_player.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/measure/shape.h"
#include "sinew/mesh/topology.h"

namespace sinew {
namespace {

// Of the posed against the rest shape; none where the surface does not enclose a volume.
std::optional<double> volume_change(const PolyMesh& rest, const PolyMesh& posed) {
  const MeshReport topology = mesh_report(rest);
  if (topology.boundary_edges + topology.nonmanifold_edges > 0) return std::nullopt;
  const TriangleView view = triangulate(rest);
  const double before = enclosed_volume({rest.positions, view.triangles});
  const double change = (enclosed_volume({posed.positions, view.triangles}) - before) / std::abs(before);
  return std::isfinite(change) ? std::optional(change) : std::nullopt;
}

// after = before + mask * (after - before).
void blend(std::span<const Vec3f> before, std::span<const Vec3f> normals_before, std::span<const float> mask,
           std::span<Vec3f> after, std::span<Vec3f> normals_after) noexcept {
  parallel_for(mask.size(), 1 << 13, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      after[i] = before[i] + mask[i] * (after[i] - before[i]);
      const Vec3f normal = normals_before[i] + mask[i] * (normals_after[i] - normals_before[i]);
      const float length = normal.norm();
      if (length > 0) normals_after[i] = normal / length;
    }
  });
}

}  // namespace

Result<RigPlayer> RigPlayer::build(const Rig& rig, const DeformRequest& request) {
  RigPlayer player(rig);
  SINEW_TRY(player.steps_, build_stack(rig, request));
  const std::size_t n = rig.mesh.vertex_count();
  for (const ShapeKey& key : rig.keys) player.default_keys_.push_back(key.default_weight);
  player.keys_.resize(rig.keys.size());
  SINEW_TRY(player.pose_spaces_, PoseSpaces::build(rig));
  player.pose_scratch_ = player.pose_spaces_.make_scratch();
  if (request.notes)
    request.notes->insert(request.notes->end(), player.pose_spaces_.merged().begin(),
                          player.pose_spaces_.merged().end());
  player.rest_.resize(n);
  for (std::size_t i = 0; i < n; ++i) player.rest_[i] = rig.mesh.positions[i].cast<float>();
  player.rest_normals_ = normals_of(rig.mesh);
  player.positions_ = player.rest_;
  player.normals_ = player.rest_normals_;
  if (player.steps_.size() > 1) {
    player.before_.resize(n);
    player.normals_before_.resize(n);
  }
  player.globals_.resize(rig.skeleton.size());
  player.matrices_.resize(rig.skeleton.size());
  return player;
}

void RigPlayer::evaluate(const Pose& pose, std::span<const Vec3f> rest) noexcept {
  forward_kinematics(rig_->skeleton, pose.local, globals_);
  skinning_matrices(*rig_, globals_, matrices_);
  std::span<const Vec3f> positions = rest, normals = rest_normals_;
  const std::vector<double>& given = pose.key_weights.empty() ? default_keys_ : pose.key_weights;
  std::copy(given.begin(), given.end(), keys_.begin());
  if (!pose_spaces_.empty()) pose_spaces_.add_weights(rig_->skeleton, pose.local, keys_, pose_scratch_);
  for (BuiltStep& step : steps_) {
    if (&step != steps_.data()) {
      positions_.swap(before_);
      normals_.swap(normals_before_);
      positions = before_;
      normals = normals_before_;
    }
    step.deformer->deform({positions, normals, globals_, matrices_, pose.bones, keys_}, *step.workspace,
                          positions_, normals_);
    if (!step.mask.empty()) blend(positions, normals, step.mask, positions_, normals_);
  }
}

std::optional<double> RigPlayer::energy() const {
  for (const BuiltStep& step : steps_)
    if (const auto energy = step.deformer->energy(*step.workspace)) return energy;
  return std::nullopt;
}

Result<PolyMesh> posed_mesh(const Rig& rig, const Pose& pose, const DeformRequest& request,
                            FrameReport* report) {
  PolyMesh mesh = rig.mesh;
  if (report) *report = {};
  const bool still = rig.keys.empty() && rig.cages.empty() && rig.points.empty() && request.handles.empty();
  if (rig.skeleton.empty() && still) {
    SINEW_CHECK(build_stack(rig, request));  // an unknown name is an error on every rig
    return mesh;
  }
  SINEW_TRY(RigPlayer player, RigPlayer::build(rig, request));
  player.evaluate(pose);
  if (report) {  // the first run warmed caches and threads
    const auto start = std::chrono::steady_clock::now();
    player.evaluate(pose);
    report->milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    report->energy = player.energy();
  }
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i)
    mesh.positions[i] = player.positions()[i].cast<double>();
  mesh.normals.assign(player.normals().begin(), player.normals().end());
  if (report) report->volume_change = volume_change(rig.mesh, mesh);
  return mesh;
}

}  // namespace sinew
