// SPDX-License-Identifier: Apache-2.0
#include "verb_words.h"

#include <algorithm>

namespace sinew::cli {

std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

std::string OptionWords::brief() const {
  std::string text = help.empty() ? "" : help[0].substr(0, help[0].find("; "));
  while (!text.empty() && (text.back() == ':' || text.back() == ' ')) text.pop_back();
  return text;
}

void find_choices(OptionWords& option) {
  option.choices.clear();
  if (option.value.find('|') != std::string::npos && option.value.find('=') == std::string::npos) {
    option.choices = split_at(option.value, '|');
    return;
  }
  for (std::size_t k = 1; k < option.help.size(); ++k) {
    const std::string& row = option.help[k];
    const std::size_t begin = row.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    const std::size_t end = std::min(row.find(' ', begin), row.size());
    option.choices.push_back(row.substr(begin, end - begin));
  }
}

}  // namespace sinew::cli
