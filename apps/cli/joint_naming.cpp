// SPDX-License-Identifier: Apache-2.0
#include "joint_naming.h"

#include <fmt/format.h>

#include "sinew/pipeline/export_target.h"
#include "words.h"

namespace sinew::cli {

Result<void> rename_joints(const Console& console, const std::string& file, const std::string& convention,
                           Rig& rig, Json& report) {
  if (convention.empty()) return {};
  SINEW_TRY(const JointNames names, sinew::rename_joints(rig, convention));
  if (names.matched == 0)
    console.warn(fmt::format("{}: the skeleton is not a humanoid; joints keep their names", file));
  else if (!names.unmatched.empty())
    console.note(fmt::format("{}: {} named as in {}; {} without a name there: kept{}", file,
                             counted(names.matched, "joint"), convention,
                             counted(names.unmatched.size(), "joint"), first_of(names.unmatched)));
  report["names"] = {{"convention", convention}, {"matched", names.matched}, {"unmatched", names.unmatched}};
  return {};
}

}  // namespace sinew::cli
