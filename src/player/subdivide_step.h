// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sinew/core/descriptor.h"
#include "sinew/mesh/subdivision.h"
#include "sinew/rig/stack.h"

namespace sinew {

inline constexpr std::string_view kSubdivide = "subdivide";

struct SubdivideSettings {
  int levels = 1;
};
inline constexpr std::array kSubdivideSettings = {
    setting<&SubdivideSettings::levels>("levels", "levels of Catmull-Clark subdivision at the end; 0: none",
                                        0, Subdivision::kMostLevels)
        .as("subdivide")};

// Where steps that move vertices end: before the subdivision, where the stack ends with one.
Stack::iterator end_of_moves(Stack& stack);

// Puts the step at the end, or takes it away for 0 levels.
void set_subdivision(Stack& stack, int levels);

}  // namespace sinew
