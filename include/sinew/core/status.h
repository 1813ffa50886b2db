// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sinew {

/// How a frame went. Per-frame code allocates nothing and throws nothing, so this is a number, not a Result.
enum class Status : std::uint8_t {
  kOk,
  kBadPose,      ///< other joints or keys than the rig has, or an output that is too short
  kOutOfMemory,  ///< only from deformers that solve: elastic
  kNotSolved,    ///< a solve that did not come to an end, or was cancelled
};

/// "the pose does not fit the rig", and so on; "" for kOk.
const char* status_text(Status status);

/// The worse of two.
inline Status worse(Status a, Status b) {
  return a < b ? b : a;
}

}  // namespace sinew
