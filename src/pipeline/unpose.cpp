// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/unpose.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sinew/deform/unpose.h"
#include "sinew/pipeline/rig_player.h"
#include "sinew/pipeline/stack.h"

namespace sinew {
namespace {

Result<Inverse> inverse_of(const Rig& rig, const DeformRequest& request) {
  Inverse worst = Inverse::kExact;
  for (const StackEntry& entry : stack_of(rig, request)) {
    const Inverse one = step_inverse(rig, entry, request);
    worst = std::max(worst, one);
    if (one == Inverse::kNone)
      return impossible(fmt::format("step '{}' of the stack has no way back{}", entry.step,
                                    entry.step == "skeleton" ? " with deformer " + request.deformer : ""));
  }
  return worst;
}

}  // namespace

Result<std::vector<Vec3>> unposed(const Rig& rig, const Pose& pose, const DeformRequest& request,
                                  std::span<const Vec3> edited, UnposeReport& report) {
  const std::size_t n = rig.mesh.vertex_count();
  if (edited.size() != n)
    return bad_input(fmt::format("the edited mesh has {} vertices, but the rig has {}", edited.size(), n));
  UnposeOptions options;
  SINEW_TRY(options.inverse, inverse_of(rig, request));
  SINEW_TRY(RigPlayer player, RigPlayer::build(rig, request));
  const auto run = [&pose](RigPlayer& one) {
    return [&one, &pose](std::span<const Vec3f> rest, std::span<Vec3f> posed) {
      one.evaluate(pose, rest);
      std::copy(one.positions().begin(), one.positions().end(), posed.begin());
    };
  };
  // What shows the way where vertices know of each other: the rotations of dual quaternions.
  DeformRequest simple = request;
  simple.deformer = "dqs";
  simple.key_space = "object";
  simple.remove.clear();
  Rig plain;
  std::optional<RigPlayer> guide;
  if (options.inverse == Inverse::kIterative) {
    plain = rig;
    plain.stack.clear();
    SINEW_TRY(guide, RigPlayer::build(plain, simple));
    options.guide = run(*guide);
  }
  std::vector<Vec3f> rest, wanted;
  for (std::size_t i = 0; i < n; ++i) {
    rest.push_back(rig.mesh.positions[i].cast<float>());
    wanted.push_back(edited[i].cast<float>());
  }
  Unposed result = unpose(run(player), rest, wanted, options);
  report.changed = result.changed;
  report.singular = std::move(result.singular);
  report.residual = result.residual;
  if (options.inverse != Inverse::kExact)
    report.notes.push_back(
        fmt::format("the way back was found step by step, to {:.1e} of the mesh's size", result.residual));
  std::vector<Vec3> positions = rig.mesh.positions;
  for (std::size_t i = 0; i < n; ++i)
    if (result.rest[i] != rest[i]) positions[i] = result.rest[i].cast<double>();
  return positions;
}

}  // namespace sinew
