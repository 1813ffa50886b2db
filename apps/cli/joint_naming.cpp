// SPDX-License-Identifier: Apache-2.0
#include "joint_naming.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/text.h"
#include "sinew/pipeline/export_target.h"
#include "words.h"

namespace sinew::cli {

Result<void> rename_joints(const Console& console, const std::string& file, const std::string& convention,
                           Rig& rig, Json& report) {
  if (convention.empty()) return {};
  SINEW_TRY(const JointNames names, sinew::rename_joints(rig, convention));
  constexpr std::size_t kMost = 12;
  std::string list;
  for (std::size_t k = 0; k < std::min(names.unmatched.size(), kMost); ++k)
    list += (k == 0 ? ": " : ", ") + printable(names.unmatched[k], 40);
  if (names.unmatched.size() > kMost) list += ", …";
  if (names.matched == 0)
    console.warn(fmt::format("{}: the skeleton is not a humanoid; joints keep their names", file));
  else if (!names.unmatched.empty())
    console.note(fmt::format("{}: {} named as in {}; {} without a name there: kept{}", file,
                             counted(names.matched, "joint"), convention,
                             counted(names.unmatched.size(), "joint"), list));
  report["names"] = {{"convention", convention}, {"matched", names.matched}, {"unmatched", names.unmatched}};
  return {};
}

}  // namespace sinew::cli
