// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/posed_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sinew/binding/prepare.h"
#include "sinew/mesh/subdivision.h"

namespace sinew {
namespace {

constexpr double kLongFrame = 50;  // milliseconds

// Nothing can move it: it keeps its full precision.
bool is_still(const Rig& rig, const DeformChoice& choice, const RigDeformer& deformer) {
  return !deformer.subdivision() && rig.skeleton.empty() && rig.keys.empty() && rig.cages.empty() &&
         rig.points.empty() && choice.held.empty();
}

std::size_t first_far(std::span<const Vec3f> positions) {
  const auto bad =
      std::find_if(positions.begin(), positions.end(), [](const Vec3f& p) { return !p.allFinite(); });
  return static_cast<std::size_t>(bad - positions.begin());
}

}  // namespace

Error frame_error(Status status) {
  const bool memory = status == Status::kOutOfMemory;
  return {memory                       ? ErrorCode::kLimit
          : status == Status::kBadPose ? ErrorCode::kUsage
                                       : ErrorCode::kImpossible,
          status_text(status)};
}

Result<void> check_frame(const Rig& rig, std::span<const Vec3f> positions, ReadyDeformer& ready) {
  const std::size_t bad = first_far(positions);
  if (bad == positions.size()) return {};
  // Where the file's own pose does it too, nothing that the user said is at fault.
  std::vector<Vec3f> rest(positions.size());
  const Status status = ready.deformer.evaluate(rest_pose(rig.skeleton), ready.workspace, rest);
  if (status == Status::kOk && !ready.held && first_far(rest) < rest.size())
    return bad_input(
        fmt::format("the position of vertex {} is not finite, even in the file's own pose: its stack, keys "
                    "or pose spaces hold numbers that are too large, or its mesh is degenerate",
                    bad));
  return impossible(
      fmt::format("the position of vertex {} is not finite in this pose; give smaller angles, key weights or "
                  "handle positions, or another deformer",
                  bad));
}

Result<ReadyDeformer> ready_deformer(const Rig& rig, const DeformChoice& choice) {
  const Stack stack = choice.stack.empty() ? stack_of(rig) : choice.stack;
  SINEW_TRY(const Stack usable, usable_stack(rig, stack));  // what it skips, the deformer's warnings say
  SINEW_TRY(const DeformerNeeds needs, needs_of(usable));
  DeformerData data;
  data.held = choice.held;
  data.progress = choice.progress;
  std::vector<std::string> made;
  const auto build = [&](const Rig& ready) -> Result<ReadyDeformer> {
    SINEW_TRY(RigDeformer deformer, RigDeformer::build(ready, stack, data));
    made.insert(made.end(), deformer.warnings().begin(), deformer.warnings().end());
    RigWorkspace workspace = deformer.make_workspace();
    for (std::size_t c = 0; c < choice.controls.cages.size(); ++c)
      if (c >= rig.cages.size() || (!choice.controls.cages[c].empty() &&
                                    choice.controls.cages[c].size() != rig.cages[c].mesh.vertex_count()))
        return usage_error("the moved cage has another number of control points than the rig's");
    for (const HandleTarget& target : choice.controls.handles)
      if (target.handle >= rig.points.points.size())
        return usage_error("there is no handle " + std::to_string(target.handle) + ": the rig has " +
                           std::to_string(rig.points.points.size()));
    workspace.controls() = choice.controls;
    workspace.controls().cages.resize(rig.cages.size());
    const bool moved = std::any_of(choice.controls.cages.begin(), choice.controls.cages.end(),
                                   [](const std::vector<Vec3>& points) { return !points.empty(); });
    return ReadyDeformer{std::move(deformer), std::move(workspace), std::move(made),
                         moved || !choice.held.empty() || !choice.controls.handles.empty()};
  };
  if (is_ready(rig, needs)) return build(rig);
  Rig copy = rig;
  SINEW_TRY(const PrepareReport report, prepare(copy, needs, data, choice.progress));
  made = report.made;
  return build(copy);
}

const PolyMesh& shown_mesh(const Rig& rig, const RigDeformer& deformer) {
  return deformer.subdivision() ? deformer.subdivision()->mesh() : rig.mesh;
}

Result<PolyMesh> posed_mesh(const Rig& rig, const Pose& pose, ReadyDeformer& ready) {
  PolyMesh mesh = shown_mesh(rig, ready.deformer);
  std::vector<Vec3f> positions(mesh.vertex_count());
  mesh.normals.resize(mesh.vertex_count());
  const Status status = ready.deformer.evaluate_near(pose, ready.workspace, positions, mesh.normals);
  if (status != Status::kOk) return frame_error(status);
  SINEW_CHECK(check_frame(rig, positions, ready));
  const auto origin = ready.deformer.origin();
  for (std::size_t i = 0; i < positions.size(); ++i)
    mesh.positions[i] = positions[i].cast<double>() + Vec3(origin[0], origin[1], origin[2]);
  return mesh;
}

Result<PolyMesh> posed_mesh(const Rig& rig, const Pose& pose, const DeformChoice& choice,
                            std::vector<std::string>* made) {
  SINEW_TRY(ReadyDeformer ready, ready_deformer(rig, choice));
  if (made) made->insert(made->end(), ready.made.begin(), ready.made.end());
  if (is_still(rig, choice, ready.deformer)) return rig.mesh;
  return posed_mesh(rig, pose, ready);
}

Result<TimedFrame> timed_frame(const Rig& rig, const Pose& pose, const DeformChoice& choice) {
  SINEW_TRY(ReadyDeformer ready, ready_deformer(rig, choice));
  TimedFrame frame;
  const auto run = [&]() -> Result<void> {
    const auto start = std::chrono::steady_clock::now();
    SINEW_TRY(frame.mesh, posed_mesh(rig, pose, ready));
    frame.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return {};
  };
  frame.made = std::move(ready.made);
  if (ready.deformer.subdivision()) frame.rest = ready.deformer.subdivision()->mesh();
  if (is_still(rig, choice, ready.deformer)) {
    frame.mesh = rig.mesh;
    return frame;
  }
  SINEW_CHECK(run());
  if (frame.milliseconds < kLongFrame) SINEW_CHECK(run());
  frame.energy = ready.deformer.energy(ready.workspace);
  return frame;
}

}  // namespace sinew
