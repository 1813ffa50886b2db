// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/pipeline/posed_mesh.h"

namespace sinew::test {

// The rig's stack with this deformer and these options; put in unchecked where they do not fit, so that what
// is built from it refuses them.
inline DeformChoice by(const Rig& rig, const std::string& deformer, const Settings& options = {}) {
  DeformChoice choice;
  choice.stack = stack_of(rig);
  if (auto stack = stack_with(rig, deformer, options)) {
    choice.stack = *stack;
  } else {
    for (StackEntry& entry : choice.stack)
      if (entry.step == "skeleton") {
        entry.settings = options;
        entry.settings["deformer"] = deformer;
      }
  }
  return choice;
}

}  // namespace sinew::test
