// SPDX-License-Identifier: Apache-2.0
#include "support/data.h"

#include <cstdlib>

namespace sinew::test {

std::optional<std::filesystem::path> data_folder() {
  if (const char* named = std::getenv("SINEW_DATA"); named && std::filesystem::is_directory(named))
    return named;
  const std::filesystem::path beside =
      std::filesystem::path(SINEW_SOURCE_DIR).parent_path() / "shared" / "data";
  if (std::filesystem::is_directory(beside)) return beside;
  return std::nullopt;
}

}  // namespace sinew::test
