// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/unpose.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sinew/deform/unpose.h"
#include "sinew/player/stack.h"

namespace sinew {
namespace {

Result<Inverse> inverse_of(const Rig& rig, const Stack& stack) {
  Inverse worst = Inverse::kExact;
  for (const StackEntry& entry : stack) {
    const Inverse one = step_inverse(rig, entry);
    worst = std::max(worst, one);
    if (one == Inverse::kNone)
      return impossible(fmt::format("step '{}' of the stack cannot be inverted{}", entry.step,
                                    entry.step == "skeleton" ? " with deformer " + deformer_of(stack) : ""));
  }
  return worst;
}

}  // namespace

Result<std::vector<Vec3>> unposed(const Rig& rig, const Pose& pose, const DeformChoice& choice,
                                  std::span<const Vec3> edited, UnposeReport& report) {
  // An edit is of the rig's own vertices.
  DeformChoice unrefined = choice;
  unrefined.stack = without_subdivision(choice.stack.empty() ? stack_of(rig) : choice.stack);
  const std::size_t n = rig.mesh.vertex_count();
  if (edited.size() != n)
    return bad_input(fmt::format("the edited mesh has {} vertices, but the rig has {}", edited.size(), n));
  UnposeOptions options;
  SINEW_TRY(options.inverse, inverse_of(rig, unrefined.stack));
  SINEW_TRY(ReadyDeformer ready, ready_deformer(rig, unrefined));
  report.warnings = std::move(ready.made);
  const auto run = [&pose](ReadyDeformer& one) {
    return [&one, &pose](std::span<const Vec3f> rest, std::span<Vec3f> posed) {
      const std::span<const float> numbers(rest.empty() ? nullptr : rest[0].data(), 3 * rest.size());
      one.deformer.evaluate_from(numbers, pose, one.workspace, posed);
    };
  };
  // What shows the way where vertices know of each other: the rotations of dual quaternions.
  std::optional<ReadyDeformer> guide;
  if (options.inverse == Inverse::kIterative) {
    DeformChoice simple = choice;
    simple.stack = {{"keys", "", {}}, {"skeleton", "", {{"deformer", std::string("dqs")}}}};
    if (!rig.cages.empty()) simple.stack.insert(simple.stack.begin() + 1, {"cage", "", {}});
    SINEW_TRY(guide, ready_deformer(rig, simple));
    options.guide = run(*guide);
  }
  std::vector<Vec3f> rest, wanted;
  for (std::size_t i = 0; i < n; ++i) {
    rest.push_back(rig.mesh.positions[i].cast<float>());
    wanted.push_back(edited[i].cast<float>());
  }
  Unposed result = unpose(run(ready), rest, wanted, options);
  report.changed = result.changed;
  report.singular = std::move(result.singular);
  report.residual = result.residual;
  if (options.inverse != Inverse::kExact)
    report.warnings.push_back(fmt::format(
        "the pose was inverted numerically, with a residual of {:.1e} of the mesh's size", result.residual));
  std::vector<Vec3> positions = rig.mesh.positions;
  for (std::size_t i = 0; i < n; ++i)
    if (result.rest[i] != rest[i]) positions[i] = result.rest[i].cast<double>();
  return positions;
}

}  // namespace sinew
