// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sinew/rig/drivers.h"
#include "sinew/weights/skin_fit.h"

namespace sinew {

/// A corrective morph target and the joint that drives it.
struct DrivenMorph {
  std::vector<Vec3f> deltas;  ///< per vertex, bind space; most are zero
  MorphDriver driver;
};

/// Options of fit_morphs().
struct MorphFitOptions {
  std::size_t morphs = 16;      ///< at most
  double least = 0;             ///< deltas that stay below this in every frame are dropped
  std::size_t free_frames = 0;  ///< that many at the end are keyed: their weights need follow no driver
  const Progress* progress = nullptr;
};

/// Morph targets for what a fit of skinning leaves: reduced-rank regression of the rest, taken back to bind
/// space, on the turn functions of one joint; again and again of the joint that explains most. Then shapes and
/// weights of the free frames in turn, by least squares, which never raises the error. Weights are 0 to 1:
/// what a joint does to both sides takes two targets. values: per joint (as many as may drive) and frame. Fewer
/// than asked for where nothing is left to gain.
std::vector<DrivenMorph> fit_morphs(const SkinFit& fit, std::span<const std::vector<TurnValues>> values,
                                    const MorphFitOptions& options);

/// Weights of given morphs, 0 to 1, frame by frame, that bring the fit nearest to its shapes: [morph][frame]. `start`
/// has them as drivers would; `hold` keeps them near that where shapes hardly tell (a share of the mean square
/// of each morph).
std::vector<std::vector<double>> fit_morph_weights(const SkinFit& fit, std::span<const DrivenMorph> morphs,
                                                   const std::vector<std::vector<double>>& start, double hold,
                                                   std::size_t from = 0);

}  // namespace sinew
