// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sinew::weights_detail {

// Frames lie side by side in planes of `stride` numbers, a multiple of this; those beyond the last are 0.
constexpr std::size_t kFramePack = 4;
constexpr std::size_t padded_frames(std::size_t frames) {
  return (frames + kFramePack - 1) / kFramePack * kFramePack;
}

// How far moves (12 planes: a 3 x 4 matrix row by row) carry points (3 planes) from shapes (3), times `roots` (1): 3
// planes into `out`. The same bits on every processor.
void residual_column(const double* moves, const double* points, const double* shapes, const double* roots,
                     std::size_t stride, double* out) noexcept;

// The products of every two of `count` columns: the lower half of a matrix whose columns have `height` numbers. They
// have `rows` numbers, a multiple of kFramePack, and lie one after the other, with room for a multiple of kColumnPack.
// The same bits on every processor.
constexpr std::size_t kColumnPack = 4;
void column_products(const double* columns, std::size_t rows, std::size_t count, std::size_t height,
                     double* out) noexcept;

}  // namespace sinew::weights_detail
