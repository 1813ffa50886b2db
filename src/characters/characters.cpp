// SPDX-License-Identifier: Apache-2.0
#include "sinew/characters/characters.h"

#include <array>
#include <string>

#include "characters/blueprint.h"

namespace sinew {
namespace {

constexpr int kFewest = 100, kMost = 2'000'000;

constexpr std::array<CharacterKind, 7> kKinds = {{
    {"cylinder", "a cylinder of radius 1 and length 8 with two equal bones; bends and twists"},
    {"arm", "a human arm with shoulder, elbow, wrist and hand; bends and twists"},
    {"hand", "a hand with five fingers of three bones; grips"},
    {"biped", "a standing human with fingers, joints named as Mixamo's; walks"},
    {"quadruped", "a four-legged animal with ears and a tail; walks"},
    {"bird", "a bird with spread wings; flaps"},
    {"snake", "a snake of many bones; slithers"},
}};

struct Recipe {
  characters::Blueprint (*blueprint)();  // null: the cylinder, which has a formula instead of a cage
  int resolution;                        // when none is asked for
};
constexpr std::array<Recipe, 7> kRecipes = {{
    {nullptr, 3000},
    {characters::arm_blueprint, 6000},
    {characters::hand_blueprint, 6000},
    {characters::biped_blueprint, 6000},
    {characters::quadruped_blueprint, 5000},
    {characters::bird_blueprint, 5000},
    {characters::snake_blueprint, 3000},
}};

Result<std::size_t> index_of(std::string_view kind) {
  std::string names;
  for (std::size_t k = 0; k < kKinds.size(); ++k) {
    if (kKinds[k].name == kind) return k;
    names += (k ? ", " : "") + std::string(kKinds[k].name);
  }
  return usage_error("no built-in character is called '" + std::string(kind) + "'; there are " + names);
}

}  // namespace

std::span<const CharacterKind> character_kinds() {
  return kKinds;
}

Result<Rig> make_character(std::string_view kind, const CharacterOptions& options) {
  SINEW_TRY(const std::size_t k, index_of(kind));
  const int resolution = options.resolution == 0 ? kRecipes[k].resolution : options.resolution;
  if (resolution < kFewest || resolution > kMost)
    return usage_error("a resolution of " + std::to_string(resolution) + " vertices is outside " +
                       std::to_string(kFewest) + " to " + std::to_string(kMost));
  if (!kRecipes[k].blueprint) return characters::cylinder_rig(resolution);
  return characters::build_rig(kRecipes[k].blueprint(), kind, resolution);
}

Result<Skeleton> character_skeleton(std::string_view kind) {
  SINEW_TRY(const std::size_t k, index_of(kind));
  return characters::build_skeleton(kRecipes[k].blueprint ? kRecipes[k].blueprint().joints
                                                          : characters::cylinder_joints());
}

}  // namespace sinew
