// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"

namespace sinew {

/// Both for a mesh whose edges are 2 % of its size. On longer edges a vertex goes less far, on finer meshes
/// there are more passes, up to four times as many, so that smoothing reaches about as far in both.
struct MushOptions {
  int passes = 10;    ///< of smoothing
  double step = 0.5;  ///< how far a vertex goes towards the mean of its neighbours in one pass
};

/// Delta mush [mancewicz2014]: what another deformer made is smoothed over the mesh, and the detail that
/// smoothing took from the rest shape is put back in the frame of the smoothed surface. Creases and pinches of
/// the deformer go, the character's shape stays. Rest is the identity and rigid motions are kept. Vertices at
/// one place are smoothed as one, those of a border along it. Parts that are small beside the mesh are
/// smoothed by their own size. kUsage: passes outside 0 ... 1000, a step outside 0 ... 1. Without an inner
/// deformer the input itself is smoothed, as a step behind others.
Result<std::unique_ptr<Deformer>> build_mush(const Rig& rig, std::unique_ptr<Deformer> inner,
                                             const MushOptions& options = {});

}  // namespace sinew
