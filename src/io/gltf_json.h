// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/result.h"

namespace sinew::gltf {

using Json = nlohmann::json;

// An index that was checked to be one.
inline std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

// Limits of the JSON part. Real files stay far below: the deepest known nests 12 levels.
inline constexpr int kMaxJsonDepth = 256;
inline constexpr std::size_t kMaxJsonValues = 4'000'000;
// Names in what SINEW_rig stores; longer ones are not read.
inline constexpr std::size_t kLongestName = 256;

// The document, or why it is none. Depth and number of values are checked before the parser takes memory.
Result<Json> parse_json(std::string_view text);

// Messages are put together from the inside out: ".count is -1: ..." inside "accessors[3]".
Error inside(std::string_view place, const Error& error);
std::string item(std::string_view list, std::size_t index);  // "accessors[3]"
// A value as a message shows it: short, printable, whole containers by their kind.
std::string describe(const Json& value);

// The list `key` of an object, every element an object; an empty one where the key is missing.
Result<const Json*> object_list(const Json& object, const char* key);
// The member `key` where it is an object, else null.
const Json* object_member(const Json& object, const char* key);
// A string member, or empty.
std::string string_member(const Json& object, const char* key);

// Whole numbers, also where they are written as 3.0. Missing: `fallback`. Anything else, or more than `most`,
// fails.
Result<std::uint64_t> whole_member(const Json& object, const char* key, std::uint64_t fallback,
                                   std::uint64_t most);
// The same, and a missing one fails too.
Result<std::uint64_t> required_whole(const Json& object, const char* key, std::uint64_t most);
// An index into a list of `size` elements; -1 where the member is missing.
Result<int> index_member(const Json& object, const char* key, std::size_t size);
// A list of indices into a list of `size` elements; empty where the member is missing.
Result<std::vector<int>> index_list(const Json& object, const char* key, std::size_t size);
// A list of `count` numbers (any number of them where count is 0); empty where the member is missing.
Result<std::vector<double>> number_list(const Json& object, const char* key, std::size_t count);

// The object `key` of `parent`, made where it is missing or something else.
Json& ensure_object(Json& parent, const char* key);
// The same for an array.
Json& ensure_array(Json& parent, const char* key);
// Adds `name` to extensionsUsed where it is not there yet.
void declare_extension(Json& root, const char* name);

}  // namespace sinew::gltf
