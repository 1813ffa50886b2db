// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <emscripten/val.h>

#include <vector>

#include "sinew/player/stack.h"

namespace sinew {

// What DeformSettings of sinew.d.ts says: a stack, and the vertices that arap holds.
struct DeformWish {
  Stack stack;
  std::vector<VertexTarget> held;
};

// What the object does not say is as `stack` has it. kUsage: a field of the wrong kind, a value out of range.
Result<DeformWish> wish_of(const emscripten::val& settings, const Stack& stack);
emscripten::val settings_value(const Stack& stack);
// SettingInfo[] of sinew.d.ts: the table that the page makes its controls from.
emscripten::val setting_table();

}  // namespace sinew
