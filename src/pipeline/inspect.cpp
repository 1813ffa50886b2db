// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/inspect.h"

#include <algorithm>

#include "sinew/rig/skinned_mesh.h"
#include "sinew/skeleton/bone_tree.h"

namespace sinew {
namespace {

// Who carries whom, and how much each joint holds.
void inspect_joints(const Rig& rig, AssetReport& report) {
  const std::size_t joints = report.joint_names.size();
  if (joints != rig.skeleton.deforming_count()) return;  // the file names joints that the rig does not have
  report.joint_parents = bone_parents(rig.skeleton);
  report.joint_vertices.assign(joints, 0);
  report.joint_sums.assign(joints, 0);
  for (const Influence& influence : rig.weights.entries) {
    if (influence.joint >= joints) continue;
    ++report.joint_vertices[influence.joint];
    report.joint_sums[influence.joint] += static_cast<double>(influence.weight);
  }
}

// A skeleton that moves and carries nothing.
void inspect_motion(const Rig& rig, AssetReport& report) {
  if (rig.mesh.vertex_count() > 0 || rig.clips.size() != 1) return;
  const std::vector<float>* longest = nullptr;
  for (const Channel& channel : rig.clips[0].channels)
    if (!longest || channel.times.size() > longest->size()) longest = &channel.times;
  if (!longest || longest->empty()) return;
  report.motion_frames = longest->size();
  const double seconds = static_cast<double>(longest->back()) - static_cast<double>(longest->front());
  report.motion_fps = seconds > 0 ? static_cast<double>(longest->size() - 1) / seconds : 0;
}

}  // namespace

Result<AssetReport> inspect(const Asset& asset) {
  const Rig& rig = asset.rig;
  AssetReport report;
  // Equal positions are welded in the file's own pose: parts of a scene meet there, not where each of them
  // was modelled.
  const PolyMesh posed = skinned_mesh(rig, rest_pose(rig.skeleton));
  report.mesh = mesh_report(posed);
  report.box = bounding_box(posed.positions);
  if (asset.document) {
    const GltfSummary summary = summarise(*asset.document);
    report.joint_names = summary.joint_names;
    report.influences = summary.influences;
    report.materials = summary.materials;
  } else {
    for (std::size_t j = 0; j < rig.skeleton.deforming_count(); ++j)
      report.joint_names.push_back(rig.skeleton[j].name);
    report.influences = rig.weights.max_influences();
  }
  inspect_joints(rig, report);
  inspect_motion(rig, report);
  report.joint_weights = rig.joint_weights.empty() ? "" : rig.joint_weights.method;
  if (!rig.flesh.empty()) report.flesh = rig.flesh.tolerance;
  report.flesh_fields = rig.flesh.fields.size();
  report.endpoint = rig.endpoint.empty() ? "" : rig.endpoint.method;
  report.endpoint_twist = !rig.endpoint.empty() && !rig.endpoint.twist.empty();
  for (const Clip& clip : rig.clips) {
    report.clip_names.push_back(clip.name);
    report.clip_seconds.push_back(clip.duration());
  }
  for (const ShapeKey& key : rig.keys) report.key_names.push_back(key.name);
  for (const MeshPart& part : rig.parts) {
    if (!part.skinned) continue;
    const WeightStats stats =
        weight_stats(rig.weights, part.vertex_begin, part.vertex_begin + part.vertex_count);
    report.unweighted += stats.unweighted;
    report.max_row_error = std::max(report.max_row_error, stats.max_row_error);
  }
  return report;
}

}  // namespace sinew
