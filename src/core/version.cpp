// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/version.h"

namespace sinew {

std::string_view version() {
  return SINEW_VERSION;
}

}  // namespace sinew
