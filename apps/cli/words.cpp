// SPDX-License-Identifier: Apache-2.0
#include "words.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/text.h"

namespace sinew::cli {

std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  std::string list;
  for (std::size_t k = 0; k < std::min(names.size(), kMost); ++k)
    list += (k == 0 ? ": " : ", ") + printable(names[k], 40);
  return names.size() > kMost ? list + ", …" : list;
}

std::string name_table(const std::vector<std::pair<std::string_view, std::string_view>>& rows) {
  std::size_t width = 0;
  for (const auto& [name, text] : rows) width = std::max(width, name.size());
  std::string table;
  for (const auto& [name, text] : rows) table += fmt::format("\n  {:<{}}{}", name, width + 2, text);
  return table;
}

}  // namespace sinew::cli
