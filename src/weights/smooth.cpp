// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/smooth.h"

#include "sinew/mesh/topology.h"
#include "weights/sparse_rows.h"

namespace sinew {

SkinWeights smooth_weights(const SkinWeights& weights, const WeldedTriangles& welded,
                           const SmoothOptions& options) {
  const std::size_t count = welded.weld.positions.size();
  const IndexLists neighbours = vertex_neighbours(count, edge_table(count, FaceList(welded.triangles)));
  SkinWeights now;
  now.offsets.assign(1, 0);
  for (const std::uint32_t vertex : welded.weld.representative) now.add_row(weights.row(vertex));

  std::vector<Influence> row;
  for (int round = 0; round < options.rounds; ++round) {
    SkinWeights next;
    next.offsets.assign(1, 0);
    for (std::size_t i = 0; i < count; ++i) {
      row.clear();
      const auto around = neighbours[i];
      const double amount =
          around.empty() ? 0 : options.amount * (options.where.empty() ? 1 : options.where[i]);
      add_scaled(now.row(i), 1 - amount, row);
      for (const std::uint32_t k : around)
        add_scaled(now.row(k), amount / static_cast<double>(around.size()), row);
      next.add_row(row);
    }
    now = std::move(next);
  }
  SkinWeights result;
  result.offsets.assign(1, 0);
  for (const std::uint32_t vertex : welded.weld.to_welded) result.add_row(now.row(vertex));
  return result;
}

}  // namespace sinew
