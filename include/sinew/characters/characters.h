// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "sinew/rig/rig.h"

namespace sinew {

/// A character that sinew can make by itself.
struct CharacterKind {
  std::string_view name;         ///< "biped"
  std::string_view description;  ///< one line for --help
};
std::span<const CharacterKind> character_kinds();

/// Options of make_character().
struct CharacterOptions {
  /// About this many vertices: within a factor of 2 from 1000 on; below, no fewer than the kind's coarsest
  /// cage has (1.7 k for the biped, under 1 k for the others). 0: the kind's own default, 2 k to 8.5 k.
  int resolution = 0;
};

/// A closed, manifold mesh of quads in one piece, with normals and without texture coordinates; at every
/// resolution it samples the same surface. Skeleton: root first, all joints with the world's axes at rest,
/// tails stored at leaves. Weights of at most four joints a vertex. One clip or more, each a seamless loop. y
/// is up, the front is +z, the character's left is +x, metres; biped, quadruped and bird are mirror images of
/// themselves to the last bit. Cost: about 1.5 microseconds a vertex on one core.
/// kUsage: no such kind (the message lists them) or a resolution outside 100 .. 2,000,000.
Result<Rig> make_character(std::string_view kind, const CharacterOptions& options = {});

/// The skeleton alone, cheap; for templates.
Result<Skeleton> character_skeleton(std::string_view kind);

}  // namespace sinew
