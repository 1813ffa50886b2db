// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "setting_options.h"
#include "sinew/io/asset.h"
#include "sinew/pipeline/rig_mesh.h"
#include "sinew/report/report_json.h"
#include "skeleton_options.h"
#include "verbs.h"

namespace sinew::cli {

// The options that say how a mesh gets its skeleton and its weights; shared by `weights` and `rig`.
struct BindOptions {
  std::string in, out, skeleton, skeleton_template;
  std::vector<std::string> locked;
  std::string locked_vertices;
  bool own_islands = false;
  int weight_bits = 0;
  BindRequest request;
  SettingOptions settings;         // of the weight methods
  SkeletonOptions found;           // how a skeleton is found where none is given
  bool finds = false;              // whether the verb looks for one
  std::string quality;             // fast, flesh; empty: weights alone
  std::string range;               // a file, or clips
  std::vector<std::string> stiff;  // JOINT=VALUE
  std::string stiffness_attribute;
  double tolerance = FleshRequest{}.tolerance;

  void add_to(const Verb& verb);
  void add_flesh_to(const Verb& verb);

  // Reads the mesh, gives it the skeleton asked for, binds it and writes the file. What became of the joints'
  // names goes into `document`.
  Result<BindReport> run(const Console& console, Asset& asset, Json& document) const;
};

// --quantise 8|16
void add_quantise(const Verb& verb, int& weight_bits);

std::string to_text(const std::string& file, const BindReport& report);

}  // namespace sinew::cli
