// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sinew/weights/bone_weights.h"

namespace sinew {

/// A bone's envelope: a capsule with a radius at each end, and a band around it where its weight falls to 0.
struct Envelope {
  double head_radius = 0, tail_radius = 0, falloff = 0;
};

/// Options of envelope_weights().
struct EnvelopeOptions {
  std::vector<Envelope> envelopes = {};  ///< per bone; empty: measured from the mesh (default_envelopes)
  int smoothing = 0;                     ///< rounds of averaging with the neighbours
  double outlier = 0;                    ///< weights below this share of the row's largest are dropped
};

/// Radii from the mesh: the middle distance of the vertices whose nearest bone this is, nearer head or tail;
/// falloff as wide as the larger radius.
std::vector<Envelope> default_envelopes(const BindInput& input);

/// Weights by envelopes [vanlommel2008, Sec. 6.7]: 1 inside the capsule, smoothly to 0 across the falloff,
/// then normalised. A vertex in no envelope goes to its nearest bone.
BoneWeights envelope_weights(const BindInput& input, const EnvelopeOptions& options = {});

}  // namespace sinew
