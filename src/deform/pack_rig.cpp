// SPDX-License-Identifier: Apache-2.0
#include "deform/pack_rig.h"

#include <string>

namespace sinew {

Result<SkinTable> pack_rig(const Rig& rig, RowSums sums) {
  const std::size_t rows = rig.weights.vertex_count(), vertices = rig.mesh.vertex_count();
  if (rows != vertices)
    return bad_input("the rig has " + std::to_string(rows) + " rows of skin weights for " +
                     std::to_string(vertices) + " vertices");
  if (rig.inverse_bind.size() != rig.skeleton.size())
    return bad_input("the rig has " + std::to_string(rig.inverse_bind.size()) +
                     " inverse bind matrices for " + std::to_string(rig.skeleton.size()) + " joints");
  return pack_skin(rig.weights, rig.skeleton.size(), sums);
}

}  // namespace sinew
