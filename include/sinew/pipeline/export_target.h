// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "sinew/rig/rig.h"
#include "sinew/skeleton/conventions.h"

namespace sinew {

/// What a program wants of a rig.
struct ExportTarget {
  const char* name;
  const char* convention;  ///< of joint names (skeleton/conventions.h); empty: any
  bool vrm;                ///< a VRM 1.0 file, in a T pose
};
/// plain, web, godot, unity, unreal, vrm, blender; null where there is no such target.
const ExportTarget* find_export_target(std::string_view name);
/// "plain, web, … or blender": for help and messages.
std::string export_target_list();

/// Renames the joints of a rig that is a humanoid in its bind pose, whatever they are called; any other keeps its
/// names. Fails as joint_names.
Result<JointNames> rename_joints(Rig& rig, std::string_view convention);

}  // namespace sinew
