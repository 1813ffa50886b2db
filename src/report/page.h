// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sinew/core/file.h"
#include "sinew/render/render.h"

namespace sinew {

// The look of all pages.
inline constexpr const char* kPageStyle =
    "body{margin:0 auto;max-width:1180px;padding:2.5rem 1.5rem 4rem;background:#fff;color:#1d242b;"
    "font:16px/1.55 'DejaVu Sans','Helvetica Neue',Arial,sans-serif}"
    "h1{font-size:2.2rem;margin:0}h2{font-size:1.3rem;margin:2.5rem 0 .25rem;padding-top:1.2rem;"
    "border-top:1px solid #e2e6ea}p{max-width:46rem}.note{color:#5b6670;font-size:.88rem}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.88rem}"
    "th,td{padding:.25rem 1rem .25rem 0;text-align:right;border-bottom:1px solid #e2e6ea;font-weight:normal}"
    "th{color:#5b6670}th:first-child,td:first-child{text-align:left}td b{color:#3b6ea5}"
    ".scroll{overflow-x:auto}img{max-width:100%;height:auto;display:block}";

// Text as it stands in HTML.
inline std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

// A page and its pictures, made in memory first, so that a stop leaves no page without its pictures.
class Page {
 public:
  explicit Page(const std::string& title);

  void add(const std::string& html) { html_ += html; }
  Result<void> add_picture(const std::string& file, const std::string& text, const Result<Image>& picture);
  // index.html and the pictures into a folder; one that exists is written into only with kYes.
  Result<void> save(const std::filesystem::path& folder, Overwrite overwrite) const;

 private:
  std::string html_;
  std::vector<std::pair<std::string, std::string>> files_;  // names and bytes
};

}  // namespace sinew
