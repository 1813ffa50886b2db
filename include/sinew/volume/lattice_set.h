// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/math/types.h"

namespace sinew {

using Vec3i = Eigen::Vector3i;

inline constexpr std::uint32_t kNoIndex = 0xffffffffu;

/// A set of points of an integer lattice, each with a compact index. Points are numbered along x, then y, then
/// z, and held as runs along x: memory follows the members (and the ny * nz rows), not the box, and a sweep
/// over neighbouring rows runs through memory in order.
class LatticeSet {
 public:
  struct Interval {
    std::int32_t begin, end;  ///< x in [begin, end)
  };
  struct Run {
    std::int32_t begin, end;  ///< x in [begin, end)
    std::uint32_t first;      ///< index of the member at `begin`; the others follow
    std::uint32_t row;        ///< y + ny * z
  };

  LatticeSet() = default;
  /// intervals of row y + ny * z are [row_offsets[row], row_offsets[row + 1]), ascending, disjoint and within
  /// dims. Intervals that touch become one run.
  LatticeSet(const Vec3i& dims, std::span<const std::uint32_t> row_offsets,
             std::span<const Interval> intervals);

  const Vec3i& dims() const { return dims_; }
  std::size_t size() const { return size_; }
  std::size_t row_count() const { return row_offsets_.empty() ? 0 : row_offsets_.size() - 1; }

  /// kNoIndex where the point is no member; any coordinates may be asked for.
  std::uint32_t find(int x, int y, int z) const;
  std::uint32_t find(const Vec3i& p) const { return find(p.x(), p.y(), p.z()); }
  bool contains(const Vec3i& p) const { return find(p) != kNoIndex; }

  /// Coordinates of a member; O(log runs). In a loop over all members walk the runs instead.
  Vec3i operator[](std::uint32_t index) const;
  Vec3i run_start(const Run& run) const {
    return {run.begin, static_cast<int>(run.row) % dims_.y(), static_cast<int>(run.row) / dims_.y()};
  }

  std::span<const Run> runs() const { return runs_; }
  std::span<const Run> row(int y, int z) const;  ///< empty outside of dims

 private:
  Vec3i dims_ = Vec3i::Zero();
  std::size_t size_ = 0;
  std::vector<std::uint32_t> row_offsets_;  ///< into runs_
  std::vector<Run> runs_;
};

/// The corners of unit cells that are members of `cells`: dims grow by one.
LatticeSet corners_of_cells(const LatticeSet& cells);

/// Members that touch (26 neighbours, as cells that share a corner do) belong together; numbered by their
/// lowest member.
struct LatticeComponents {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> of_member;
};
LatticeComponents connected_components(const LatticeSet& set);

}  // namespace sinew
