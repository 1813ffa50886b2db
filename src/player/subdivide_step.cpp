// SPDX-License-Identifier: Apache-2.0
#include "player/subdivide_step.h"

#include <algorithm>

#include "sinew/player/stack.h"

namespace sinew {

Stack::iterator end_of_moves(Stack& stack) {
  return stack.empty() || stack.back().step != kSubdivide ? stack.end() : stack.end() - 1;
}

void set_subdivision(Stack& stack, int levels) {
  if (levels == 0) {
    stack = without_subdivision(std::move(stack));
    return;
  }
  if (end_of_moves(stack) == stack.end()) stack.push_back({std::string(kSubdivide), "", {}});
  Settings& settings = stack.back().settings;
  if (levels == SubdivideSettings().levels)
    settings.erase("levels");
  else
    settings["levels"] = static_cast<double>(levels);
}

int subdivision_levels(const Stack& stack) {
  if (stack.empty() || stack.back().step != kSubdivide) return 0;
  const auto read = read_settings<SubdivideSettings>(kSubdivideSettings, stack.back().settings);
  return read.ok() ? read->levels : 0;
}

Stack without_subdivision(Stack stack) {
  std::erase_if(stack, [](const StackEntry& entry) { return entry.step == kSubdivide; });
  return stack;
}

}  // namespace sinew
