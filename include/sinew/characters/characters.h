// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "sinew/rig/rig.h"

namespace sinew {

// A character that sinew can make by itself.
struct CharacterKind {
  std::string_view name;         // "biped"
  std::string_view description;  // one line for --help
};
std::span<const CharacterKind> character_kinds();

struct CharacterOptions {
  int resolution = 0;  // about this many vertices (within a factor of 2); 0: the kind's own default, 2 k to 8 k
};

// Mesh of quads, skeleton (root first), weights of at most four joints a vertex, one clip or more. y is up, the front is +z, metres.
// kUsage: no such kind (the message lists them) or a resolution outside 100 .. 2,000,000.
Result<Rig> make_character(std::string_view kind, const CharacterOptions& options = {});

// The skeleton alone, cheap; for templates.
Result<Skeleton> character_skeleton(std::string_view kind);

}  // namespace sinew
