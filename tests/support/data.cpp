// SPDX-License-Identifier: Apache-2.0
#include "support/data.h"

#include <cstdlib>

namespace sinew::test {

bool every_file() {
  const char* all = std::getenv("SINEW_ALL");
  return all != nullptr && *all != '\0';
}

std::filesystem::path source_folder() {
  return SINEW_SOURCE_DIR;
}

std::optional<std::filesystem::path> data_folder() {
  if (const char* named = std::getenv("SINEW_DATA"); named && std::filesystem::is_directory(named))
    return named;
  const std::filesystem::path beside = source_folder().parent_path() / "shared" / "data";
  if (std::filesystem::is_directory(beside)) return beside;
  return std::nullopt;
}

}  // namespace sinew::test
