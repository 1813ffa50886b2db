// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/inspect.h"

#include <algorithm>

#include "sinew/rig/skinned_mesh.h"

namespace sinew {

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
  } else {
    for (std::size_t j = 0; j < rig.skeleton.deforming_count(); ++j)
      report.joint_names.push_back(rig.skeleton[j].name);
    report.influences = rig.weights.max_influences();
  }
  for (const Clip& clip : rig.clips) report.clip_names.push_back(clip.name);
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
