// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sinew/deform/arap_rig.h"
#include "sinew/player/deformers.h"

namespace sinew {

inline constexpr double kMostIterations = 100'000;

// Of the deformer and of the step.
struct ArapSettings {
  int iterations = 30;
  double springs = 0;
  std::string over = "lbs";
};
inline constexpr Descriptor kArapIterations =
    setting<&ArapSettings::iterations>("iterations", "solver iterations", 1, kMostIterations);
inline constexpr Descriptor kArapSprings =
    setting<&ArapSettings::springs>("springs", "weight of internal springs that preserve volume", 0, 1e6);
inline constexpr std::array kArapSettings = {
    kArapIterations, kArapSprings,
    setting<&ArapSettings::over>("over", "the deformer underneath, with or without +mush")};
inline constexpr std::array kArapStepSettings = {kArapIterations, kArapSprings};

// As rigid as possible as a step: what the steps before have made is pulled at by the vertices that are held,
// or, without those, by the joints.
Result<std::unique_ptr<Deformer>> build_arap_step(const Rig& rig, const Settings& settings,
                                                  const DeformerData& data);

}  // namespace sinew
