// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "command_line.h"
#include "sinew/io/gltf.h"
#include "sinew/pipeline/export_target.h"

namespace sinew::cli {

// The options of `export` that say for which program: joint names, rest pose, metadata of VRM.
struct TargetOptions {
  std::string target = "plain", names, axes, meta_file, name, licence;
  std::vector<std::string> authors;
  bool t_pose = false;

  void add_to(const Verb& verb);

  // kUsage: no such target or convention, or metadata that VRM requires is missing. Comes before the work.
  Result<void> check();

  // kUsage: a file extension that the target does not have.
  Result<void> check_output(const std::string& file) const;

  // Gives an exported rig what the target wants; what was done goes into `report`.
  Result<void> apply(const Console& console, const std::string& file, Rig& rig, GltfWriteOptions& write,
                     Json& report) const;

 private:
  Result<void> orient(const Console& console, const std::string& file, Rig& rig, Json& report) const;
  Result<std::string> metadata() const;

  bool vrm_ = false;
  std::string meta_;
};

}  // namespace sinew::cli
