// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/rig/rig.h"
#include "sinew/skeleton/conventions.h"

namespace sinew {

/// What a program wants of a rig.
struct ExportTarget {
  const char* name;
  const char* convention;  ///< of joint names (skeleton/conventions.h); empty: any
  const char* axes;        ///< of joints (skeleton/convention_axes.h); empty: any
  bool vrm;                ///< a VRM 1.0 file, in a T pose
};
/// plain, web, godot, unity, unreal, vrm, blender.
std::span<const ExportTarget> export_targets();
/// null where there is no such target.
const ExportTarget* find_export_target(std::string_view name);
/// "plain, web, … or blender": for help and messages.
std::string export_target_list();

/// Renames the joints of a rig that is a humanoid in its bind pose, whatever they are called; any other keeps its
/// names. Fails as joint_names.
Result<JointNames> rename_joints(Rig& rig, std::string_view convention);

/// Gives the joints of a rig other axes at rest (skeleton/convention_axes.h), as they lie in the bind pose. The skin
/// moves as before. Names of joints that keep theirs are returned: those with a scale that is uneven or mirrored. Helpers keep
/// theirs without notice. Fails as convention_axes. Pose spaces: there must be none.
Result<std::vector<std::string>> orient_joints(Rig& rig, std::string_view axes);

}  // namespace sinew
