// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "sinew/core/result.h"

namespace sinew::io {

// The document of a JSON file, without what is nested deeper than `most_depth` and, where `only` is a name,
// without the other members of the outermost object. kBadInput with the place where it is no JSON.
Result<nlohmann::json> parse_json_file(std::string_view bytes, std::string_view name, int most_depth,
                                       std::string_view only = {});

}  // namespace sinew::io
