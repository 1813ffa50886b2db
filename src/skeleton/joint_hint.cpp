// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/joint_hint.h"

#include <algorithm>
#include <vector>

#include "sinew/core/suggest.h"
#include "sinew/core/text.h"

namespace sinew {

std::string joint_hint(const Skeleton& skeleton, std::string_view name) {
  std::vector<std::string_view> names;
  std::size_t same = 0;
  for (const Joint& joint : skeleton.joints()) {
    names.push_back(joint.name);
    // "mixamorig:Hips" is found as "Hips", and may be misspelt so.
    if (const std::size_t colon = joint.name.rfind(':'); colon != std::string::npos)
      names.push_back(std::string_view(joint.name).substr(colon + 1));
    same += equals_ignoring_case(joint.name, name);
  }
  if (same > 1)
    return "; " + std::to_string(same) + " have this name: write '" + printable(name, 60) + "#1' to '" +
           printable(name, 60) + "#" + std::to_string(same) + "', or the path 'Parent/" +
           printable(name, 60) + "'";
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return did_you_mean(name, names);
}

}  // namespace sinew
