// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinew/core/result.h"

namespace sinew {

/// A joint that follows a share of the rotation of another one with the same parent.
struct VrmConstraint {
  std::size_t joint = 0, source = 0;  ///< of the rig's skeleton
  double weight = 0;                  ///< 0 to 1
  bool roll = false;  ///< the twist about the joint's y axis alone; else all, about equal axes
};

/// What makes a .glb a VRM 1.0 file: which joint is which, who made it and what may be done with it, and which
/// joints follow others.
struct Vrm {
  std::vector<std::pair<std::string, std::size_t>> bones;  ///< VRM's name of a bone, and the rig's joint
  std::string meta;                                        ///< JSON, as checked_vrm_meta gives it
  std::vector<VrmConstraint> constraints;
  bool faces_front = true;  ///< along +z, as VRM requires
};

/// The metadata of a VRM file, checked: a JSON object with name, authors and licenseUrl, none of them empty, and
/// of the rest only what VRM 1.0 has, of its types. kBadInput with a sentence that lists what is missing: nothing
/// is made up.
Result<std::string> checked_vrm_meta(std::string_view json);

}  // namespace sinew
