// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <fmt/format.h>

namespace sinew {

Page::Page(const std::string& title)
    : html_(fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>"
                        "<style>{1}</style></head><body>\n<h1>{0}</h1>\n",
                        escaped(title), kPageStyle)) {}

Result<void> Page::add_picture(const std::string& file, const std::string& text,
                               const Result<Image>& picture) {
  if (!picture.ok()) return picture.error();
  SINEW_TRY(std::string bytes, encode_png(*picture));
  files_.emplace_back(file, std::move(bytes));
  html_ += fmt::format("<img src=\"{}\" alt=\"{}\">\n", file, escaped(text));
  return {};
}

Result<void> Page::save(const std::filesystem::path& folder, Overwrite overwrite) const {
  std::error_code failure;
  if (std::filesystem::exists(folder, failure) && overwrite == Overwrite::kNo) return exists_already(folder);
  std::filesystem::create_directories(folder, failure);
  if (failure)
    return io_error(fmt::format("{}: cannot make this folder: {}", folder.string(), failure.message()));
  for (const auto& [file, bytes] : files_) SINEW_CHECK(write_file(folder / file, bytes, overwrite));
  return write_file(folder / "index.html", html_ + "</body></html>\n", overwrite);
}

}  // namespace sinew
