// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/counted.h"

#include <fmt/format.h>

namespace sinew {

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, agreeing(count, one, many));
}

std::string counted(std::size_t count, std::string_view one) {
  return counted(count, one, std::string(one) + "s");
}

}  // namespace sinew
