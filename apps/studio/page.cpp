// SPDX-License-Identifier: Apache-2.0
#include "page.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "sinew/core/file.h"
#include "sinew/core/text.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;
constexpr std::size_t kMostFiles = 2000;

constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kTypes = {
    {{".html", "text/html; charset=utf-8"},
     {".js", "text/javascript; charset=utf-8"},
     {".mjs", "text/javascript; charset=utf-8"},
     {".css", "text/css; charset=utf-8"},
     {".wasm", "application/wasm"},
     {".json", "application/json"},
     {".map", "application/json"},
     {".svg", "image/svg+xml"},
     {".png", "image/png"},
     {".jpg", "image/jpeg"},
     {".ico", "image/x-icon"},
     {".woff2", "font/woff2"},
     {".ttf", "font/ttf"},
     {".txt", "text/plain; charset=utf-8"},
     {".webmanifest", "application/manifest+json"}}};

constexpr std::string_view kMissing =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>sinew "
    "studio</title></head><body>\n"
    "<h1>The page is not built</h1>\n"
    "<p>The server runs, but it has no page to show. <code>./dev page</code> in a checkout builds it; then "
    "start\n"
    "<code>sinew studio</code> again. A page that lies elsewhere is named with <code>--page "
    "FOLDER</code>.</p>\n"
    "</body></html>\n";

std::string type_of(const fs::path& path) {
  const std::string extension = path.extension().string();
  for (const auto& [known, type] : kTypes)
    if (equals_ignoring_case(extension, known)) return std::string(type);
  return "application/octet-stream";
}

// Letters that stand for themselves in an address.
bool is_plain(const std::string& path) {
  return path.find("/.") == std::string::npos && std::all_of(path.begin(), path.end(), [](unsigned char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                  c == '-' || c == '_' || c == '/';
         });
}

}  // namespace

Result<Page> Page::load(const fs::path& folder) {
  const std::string shown = "'" + printable(folder.string(), 400) + "'";
  std::error_code error;
  if (!fs::is_directory(folder, error)) return io_error(shown + " is not a folder with the page");
  Page page;
  std::uint64_t left = kMostBytes;
  fs::recursive_directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    if (entry->is_symlink(error) || !entry->is_regular_file(error)) continue;
    const std::string path = "/" + entry->path().lexically_relative(folder).generic_string();
    if (!is_plain(path)) continue;
    if (page.files_.size() >= kMostFiles)
      return bad_input(shown + " has more files than a page of sinew has");
    SINEW_TRY(std::string bytes, read_file(entry->path(), left));
    left -= bytes.size();
    page.files_[path] = {type_of(entry->path()), std::make_shared<const std::string>(std::move(bytes))};
  }
  if (error) return io_error("cannot read " + shown + ": " + error.message());
  const PageFile* index = page.find("/index.html");
  if (!index) return io_error(shown + " has no index.html: `./dev page` builds the page");
  page.files_["/"] = *index;
  return page;
}

Page Page::missing() {
  Page page;
  page.files_["/"] = {"text/html; charset=utf-8", std::make_shared<const std::string>(kMissing)};
  return page;
}

const PageFile* Page::find(const std::string& path) const {
  const auto found = files_.find(path);
  return found == files_.end() ? nullptr : &found->second;
}

fs::path find_page_folder() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return {};
  for (const fs::path& place : {folder / "page", folder.parent_path() / "share/sinew/page"})
    if (fs::is_regular_file(place / "index.html", error)) return place;
  return {};
}

}  // namespace sinew::studio
