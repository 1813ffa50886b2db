// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "sinew/volume/lattice_set.h"

namespace sinew {

// Where a lattice lies. Everything in this module's sources is in lattice coordinates, (p - origin) / size.
struct LatticeFrame {
  Vec3 origin = Vec3::Zero();
  double size = 1;
  Vec3i dims = Vec3i::Ones();

  // About the middle of the box, so that a symmetric body gets symmetric cells.
  static LatticeFrame around(const Box3& box, double size) {
    LatticeFrame frame;
    frame.size = size;
    for (int axis = 0; axis < 3; ++axis)
      frame.dims[axis] = std::max(1, static_cast<int>(std::ceil(box.sizes()[axis] / size - 1e-9)));
    frame.origin = box.center() - 0.5 * size * frame.dims.cast<double>();
    return frame;
  }
  std::size_t rows() const { return static_cast<std::size_t>(dims.y()) * static_cast<std::size_t>(dims.z()); }
  std::vector<Vec3> to_lattice(const std::vector<Vec3>& positions) const {
    std::vector<Vec3> out(positions.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = (positions[i] - origin) / size;
    return out;
  }
};

// Things found on rows (or lines) of a lattice, packed by row.
template <class T>
struct RowItems {
  std::vector<std::uint32_t> offsets;  // rows + 1
  std::vector<T> items;

  std::span<T> row(std::size_t r) { return {items.data() + offsets[r], items.data() + offsets[r + 1]}; }
  std::span<const T> row(std::size_t r) const {
    return {items.data() + offsets[r], items.data() + offsets[r + 1]};
  }
};

// Packs the (row, item) pairs of several lists, in the order of the lists.
template <class T>
RowItems<T> gather_rows(std::size_t rows,
                        const std::vector<std::vector<std::pair<std::uint32_t, T>>>& lists) {
  RowItems<T> out;
  out.offsets.assign(rows + 1, 0);
  for (const auto& list : lists)
    for (const auto& [row, item] : list) ++out.offsets[row];
  std::uint32_t end = 0;
  for (std::uint32_t& offset : out.offsets) offset = end += offset;
  out.items.resize(end);
  for (std::size_t l = lists.size(); l-- > 0;)
    for (std::size_t k = lists[l].size(); k-- > 0;)
      out.items[--out.offsets[lists[l][k].first]] = lists[l][k].second;
  return out;
}

}  // namespace sinew
