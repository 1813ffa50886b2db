// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "volume/cut_multigrid.h"

namespace sinew {

// One pass of Gauss-Seidel over the nodes [begin, end) of one colour: x = (f + sum of neighbours) / diagonal.
void relax_rows(const std::array<std::uint32_t, 6>* neighbours, const float* inverse, const CutRow* f,
                CutRow* x, std::size_t begin, std::size_t end) noexcept;

// r = f + sum of neighbours - diagonal x; the largest |r| / diagonal.
float residual_rows(const std::array<std::uint32_t, 6>* neighbours, const float* diagonal, const CutRow* f,
                    const CutRow* x, CutRow* r, std::size_t begin, std::size_t end) noexcept;

// out += scale * row.
inline void add_row(float scale, const CutRow& row, CutRow& out) noexcept {
  for (std::size_t k = 0; k < kCutLanes; ++k) out.lane[k] += scale * row.lane[k];
}

}  // namespace sinew
