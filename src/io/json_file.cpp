// SPDX-License-Identifier: Apache-2.0
#include "io/json_file.h"

#include "io/text_input.h"

namespace sinew::io {

Result<nlohmann::json> parse_json_file(std::string_view bytes, std::string_view name, int most_depth,
                                       std::string_view only) {
  using Json = nlohmann::json;
  const Json::parser_callback_t keep = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > most_depth) return false;
    return only.empty() || event != Json::parse_event_t::key || depth != 1 || parsed == only;
  };
  try {
    return Json::parse(bytes.begin(), bytes.end(), keep);
  } catch (const Json::parse_error& error) {
    return error_in(name, "it is not valid JSON near byte " + std::to_string(error.byte));
  } catch (const Json::exception& error) {
    return error_in(name, "it is not valid JSON: " + printable(error.what(), 200));
  }
}

}  // namespace sinew::io
