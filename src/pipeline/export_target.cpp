// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/export_target.h"

#include <algorithm>
#include <array>

#include "pipeline/retarget_match.h"

namespace sinew {
namespace {

constexpr std::array<ExportTarget, 7> kExportTargets = {{{"plain", "", false},
                                                         {"web", "", false},
                                                         {"godot", "godot", false},
                                                         {"unity", "unity", false},
                                                         {"unreal", "unreal", false},
                                                         {"vrm", "vrm", true},
                                                         {"blender", "rigify", false}}};

}  // namespace

const ExportTarget* find_export_target(std::string_view name) {
  const auto found = std::find_if(kExportTargets.begin(), kExportTargets.end(),
                                  [&](const ExportTarget& target) { return name == target.name; });
  return found == kExportTargets.end() ? nullptr : &*found;
}

std::string export_target_list() {
  std::string list;
  for (const ExportTarget& target : kExportTargets)
    list += std::string(list.empty() ? "" : &target == &kExportTargets.back() ? " or " : ", ") + target.name;
  return list;
}

Result<JointNames> rename_joints(Rig& rig, std::string_view convention) {
  const RestBody body = rest_body(rig);
  return rename_joints(rig.skeleton, body.global, convention);
}

}  // namespace sinew
