// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sinew/volume/lattice_set.h"

namespace sinew {

/// Corner k of a cell lies at its low corner plus (k & 1, k >> 1 & 1, k >> 2) cells.
inline constexpr std::array<std::array<std::uint8_t, 2>, 12> kCellEdges{
    {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};

/// The voxel grid: cubic cells of a regular lattice, and the grid vertices at their corners, both with
/// compact indices. Cell (x, y, z) covers origin + cell_size * [x, x+1) x [y, y+1) x [z, z+1); grid vertex
/// (x, y, z) is its low corner.
class VoxelGrid {
 public:
  VoxelGrid() = default;
  VoxelGrid(const Vec3& origin, double cell_size, LatticeSet cells);

  const Vec3& origin() const { return origin_; }
  double cell_size() const { return cell_size_; }
  const LatticeSet& cells() const { return cells_; }
  const LatticeSet& vertices() const { return vertices_; }
  std::size_t cell_count() const { return cells_.size(); }
  std::size_t vertex_count() const { return vertices_.size(); }

  Vec3 vertex_position(const Vec3i& v) const { return origin_ + cell_size_ * v.cast<double>(); }
  Vec3 cell_centre(const Vec3i& c) const {
    return origin_ + cell_size_ * (c.cast<double>() + Vec3::Constant(0.5));
  }
  Vec3 vertex_position(std::uint32_t v) const { return vertex_position(vertices_[v]); }
  Vec3 cell_centre(std::uint32_t c) const { return cell_centre(cells_[c]); }

  /// The eight corners of a cell as grid vertices, in the order above.
  std::array<std::uint32_t, 8> cell_vertices(const Vec3i& cell) const;
  std::vector<std::array<std::uint32_t, 8>> all_cell_vertices() const;  ///< per cell
  /// The cells across the sides -x, +x, -y, +y, -z, +z; kNoIndex where there is none.
  std::array<std::uint32_t, 6> side_neighbours(const Vec3i& cell) const;

  /// The lattice cell that holds a point, member or not. A point on the last side of the lattice belongs to
  /// the last cell.
  Vec3i lattice_cell(const Vec3& point) const;
  /// The cell that holds a point, or kNoIndex.
  std::uint32_t cell_at(const Vec3& point) const;
  /// The cell nearest to a point (the one that holds it, if any; the lowest of equals); kNoIndex in an empty
  /// grid or for a point that is not finite. O(1) inside, O(runs) outside.
  std::uint32_t nearest_cell(const Vec3& point) const;

 private:
  Vec3 origin_ = Vec3::Zero();
  double cell_size_ = 1;
  LatticeSet cells_, vertices_;
};

}  // namespace sinew
