// SPDX-License-Identifier: Apache-2.0
#include "target_options.h"

#include <fmt/format.h>

#include "joint_naming.h"
#include "sinew/core/text.h"

namespace sinew::cli {

void TargetOptions::add_to(const Verb& verb) {
  verb.option("--for", target, "the program: " + export_target_list()).show_default();
  verb.option(
      "--names", names,
      "naming convention of a humanoid's joints: " + convention_list() + "; keep (default: the program's)");
}

Result<void> TargetOptions::check() {
  const ExportTarget* found = find_export_target(target);
  if (!found)
    return parameter_error("for", fmt::format("is '{}': give {}", printable(target), export_target_list()));
  if (names.empty()) names = found->convention;
  if (names == "keep") names.clear();
  return names.empty() ? Result<void>() : check_convention(names);
}

Result<void> TargetOptions::apply(const Console& console, const std::string& file, Rig& rig,
                                  GltfWriteOptions& write, Json& report) const {
  write.edit.names = !names.empty();
  return rename_joints(console, file, names, rig, report);
}

}  // namespace sinew::cli
