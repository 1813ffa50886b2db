// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "setting_options.h"
#include "sinew/pipeline/posed_mesh.h"
#include "sinew/player/pose_request.h"
#include "verbs.h"

namespace sinew::cli {

// The options that name a pose and a deformer, as given; shared by every verb that poses.
struct PoseOptions {
  std::vector<std::string> set, keys, stretch, twist;
  std::string clip;
  double time = 0;
  SettingOptions settings;
  std::vector<std::string> handles;
  std::string handle_file;
  bool drive_joints = false;  // handles of vertices turn joints

  void add_set_to(const Verb& verb);       // --set
  void add_pose_to(const Verb& verb);      // --set, --stretch, --twist, --key, --clip, --time
  void add_changes_to(const Verb& verb);   // the first four of these
  void add_deformer_to(const Verb& verb);  // --deformer and its parameters

  // kUsage for anything that is not NAME=NUMBERS.
  Result<PoseRequest> request() const;
  // What the rig's stack says, and on top of it what the user said.
  Result<DeformChoice> choice(const Console& console, const Rig& rig) const;
};

// "name=1,2,3" into a name and `count` numbers; the last '=' counts, since names may hold one.
Result<std::pair<std::string, std::vector<double>>> parse_assignment(const std::string& option,
                                                                     const std::string& text,
                                                                     std::size_t count);

// "name=text" at the first '=', since files may hold one.
Result<std::pair<std::string, std::string>> split_name(const char* option, const std::string& text);

}  // namespace sinew::cli
