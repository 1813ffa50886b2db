// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinew/core/counted.h"

namespace sinew::cli {

// ": a, b, c", at most a dozen and safe to print; nothing where there are none.
std::string first_of(const std::vector<std::string>& names);

// Lines of help, a name and its text each, the texts below each other and never touching a name.
std::string name_table(const std::vector<std::pair<std::string_view, std::string_view>>& rows);

}  // namespace sinew::cli
