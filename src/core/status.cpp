// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/status.h"

namespace sinew {

const char* status_text(Status status) {
  switch (status) {
    case Status::kOk:
      return "";
    case Status::kBadPose:
      return "the pose does not fit the rig: it needs a transform for each joint, a weight for each key, and "
             "outputs as long as the mesh";
    case Status::kOutOfMemory:
      return "out of memory";
    case Status::kNotSolved:
      return "the solver did not converge";
  }
  return "";
}

}  // namespace sinew
