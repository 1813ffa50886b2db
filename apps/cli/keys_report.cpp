// SPDX-License-Identifier: Apache-2.0
#include "keys_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/text.h"
#include "sinew/rig/key_names.h"
#include "words.h"

namespace sinew::cli {

Json keys_json(const Rig& rig) {
  Json names = Json::array(), details = Json::array(), spaces = Json::array();
  for (std::size_t k = 0; k < rig.keys.size(); ++k) {
    const ShapeKey& key = rig.keys[k];
    const std::vector<std::size_t> same = keys_named(rig, key.name);  // one in each mesh
    if (same.front() != k) continue;
    float longest = 0;
    std::size_t moved = 0;
    for (const std::size_t one : same)
      for (const Vec3f& delta : rig.keys[one].deltas) {
        longest = std::max(longest, delta.norm());
        moved += !delta.isZero(0);
      }
    Json removed = Json::array();
    if (key.without_rotation) removed.push_back("rotation");
    if (key.without_scale) removed.push_back("scale");
    names.push_back(key.name);
    details.push_back({{"name", key.name},
                       {"vertices", moved},
                       {"longest", longest},
                       {"default", key.default_weight},
                       {"removed", removed},
                       {"mask", key.mask}});
  }
  for (const PoseSpace& space : rig.pose_spaces) {
    Json joints = Json::array(), examples = Json::array();
    for (const PoseSpace::Driver& joint : space.joints) joints.push_back(rig.skeleton[joint.index].name);
    for (const PoseSpace::Example& example : space.examples) examples.push_back(rig.keys[example.key].name);
    spaces.push_back({{"name", space.name}, {"joints", joints}, {"examples", examples}});
  }
  return {{"keys", names}, {"details", details}, {"pose_spaces", spaces}};
}

std::string keys_text(const std::string& file, const Rig& rig) {
  const Json document = keys_json(rig);
  std::string text = fmt::format("{}: {}\n", file, counted(document["keys"].size(), "key"));
  for (const Json& key : document["details"])
    text += fmt::format("  {:<24} {}, up to {:.4g}{}\n", printable(key["name"].get<std::string>(), 60),
                        counted(key["vertices"].get<std::size_t>(), "vertex", "vertices"),
                        key["longest"].get<double>(),
                        key["removed"].empty() ? "" : ", without " + key["removed"][0].get<std::string>());
  return text;
}

}  // namespace sinew::cli
