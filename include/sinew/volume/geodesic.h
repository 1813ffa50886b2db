// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sinew/volume/voxel_grid.h"

namespace sinew {

/// Where a way through the body starts: at the centre of a cell, with what was already gone.
struct GeodesicSeed {
  std::uint32_t cell = 0;
  double distance = 0;  ///< world units
};

/// Shortest ways through the voxel grid, from cell centre to cell centre, in world units. Cells that touch,
/// be it in a corner, are neighbours. Never shorter than the straight line, exact along the axes, up to 7 %
/// too long elsewhere. Built once for many sources; each is O(cells log cells), and several may run at once.
/// The same bits for any thread count.
class GeodesicSolver {
 public:
  explicit GeodesicSolver(const VoxelGrid& grid);  ///< keeps a reference; 64 bytes a cell

  /// distances (one a cell): the way from the best of the seeds; infinity where none leads, and beyond
  /// `limit`.
  void solve(std::span<const GeodesicSeed> seeds, std::span<float> distances,
             double limit = std::numeric_limits<double>::infinity()) const;

  /// Calls visit(cell) for all cells that touch one, lowest z, then y, then x first.
  template <class Visit>
  void visit_neighbours(std::uint32_t cell, Visit&& visit) const {
    const Around& around = around_[cell];
    for (std::size_t row = 0; row < 9; ++row) {
      std::uint32_t next = around.first[row];
      for (std::uint32_t there = around.there >> (3 * row) & 7u; there != 0; there >>= 1)
        if (there & 1u) {
          if (next != cell) visit(next);
          ++next;
        }
    }
  }

 private:
  class March;
  const VoxelGrid& grid_;
  /// Of the nine rows along x around a cell, its own in the middle: what is there of the three cells next to it, a bit
  /// each, lowest x first, and the index of the first of them; the others follow.
  struct Around {
    std::uint32_t there = 0;
    std::array<std::uint32_t, 9> first;
  };
  std::vector<Around> around_;
  std::vector<std::array<std::uint32_t, 6>> sides_;  ///< side neighbours
};

/// The same for a single source.
std::vector<float> geodesic_distances(const VoxelGrid& grid, std::span<const GeodesicSeed> seeds);

}  // namespace sinew
