// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sinew {

/// "major.minor.patch", from the project's CMake file.
std::string_view version();

}  // namespace sinew
