// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/geodesic.h"

#include <cmath>
#include <limits>
#include <queue>

namespace sinew {

std::vector<float> geodesic_distances(const VoxelGrid& grid, std::span<const GeodesicSeed> seeds) {
  std::vector<float> distances(grid.cell_count(), std::numeric_limits<float>::infinity());
  // Ties are broken by the cell's index, so that the order of work, and with it every bit, is fixed.
  using Entry = std::pair<float, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> front;
  for (const GeodesicSeed& seed : seeds)
    if (const auto d = static_cast<float>(seed.distance); d < distances[seed.cell]) {
      distances[seed.cell] = d;
      front.emplace(d, seed.cell);
    }
  const auto h = static_cast<float>(grid.cell_size());
  const float steps[4] = {0, h, h * std::sqrt(2.0f), h * std::sqrt(3.0f)};
  while (!front.empty()) {
    const auto [d, cell] = front.top();
    front.pop();
    if (d > distances[cell]) continue;
    const Vec3i at = grid.cells()[cell];
    for (int k = 0; k < 27; ++k) {
      const Vec3i step(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
      const int moves = step.cwiseAbs().sum();
      if (moves == 0) continue;
      const std::uint32_t next = grid.cells().find(at + step);
      if (next == kNoIndex) continue;
      if (const float longer = d + steps[moves]; longer < distances[next]) {
        distances[next] = longer;
        front.emplace(longer, next);
      }
    }
  }
  return distances;
}

}  // namespace sinew
