// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "sinew/core/result.h"

namespace sinew::studio {

struct PageFile {
  std::string type;  // for Content-Type
  std::shared_ptr<const std::string> bytes;
};

// The built page, read once: the paths that may be asked for ("/", "/assets/index.js") and what they hold.
// Requests are looked up in this table as they are, so that no path of a request ever reaches the disk.
class Page {
 public:
  // Plain files below the folder; links, hidden files and odd names are left out. kIo: not a folder, or no
  // index.html in it. kBadInput: more than 256 MiB or 2000 files, which is not a page of ours.
  static Result<Page> load(const std::filesystem::path& folder);
  // One file that says how the page is built.
  static Page missing();

  const PageFile* find(const std::string& path) const;  // null: there is none

 private:
  std::map<std::string, PageFile> files_;
};

// Where a built or an installed program has its page; empty: nowhere.
std::filesystem::path find_page_folder();

}  // namespace sinew::studio
