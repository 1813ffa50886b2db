// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/mesh/winding_number.h"
#include "volume/lattice_frame.h"
#include "volume/line_scan.h"

// Which cells of each row y + ny * z are inside.
namespace sinew {

using RowIntervals = RowItems<LatticeSet::Interval>;

// Closed soups: cell centres where the crossings of their row have entered more often than left.
RowIntervals fill_by_crossings(const RowItems<Crossing>& crossings, int columns);

// Any soup: among the cells without surface, those whose centre has a winding number above 1/2.
RowIntervals fill_by_winding(const RowIntervals& surface, const LatticeFrame& frame,
                             const WindingNumber& winding);

// Both sets together; intervals that touch become one.
RowIntervals unite(const RowIntervals& a, const RowIntervals& b);

// What of `solid` hangs together with a cell of `surface`, a subset of it. The winding number can leave stray
// cells near ragged edges where the neck that joins them to the rest is thinner than a cell.
RowIntervals attached_to_surface(const RowIntervals& solid, const RowIntervals& surface, const Vec3i& dims);

// The cells that are not in `solid` and cannot be reached, side by side, from outside of the lattice.
RowIntervals enclosed(const RowIntervals& solid, const Vec3i& dims);

}  // namespace sinew
