// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/export_target.h"

#include <algorithm>
#include <array>

#include "pipeline/retarget_match.h"
#include "sinew/rig/joint_axes.h"
#include "sinew/skeleton/convention_axes.h"

namespace sinew {
namespace {

constexpr std::array<ExportTarget, 7> kExportTargets = {{{"plain", "", "", false},
                                                         {"web", "", "", false},
                                                         {"godot", "godot", "godot", false},
                                                         {"unity", "unity", "", false},
                                                         {"unreal", "unreal", "unreal", false},
                                                         {"vrm", "vrm", "", true},
                                                         {"blender", "rigify", "bone", false}}};

}  // namespace

std::span<const ExportTarget> export_targets() {
  return kExportTargets;
}

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

Result<std::vector<std::string>> orient_joints(Rig& rig, std::string_view axes) {
  const RestBody body = rest_body(rig);
  SINEW_TRY(const std::vector<Mat3> wanted, convention_axes(rig.skeleton, body.global, body.human, axes));
  std::vector<Quat> turns(rig.skeleton.size(), Quat::Identity());
  std::vector<std::string> kept;
  for (std::size_t j = 0; j < turns.size(); ++j) {
    if (!rig.skeleton[j].deforms || rig.skeleton[j].helper) continue;
    if (body.global[j].linear().determinant() > 0)
      turns[j] = (body.turns[j].conjugate() * Quat(wanted[j])).normalized();
    else
      kept.push_back(rig.skeleton[j].name);
  }
  for (const std::size_t j : turn_joint_axes(rig, turns)) kept.push_back(rig.skeleton[j].name);
  return kept;
}

}  // namespace sinew
