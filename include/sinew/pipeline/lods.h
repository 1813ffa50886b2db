// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "sinew/rig/rig.h"

namespace sinew {

/// A rig with fewer triangles, and how far its surface is from that of the full one.
struct Lod {
  Rig rig;
  std::vector<std::uint32_t> vertices;  ///< of the full mesh, one for each of its own
  std::size_t triangles = 0;
  bool across_seams =
      false;  ///< seams of the texture and hard edges stood in the way, and were simplified too
  /// Distances of the full mesh's vertices to the surface of this one, over the full mesh's diagonal: in the rest
  /// pose, and over poses of the clips (0 without clips).
  double rms = 0, max = 0, clip_rms = 0, clip_max = 0;
};

/// Levels of detail by meshoptimizer, each with half the triangles of the one before, and with vertices of the
/// full mesh: weights, shape keys and fields are theirs. Where seams of the texture and
/// hard edges keep a level from its aim or double its error, triangles cross them; borders can still stop it short. kImpossible: no faces, or built without meshoptimizer. The same bits for any thread count.
Result<std::vector<Lod>> make_lods(const Rig& rig, std::size_t count);

}  // namespace sinew
