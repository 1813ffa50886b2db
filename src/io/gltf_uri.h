// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "sinew/core/result.h"

namespace sinew::gltf {

std::string base64_encode(std::string_view bytes);
// nullopt: a character or a length that base64 does not have. Missing padding is accepted.
std::optional<std::string> base64_decode(std::string_view text);

bool is_data_uri(std::string_view uri);
// The bytes of a `data:...;base64,...` URI.
Result<std::string> decode_data_uri(std::string_view uri);

// The file that a relative URI names, only ever inside `folder`, symbolic links followed. kBadInput: a
// scheme, an absolute path, a step out of the folder or a bad percent code. kIo: not there, or no plain file.
// Messages start with a blank.
Result<std::filesystem::path> resolve_uri(std::string_view uri, const std::filesystem::path& folder);

// The same for a plain name.
Result<std::filesystem::path> resolve_inside(const std::string& name, const std::filesystem::path& folder);

}  // namespace sinew::gltf
