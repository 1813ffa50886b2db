// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sinew {

/// "1 vertex", "2 vertices", for messages. Verbs agree likewise: counted(n, "bone lies", "bones lie").
std::string counted(std::size_t count, std::string_view one, std::string_view many);
std::string counted(std::size_t count, std::string_view one);  ///< "1 face", "2 faces"

/// The word alone, where others come between: "1 of 5 bones lies", "2 of 5 bones lie".
constexpr std::string_view agreeing(std::size_t count, std::string_view one, std::string_view many) {
  return count == 1 ? one : many;
}

}  // namespace sinew
