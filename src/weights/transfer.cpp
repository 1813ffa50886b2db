// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/transfer.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/mesh/bvh.h"
#include "weights/sparse_rows.h"

namespace sinew {

Result<Transferred> transfer_weights(MeshView source, const SkinWeights& weights,
                                     std::span<const Vec3> target, std::span<const int> joint_map) {
  const Bvh bvh(source);
  if (bvh.empty()) return impossible("the mesh that weights are taken from has no faces");
  std::vector<std::vector<Influence>> rows(target.size());
  std::vector<double> distances(target.size(), 0);
  parallel_for(target.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const NearestPoint nearest = bvh.nearest(target[i]);
      distances[i] = std::sqrt(nearest.squared_distance);
      for (const Influence& influence :
           interpolate(weights, source.triangles[nearest.triangle], nearest.barycentric))
        if (joint_map[influence.joint] >= 0)
          rows[i].push_back({static_cast<std::uint32_t>(joint_map[influence.joint]), influence.weight});
    }
  });
  Transferred result;
  result.weights.offsets.assign(1, 0);
  for (std::vector<Influence>& row : rows) {
    if (!normalise(row))
      return impossible(
          "some vertices would follow only joints that this skeleton does not have; give both files the same "
          "joints");
    result.weights.add_row(row);
  }
  if (!distances.empty()) result.largest_distance = *std::max_element(distances.begin(), distances.end());
  return result;
}

}  // namespace sinew
