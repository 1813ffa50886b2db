// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sinew {

// A number for every vertex that somebody painted: a mask of a step, the stiffness of flesh.
struct VertexAttribute {
  std::string name;           // as the file has it: "_MASK"; "COLOR_0" is the red of a vertex colour
  std::vector<float> values;  // per vertex; NaN where a part of the mesh has no such attribute
};

// What a file says about a step beside its name: "segments" 12, "deformer" "curve".
using Setting = std::variant<bool, double, std::string>;

// One step from the rest shape to the posed one. Which names there are, and which settings a step reads, is
// the pipeline's to say (pipeline/stack.h); what nobody knows is kept.
struct StackEntry {
  std::string step;  // keys, cage, skeleton, mush
  std::string mask;  // where the step acts: see mask_weights() of pipeline/stack.h; empty: everywhere
  std::map<std::string, Setting, std::less<>> settings = {};

  double number(std::string_view name, double fallback) const;
  bool flag(std::string_view name, bool fallback) const;
  std::string word(std::string_view name, std::string_view fallback) const;
};

// The steps in order, each working on what the one before it left.
using Stack = std::vector<StackEntry>;

}  // namespace sinew
