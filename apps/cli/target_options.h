// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "command_line.h"
#include "sinew/io/gltf.h"
#include "sinew/pipeline/export_target.h"

namespace sinew::cli {

// The options of `export` that say for which program.
struct TargetOptions {
  std::string target = "plain", names;

  void add_to(const Verb& verb);

  // kUsage: no such target or convention.
  Result<void> check();

  // Gives an exported rig what the target wants; what was done goes into `report`.
  Result<void> apply(const Console& console, const std::string& file, Rig& rig, GltfWriteOptions& write,
                     Json& report) const;
};

}  // namespace sinew::cli
