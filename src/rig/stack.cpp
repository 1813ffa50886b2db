// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/stack.h"

namespace sinew {
namespace {

// A setting of another kind than asked for counts as missing.
template <class Kind>
const Kind* find(const StackEntry& entry, std::string_view name) {
  const auto found = entry.settings.find(name);
  return found == entry.settings.end() ? nullptr : std::get_if<Kind>(&found->second);
}

}  // namespace

double StackEntry::number(std::string_view name, double fallback) const {
  const double* value = find<double>(*this, name);
  return value ? *value : fallback;
}

bool StackEntry::flag(std::string_view name, bool fallback) const {
  const bool* value = find<bool>(*this, name);
  return value ? *value : fallback;
}

std::string StackEntry::word(std::string_view name, std::string_view fallback) const {
  const std::string* value = find<std::string>(*this, name);
  return value ? *value : std::string(fallback);
}

}  // namespace sinew
