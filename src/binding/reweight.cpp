// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/reweight.h"

#include <fmt/format.h>

#include <chrono>

#include "binding/endpoints.h"
#include "sinew/core/counted.h"
#include "sinew/mesh/topology.h"
#include "sinew/weights/mirror.h"
#include "sinew/weights/prune_with_falloff.h"
#include "sinew/weights/smooth.h"
#include "sinew/weights/transfer.h"

namespace sinew {
namespace {

// Target joint of every source joint, by name.
std::vector<int> map_joints(const Skeleton& source, const Skeleton& target) {
  std::vector<int> map;
  for (const Joint& joint : source.joints()) {
    const auto found = target.find(joint.name);
    map.push_back(found ? static_cast<int>(*found) : -1);
  }
  return map;
}

Result<void> take_weights(Rig& rig, const Rig& from, BindReport& report) {
  if (rig.skeleton.deforming_count() == 0) {
    rig.skeleton = from.skeleton;
    rig.inverse_bind = from.inverse_bind;
    rig.clips = from.clips;
  }
  const TriangleView view = triangulate(from.mesh);
  SINEW_TRY(Transferred taken, transfer_weights({from.mesh.positions, view.triangles}, from.weights,
                                                rig.mesh.positions, map_joints(from.skeleton, rig.skeleton)));
  report.warnings.push_back(
      fmt::format("weights transferred from a surface at most {:.3g} away", taken.largest_distance));
  rig.weights = std::move(taken.weights);
  rig.endpoint = from.endpoint.empty() ? EndpointWeights() : projected_endpoints(rig);
  for (MeshPart& part : rig.parts) part.skinned = true;
  return {};
}

}  // namespace

Result<BindReport> reweight(Rig& rig, const ReweightRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  BindReport report;
  report.method = "reweight";
  Rig work = rig;
  if (request.from) SINEW_CHECK(take_weights(work, *request.from, report));
  if (work.weights.entries.empty())
    return impossible("the file has no weights to edit: bind it first with 'sinew weights'");
  const SkinWeights rows = work.weights;  // what the endpoint weights belong to
  const TriangleView view = triangulate(work.mesh);
  const MeshView mesh{work.mesh.positions, view.triangles};
  if (request.mirror) {
    MirrorOptions options;
    options.axis = *request.mirror;
    options.from_positive = request.mirror_from_positive;
    SINEW_TRY(Mirrored mirrored,
              mirror_weights(mesh, work.weights, work.skeleton, bind_transforms(work), options));
    report.warnings.push_back(fmt::format("{} mirrored, {} made symmetric",
                                          counted(mirrored.copied, "vertex", "vertices"), mirrored.middle));
    work.weights = std::move(mirrored.weights);
  }
  const WeldedTriangles welded = weld_triangles(mesh);
  if (request.smooth > 0) work.weights = smooth_weights(work.weights, welded, {.rounds = request.smooth});
  std::vector<int> parents;
  for (const Joint& joint : work.skeleton.joints()) parents.push_back(joint.parent);
  Pruned pruned = prune_with_falloff(work.weights, parents, welded, request.influences);
  report.pruning_error = pruned.error;
  note_pruned(work, work.weights, pruned.weights, report);
  work.weights = rows;
  work.endpoint = carried_endpoints(work, pruned.weights);
  work.weights = std::move(pruned.weights);

  const WeightStats stats = weight_stats(work.weights, 0, work.weights.vertex_count());
  report.vertices = work.mesh.vertex_count();
  report.bones = work.skeleton.deforming_count();
  report.unweighted = stats.unweighted;
  report.max_row_error = stats.max_row_error;
  report.min = stats.min;
  report.max = stats.max;
  report.islands = connected_components(welded.weld.positions.size(), FaceList(welded.triangles)).count;
  rig = std::move(work);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace sinew
