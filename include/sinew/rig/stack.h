// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/settings.h"

namespace sinew {

/// A number for every vertex that somebody painted: a mask of a step, the stiffness of flesh.
struct VertexAttribute {
  std::string name;           ///< as the file has it: "_MASK"; "COLOR_0" is the red of a vertex colour
  std::vector<float> values;  ///< per vertex; NaN where a part of the mesh has no such attribute
};

/// One step from the rest shape to the posed one. Which names there are, and which settings a step reads, is
/// the player's to say (player/stack.h); what nobody knows is kept.
struct StackEntry {
  std::string step;  ///< keys, cage, skeleton, mush
  std::string mask;  ///< where the step acts: see mask_weights() of player/stack.h; empty: everywhere
  Settings settings = {};

  /// A setting that is a word; `fallback` where there is none, or it is of another kind.
  std::string word(std::string_view name, std::string_view fallback) const;
};

/// What a deformer is called now: "stretch-lbs" for "stbs-lbs", as files of version 0.1 have it; others as
/// they are.
std::string current_deformer_name(std::string_view name);

/// The steps in order, each working on what the one before it left.
using Stack = std::vector<StackEntry>;

}  // namespace sinew
