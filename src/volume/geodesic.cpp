// SPDX-License-Identifier: Apache-2.0
// Fast marching (Sethian 1996 [sethian1996]) across sides, together with Dijkstra's steps to all 26
// neighbours: either is an upper bound, so the smaller one is kept. Marching alone does not pass where cells
// touch in an edge or a corner only; steps alone are up to 13 % too long in some directions.
#include "sinew/volume/geodesic.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "sinew/core/bucket_queue.h"
#include "sinew/core/parallel.h"
#include "sinew/core/prefetch.h"

namespace sinew {

constexpr float kRangeWidth = 0.25f;  // of a cell: of what the queue keeps in order
constexpr float kFar = std::numeric_limits<float>::infinity();

GeodesicSolver::GeodesicSolver(const VoxelGrid& grid)
    : grid_(grid), around_(grid.cell_count()), sides_(grid.cell_count()) {
  const auto runs = grid.cells().runs();
  parallel_for(runs.size(), 1 << 9, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      Vec3i cell = grid.cells().run_start(runs[r]);
      std::array<std::span<const LatticeSet::Run>, 9> rows;
      for (std::size_t row = 0; row < rows.size(); ++row)
        rows[row] = grid.cells().row(cell.y() + static_cast<int>(row % 3) - 1,
                                     cell.z() + static_cast<int>(row / 3) - 1);
      for (std::uint32_t c = runs[r].first; cell.x() < runs[r].end; ++c, ++cell.x()) {
        Around& around = around_[c];
        for (std::size_t row = 0; row < rows.size(); ++row) {
          around.first[row] = kNoIndex;
          while (!rows[row].empty() && rows[row].front().end < cell.x()) rows[row] = rows[row].subspan(1);
          for (const LatticeSet::Run& run : rows[row]) {
            if (run.begin > cell.x() + 1) break;
            const int from = std::max(run.begin, cell.x() - 1), to = std::min(run.end, cell.x() + 2);
            if (from >= to) continue;
            if (around.first[row] == kNoIndex)
              around.first[row] = run.first + static_cast<std::uint32_t>(from - run.begin);
            for (int x = from; x < to; ++x)
              around.there |= 1u << (3 * row + static_cast<std::size_t>(x - cell.x() + 1));
          }
        }
        sides_[c] = grid.side_neighbours(cell);
      }
    }
  });
}

// One source, in units of cells.
class GeodesicSolver::March {
 public:
  March(const GeodesicSolver& solver, std::span<float> distances)
      : solver_(solver), distances_(distances), done_(distances.size(), 0), front_(kRangeWidth) {
    std::fill(distances.begin(), distances.end(), kFar);
  }

  void offer(std::uint32_t cell, float distance) {
    if (!(distance < distances_[cell])) return;
    distances_[cell] = distance;
    front_.push(distance, cell);
  }

  void run(float limit) {
    Front::Entry entry;
    while (front_.pop(entry, [&](const Front::Entry& one) { return one.key > distances_[one.item]; })) {
      if (entry.key > limit) {
        for (std::size_t c = 0; c < distances_.size(); ++c)
          if (!done_[c]) distances_[c] = kFar;
        return;
      }
      if (done_[entry.item]) continue;
      done_[entry.item] = 1;
      if (const Front::Entry* next = front_.next()) {
        prefetch(&solver_.around_[next->item]);
        prefetch(&solver_.sides_[next->item]);
      }
      step_to_neighbours(entry.item);
      for (const std::uint32_t side : solver_.sides_[entry.item])
        if (side != kNoIndex && !done_[side]) offer(side, arrival(side));
    }
  }

 private:
  using Front = BucketQueue<float>;

  void step_to_neighbours(std::uint32_t from) {
    constexpr float kStep[4] = {0, 1, 1.41421356f, 1.73205081f};
    constexpr std::size_t kAcross[9] = {2, 1, 2, 1, 0, 1, 2, 1, 2};  // axes of a step to a row
    const Around& around = solver_.around_[from];
    const float here = distances_[from];
    for (std::size_t row = 0; row < 9; ++row) {
      const std::uint32_t there = around.there >> (3 * row);
      const float straight = here + kStep[kAcross[row]], aslant = here + kStep[kAcross[row] + 1];
      std::uint32_t cell = around.first[row];
      // What is done is not farther than this cell, and takes no offer.
      if (there & 1u) offer(cell++, aslant);
      if (there & 2u) offer(cell++, straight);
      if (there & 4u) offer(cell, aslant);
    }
  }

  // When a flat front through the sides that are done reaches the cell: |grad d| = 1, first order, upwind.
  float arrival(std::uint32_t cell) const {
    std::array<float, 3> d;
    for (std::size_t axis = 0; axis < 3; ++axis)
      d[axis] = std::min(known(solver_.sides_[cell][2 * axis]), known(solver_.sides_[cell][2 * axis + 1]));
    std::sort(d.begin(), d.end());
    float best = d[0] + 1;
    if (best > d[1]) {
      const float gap = d[1] - d[0];
      best = 0.5f * (d[0] + d[1] + std::sqrt(2 - gap * gap));
    }
    if (best > d[2]) {
      // Relative to the nearest, or the squares of far cells would eat up the digits.
      const float b = d[1] - d[0], c = d[2] - d[0], sum = b + c;
      const float root = sum * sum - 3 * (b * b + c * c - 1);
      if (root >= 0) best = d[0] + (sum + std::sqrt(root)) / 3;
    }
    return best;
  }
  float known(std::uint32_t cell) const { return cell != kNoIndex && done_[cell] ? distances_[cell] : kFar; }

  const GeodesicSolver& solver_;
  std::span<float> distances_;
  std::vector<std::uint8_t> done_;
  Front front_;
};

void GeodesicSolver::solve(std::span<const GeodesicSeed> seeds, std::span<float> distances,
                           double limit) const {
  assert(distances.size() == grid_.cell_count());
  March march(*this, distances);
  for (const GeodesicSeed& seed : seeds)
    march.offer(seed.cell, static_cast<float>(seed.distance / grid_.cell_size()));
  march.run(static_cast<float>(limit / grid_.cell_size()));
  const auto size = static_cast<float>(grid_.cell_size());
  for (float& distance : distances) distance *= size;
}

std::vector<float> geodesic_distances(const VoxelGrid& grid, std::span<const GeodesicSeed> seeds) {
  std::vector<float> distances(grid.cell_count());
  GeodesicSolver(grid).solve(seeds, distances);
  return distances;
}

}  // namespace sinew
