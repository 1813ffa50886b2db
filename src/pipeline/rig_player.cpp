// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/rig_player.h"

#include <chrono>
#include <cmath>

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

}  // namespace

Result<RigPlayer> RigPlayer::build(const Rig& rig, const DeformRequest& request) {
  RigPlayer player(rig);
  SINEW_TRY(player.deformer_, build_deformer(rig, request));
  player.workspace_ = player.deformer_->make_workspace();
  const std::size_t n = rig.mesh.vertex_count();
  for (const ShapeKey& key : rig.keys) player.default_keys_.push_back(key.default_weight);
  player.rest_.resize(n);
  for (std::size_t i = 0; i < n; ++i) player.rest_[i] = rig.mesh.positions[i].cast<float>();
  player.rest_normals_ = rig.mesh.normals;
  if (player.rest_normals_.size() != n) {
    const TriangleView view = triangulate(rig.mesh);
    player.rest_normals_.clear();
    for (const Vec3& normal : vertex_normals({rig.mesh.positions, view.triangles}))
      player.rest_normals_.push_back(normal.cast<float>());
  }
  player.positions_.resize(n);
  player.normals_.resize(n);
  player.globals_.resize(rig.skeleton.size());
  player.matrices_.resize(rig.skeleton.size());
  return player;
}

void RigPlayer::evaluate(const Pose& pose) noexcept {
  if (!rig_->keys.empty())
    apply_keys(*rig_, pose.key_weights.empty() ? default_keys_ : pose.key_weights, rest_);
  forward_kinematics(rig_->skeleton, pose.local, globals_);
  skinning_matrices(*rig_, globals_, matrices_);
  deformer_->deform({rest_, rest_normals_, globals_, matrices_, pose.bones}, *workspace_, positions_,
                    normals_);
}

Result<PolyMesh> posed_mesh(const Rig& rig, const Pose& pose, const DeformRequest& request,
                            FrameReport* report) {
  PolyMesh mesh = rig.mesh;
  if (report) *report = {};
  if (rig.skeleton.empty() && rig.keys.empty()) {
    SINEW_CHECK(build_deformer(rig, request));  // an unknown name is an error on every rig
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
