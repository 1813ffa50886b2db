// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/stack.h"

namespace sinew {

std::string StackEntry::word(std::string_view name, std::string_view fallback) const {
  const auto found = settings.find(name);
  const std::string* value = found == settings.end() ? nullptr : std::get_if<std::string>(&found->second);
  return value ? *value : std::string(fallback);
}

std::string current_deformer_name(std::string_view name) {
  constexpr std::string_view kOld = "stbs-";
  return name.starts_with(kOld) ? "stretch-" + std::string(name.substr(kOld.size())) : std::string(name);
}

}  // namespace sinew
