// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_json.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "sinew/core/text.h"

namespace sinew::gltf {
namespace {

// The position behind the string that opens at `at`; text.size() where it never closes.
std::size_t skip_string(std::string_view text, std::size_t at) {
  std::size_t from = at + 1;
  while (from < text.size()) {
    const void* found = std::memchr(text.data() + from, '"', text.size() - from);
    if (!found) return text.size();
    const std::size_t quote = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    std::size_t slashes = 0;
    while (quote > at + 1 + slashes && text[quote - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return quote + 1;
    from = quote + 1;
  }
  return text.size();
}

Result<void> check_shape(std::string_view text) {
  int depth = 0;
  std::size_t values = 0;
  for (std::size_t at = 0; at < text.size();) {
    switch (text[at]) {
      case '"':
        at = skip_string(text, at);
        continue;
      case '{':
      case '[':
        if (++depth > kMaxJsonDepth)
          return bad_input("the JSON nests deeper than " + std::to_string(kMaxJsonDepth) + " levels (byte " +
                           std::to_string(at) + "): no exporter needs that");
        ++values;
        break;
      case '}':
      case ']':
        --depth;
        break;
      case ',':
      case ':':
        ++values;
        break;
      default:
        break;
    }
    ++at;
  }
  if (values > kMaxJsonValues)
    return bad_input("the JSON holds more than " + std::to_string(kMaxJsonValues) +
                     " values: split the file");
  return {};
}

Result<double> number_of(const Json& value) {
  if (!value.is_number()) return bad_input(" is " + describe(value) + ": it must be a number");
  const double number = value.get<double>();
  if (!std::isfinite(number)) return bad_input(" is " + describe(value) + ": it must be a finite number");
  return number;
}

Result<std::uint64_t> whole_of(const Json& value, std::uint64_t most) {
  std::uint64_t whole = 0;
  bool fits = true;
  if (value.is_number_unsigned()) {
    whole = value.get<std::uint64_t>();
  } else if (value.is_number_float()) {
    const double number = value.get<double>();
    fits = number >= 0 && number <= 9007199254740992.0 && number == std::floor(number);
    whole = fits ? static_cast<std::uint64_t>(number) : 0;
  } else {
    fits = value.is_number_integer() && value.get<std::int64_t>() >= 0;
    whole = fits ? value.get<std::uint64_t>() : 0;
  }
  if (!fits || whole > most)
    return bad_input(" is " + describe(value) + ": it must be a whole number from 0 to " +
                     std::to_string(most));
  return whole;
}

Result<int> index_of(const Json& value, std::size_t size) {
  if (size == 0) return bad_input(" is " + describe(value) + ", but there is nothing that it could name");
  SINEW_TRY(const std::uint64_t index,
            whole_of(value, std::min<std::uint64_t>(size - 1, std::numeric_limits<int>::max())));
  return static_cast<int>(index);
}

std::string dotted(const char* key) {
  return "." + std::string(key);
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  SINEW_CHECK(check_shape(text));
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::exception& exception) {
    std::string_view what = exception.what();
    if (const std::size_t end = what.find("] "); end != std::string_view::npos) what.remove_prefix(end + 2);
    return bad_input("the JSON is broken: " + printable(what, 200));
  }
}

Error inside(std::string_view place, const Error& error) {
  return {error.code, std::string(place) + error.message};
}

std::string item(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

std::string describe(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string()) return "\"" + printable(value.get_ref<const std::string&>(), 60) + "\"";
  return printable(value.dump(), 60);
}

Result<const Json*> object_list(const Json& object, const char* key) {
  static const Json kEmpty = Json::array();
  const auto found = object.find(key);
  if (found == object.end()) return &kEmpty;
  if (!found->is_array())
    return bad_input(std::string(key) + " is " + describe(*found) + ": it must be a list");
  for (std::size_t i = 0; i < found->size(); ++i)
    if (!(*found)[i].is_object())
      return bad_input(item(key, i) + " is " + describe((*found)[i]) + ": it must be an object");
  return &*found;
}

const Json* object_member(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? &*found : nullptr;
}

std::string string_member(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<std::uint64_t> whole_member(const Json& object, const char* key, std::uint64_t fallback,
                                   std::uint64_t most) {
  const auto found = object.find(key);
  if (found == object.end()) return fallback;
  auto whole = whole_of(*found, most);
  if (!whole.ok()) return inside(dotted(key), whole.error());
  return whole;
}

Result<std::uint64_t> required_whole(const Json& object, const char* key, std::uint64_t most) {
  if (!object.contains(key)) return bad_input(dotted(key) + " is missing: export the file again");
  return whole_member(object, key, 0, most);
}

Result<int> index_member(const Json& object, const char* key, std::size_t size) {
  const auto found = object.find(key);
  if (found == object.end()) return -1;
  auto index = index_of(*found, size);
  if (!index.ok()) return inside(dotted(key), index.error());
  return index;
}

Result<std::vector<int>> index_list(const Json& object, const char* key, std::size_t size) {
  std::vector<int> indices;
  const auto found = object.find(key);
  if (found == object.end()) return indices;
  if (!found->is_array()) return bad_input(dotted(key) + " is " + describe(*found) + ": it must be a list");
  indices.reserve(found->size());
  for (std::size_t i = 0; i < found->size(); ++i) {
    auto index = index_of((*found)[i], size);
    if (!index.ok()) return inside(item(dotted(key), i), index.error());
    indices.push_back(*index);
  }
  return indices;
}

Result<std::vector<double>> number_list(const Json& object, const char* key, std::size_t count) {
  std::vector<double> numbers;
  const auto found = object.find(key);
  if (found == object.end()) return numbers;
  if (!found->is_array() || (count != 0 && found->size() != count))
    return bad_input(dotted(key) + " is " + describe(*found) + ": it must be a list of " +
                     (count != 0 ? std::to_string(count) + " " : "") + "numbers");
  numbers.reserve(found->size());
  for (std::size_t i = 0; i < found->size(); ++i) {
    auto number = number_of((*found)[i]);
    if (!number.ok()) return inside(item(dotted(key), i), number.error());
    numbers.push_back(*number);
  }
  return numbers;
}

Json& ensure_object(Json& parent, const char* key) {
  Json& member = parent[key];
  if (!member.is_object()) member = Json::object();
  return member;
}

Json& ensure_array(Json& parent, const char* key) {
  Json& member = parent[key];
  if (!member.is_array()) member = Json::array();
  return member;
}

void declare_extension(Json& root, const char* name) {
  Json& used = ensure_array(root, "extensionsUsed");
  for (const Json& known : used)
    if (known == name) return;
  used.push_back(name);
}

}  // namespace sinew::gltf
