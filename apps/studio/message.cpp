// SPDX-License-Identifier: Apache-2.0
#include "message.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sinew::studio {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(16 * high + low);
      i += 2;
    }
  }
  return out;
}

}  // namespace

std::optional<Target> parse_target(std::string_view text) {
  if (text.empty() || text[0] != '/') return std::nullopt;
  for (const char c : text)
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f) return std::nullopt;
  text = text.substr(0, text.find('#'));
  const std::size_t question = text.find('?');
  Target target;
  target.path = text.substr(0, question);
  if (question == std::string_view::npos) return target;
  std::string_view rest = text.substr(question + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    const auto name = decoded(pair.substr(0, equals));
    const auto value =
        decoded(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1));
    if (!name || !value) return std::nullopt;
    target.query.emplace(*name, *value);
  }
  return target;
}

Answer refusal(int status, ErrorCode code, const std::string& message) {
  const Json document = {{"error", {{"code", static_cast<int>(code)}, {"message", message}}}};
  Answer answer;
  answer.status = status;
  answer.body =
      std::make_shared<const std::string>(document.dump(-1, ' ', false, Json::error_handler_t::replace));
  return answer;
}

Answer refusal(int status, const Error& error) {
  return refusal(status, error.code, error.message);
}

}  // namespace sinew::studio
