// SPDX-License-Identifier: Apache-2.0
#include "gpu/program.h"

#include <algorithm>
#include <array>

#include "gpu/packer.h"
#include "sinew/deform/pose_space.h"
#include "sinew/player/stack.h"
#include "sinew/rig/local_origin.h"

namespace sinew::gpu {
namespace {

struct Named {
  std::string_view name;
  Motion motion;
};
constexpr std::array kMotions = {Named{"lbs", Motion::kLinear},
                                 Named{"dqs", Motion::kDual},
                                 Named{"stretch-lbs", Motion::kLinearBones},
                                 Named{"stretch-dqs", Motion::kDualBones},
                                 Named{"swing-twist", Motion::kJoints},
                                 Named{"flesh", Motion::kFlesh}};

// All of one rig.
Result<Program> pack_rig(const Rig& rig, Motion motion) {
  Program program;
  program.motion = motion;
  SINEW_CHECK(Packer(rig, program).pack());
  if (motion == Motion::kJoints) {
    SINEW_CHECK(pack_joint_weights(rig, program));
  } else if (motion == Motion::kFlesh) {
    SINEW_CHECK(pack_flesh(rig, program));
  } else {
    SINEW_CHECK(pack_skin(rig, program));
  }
  RigView& shape = program.shape;
  constexpr std::array kEntryFloats = {12, 8, kBoneFloats, kDualBoneFloats, kJointFloats, kFleshFloats};
  shape.entry_floats = kEntryFloats[static_cast<std::size_t>(program.motion)];
  shape.entries = static_cast<std::int32_t>(program.entry.size());
  shape.tiles = static_cast<std::int32_t>((rig.mesh.vertex_count() + kTileVertices - 1) / kTileVertices);
  shape.plain = rig.keys.empty() && std::all_of(program.runs.begin(), program.runs.end(),
                                                [](const SkinRun& run) { return run.partial == 0; });
  shape.field_count = static_cast<std::int32_t>(program.fields.size());
  shape.group_count = static_cast<std::int32_t>(program.groups.size());
  return program;
}

// Whether the stack is one that the formulas cover.
Result<void> check_stack(const Rig& rig, std::string_view deformer) {
  SINEW_TRY(const Stack stack, stack_with(rig, deformer));
  bool skeleton = false;
  for (const StackEntry& entry : stack) {
    const bool keys = entry.step == "keys";
    if (keys && rig.keys.empty()) continue;
    if (!entry.mask.empty() || (!keys && entry.step != "skeleton") || (keys && skeleton) ||
        (!keys && skeleton) || entry.settings.size() > (keys ? 0u : 1u))
      return impossible(
          "the GPU plays shape keys in object space and then the skeleton, both everywhere and with "
          "default settings: step '" +
          entry.step + "' is another");
    skeleton = skeleton || !keys;
  }
  SINEW_TRY(const PoseSpaces spaces, PoseSpaces::build(rig));
  if (!spaces.empty()) return impossible("the rig has keys in pose space, which the GPU does not play");
  return {};
}

}  // namespace

RigView Program::view() const {
  RigView view = shape;
  each_array(view, [](const auto& from, auto& to) { to = from.empty() ? nullptr : from.data(); });
  return view;
}

Result<Program> make_program(const Rig& rig, std::string_view deformer) {
  const std::string name = current_deformer_name(deformer);
  const auto* found =
      std::find_if(kMotions.begin(), kMotions.end(), [&](const Named& one) { return one.name == name; });
  if (found == kMotions.end()) {
    SINEW_CHECK(check_stack(rig, name));
    return impossible("the GPU does not play '" + name +
                      "': it plays lbs, dqs, stretch-lbs, stretch-dqs, "
                      "swing-twist and flesh");
  }
  SINEW_CHECK(check_stack(rig, name));
  const LocalOrigin origin = local_origin(rig);
  if (origin.is_zero()) return pack_rig(rig, found->motion);
  SINEW_TRY(Program program, pack_rig(moved_to(rig, origin), found->motion));
  program.shape.plain = 0;
  for (Eigen::Index k = 0; k < 3; ++k) program.shape.offset[k] = static_cast<float>(origin.world[k]);
  return program;
}

ChunkSize::ChunkSize(const RigView& view, Motion motion) {
  globals = std::int64_t{12} * view.joints * kLanes;
  matrices = std::int64_t{12} * (view.joints + 1) * kLanes;
  if (motion != Motion::kLinear) palette = std::int64_t{view.entry_floats} * view.entries * kLanes;
  drives = std::int64_t{kDriveFloats} * view.field_count * kLanes;
  factors = std::int64_t{kFactorWords} * view.field_count;
  keys = std::int64_t{view.keys} * kLanes;
}

}  // namespace sinew::gpu
