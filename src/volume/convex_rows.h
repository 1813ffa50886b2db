// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <span>

#include "volume/lattice_frame.h"

namespace sinew {

// A small convex polygon (or segment, or point) in space, cut to slabs.
class ConvexPiece {
 public:
  ConvexPiece() = default;
  explicit ConvexPiece(std::span<const Vec3> corners) {
    for (const Vec3& corner : corners) push(corner);
  }

  bool empty() const { return count_ == 0; }
  double low(int axis) const {
    double best = corners_[0][axis];
    for (std::size_t k = 1; k < count_; ++k) best = std::min(best, corners_[k][axis]);
    return best;
  }
  double high(int axis) const {
    double best = corners_[0][axis];
    for (std::size_t k = 1; k < count_; ++k) best = std::max(best, corners_[k][axis]);
    return best;
  }

  // Makes this the part of `whole` with from <= p[axis] <= to. New corners lie on the cut to the bit, and the
  // slab next to it gets the same points.
  void set_slab(const ConvexPiece& whole, int axis, double from, double to) {
    ConvexPiece above;
    above.set_half(whole, axis, from, 1);
    set_half(above, axis, to, -1);
  }

 private:
  void push(const Vec3& corner) {
    assert(count_ < corners_.size());
    corners_[count_++] = corner;
  }
  void set_half(const ConvexPiece& whole, int axis, double limit, double side) {
    count_ = 0;
    for (std::size_t k = 0; k < whole.count_; ++k) {
      const Vec3 &a = whole.corners_[k], &b = whole.corners_[k + 1 == whole.count_ ? 0 : k + 1];
      const double da = side * (a[axis] - limit), db = side * (b[axis] - limit);
      if (da >= 0) push(a);
      if ((da > 0 && db < 0) || (da < 0 && db > 0)) {
        Vec3 cut = a + da / (da - db) * (b - a);
        cut[axis] = limit;
        push(cut);
      }
    }
  }

  std::size_t count_ = 0;
  std::array<Vec3, 12> corners_;  // a triangle cut by four planes has seven
};

// Calls emit(row, {begin, end}) for the cells that the corners' convex hull meets (at most three corners),
// each cell grown by `slack` on all sides. Cells are half open; coordinates beyond the lattice belong to its
// first and last cells.
template <class Emit>
void visit_convex_rows(std::span<const Vec3> corners, const Vec3i& dims, double slack, Emit&& emit) {
  const auto cell = [&](double at, int axis) {
    return static_cast<int>(std::clamp(std::floor(at), 0.0, double(dims[axis] - 1)));
  };
  const auto put = [&](const ConvexPiece& piece, int y, int z) {
    emit(static_cast<std::uint32_t>(y + dims.y() * z),
         LatticeSet::Interval{cell(piece.low(0) - slack, 0), cell(piece.high(0) + slack, 0) + 1});
  };
  // Border cells reach to infinity, so that what sticks out by rounding is not lost.
  const auto cut = [&](const ConvexPiece& piece, int axis, int at, ConvexPiece& out) {
    const double far = 1e300;
    out.set_slab(piece, axis, at == 0 ? -far : at - slack, at + 1 == dims[axis] ? far : at + 1 + slack);
  };
  const ConvexPiece whole(corners);
  ConvexPiece layer, piece;
  const int z_begin = cell(whole.low(2) - slack, 2), z_end = cell(whole.high(2) + slack, 2) + 1;
  for (int z = z_begin; z < z_end; ++z) {
    const bool one_layer = z_end - z_begin == 1;
    if (!one_layer) cut(whole, 2, z, layer);
    const ConvexPiece& in_layer = one_layer ? whole : layer;
    if (in_layer.empty()) continue;
    const int y_begin = cell(in_layer.low(1) - slack, 1), y_end = cell(in_layer.high(1) + slack, 1) + 1;
    if (y_end - y_begin == 1) put(in_layer, y_begin, z);
    for (int y = y_begin; y < y_end && y_end - y_begin > 1; ++y) {
      cut(in_layer, 1, y, piece);
      if (!piece.empty()) put(piece, y, z);
    }
  }
}

}  // namespace sinew
