// SPDX-License-Identifier: Apache-2.0
#include "weights/skin_fit_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weights/skin_fit_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sinew::weights_detail {
namespace HWY_NAMESPACE {

// The compiler's vectors, since Highway has no doubles in WebAssembly. Contraction is off, so all targets give
// the same bits.
using Pack [[gnu::vector_size(8 * kFramePack)]] = double;
using PackInMemory [[gnu::vector_size(8 * kFramePack), gnu::aligned(8), gnu::may_alias]] = double;

// By reference: vectors by value would be passed differently where registers are narrow.
HWY_INLINE const PackInMemory& Load(const double* from) {
  return *reinterpret_cast<const PackInMemory*>(from);
}

HWY_INLINE double SumOf(const Pack& pack) {
  return (pack[0] + pack[2]) + (pack[1] + pack[3]);
}

void ResidualColumn(const double* moves, const double* points, const double* shapes, const double* roots,
                    std::size_t stride, double* out) {
  for (std::size_t k = 0; k < stride; k += kFramePack) {
    const Pack x = Load(points + k), y = Load(points + stride + k), z = Load(points + 2 * stride + k);
    const Pack root = Load(roots + k);
    for (std::size_t r = 0; r < 3; ++r) {
      const double* row = moves + 4 * r * stride + k;
      const Pack moved =
          Load(row) * x + Load(row + stride) * y + Load(row + 2 * stride) * z + Load(row + 3 * stride);
      *reinterpret_cast<PackInMemory*>(out + r * stride + k) = root * (moved - Load(shapes + r * stride + k));
    }
  }
}

// Products of kRows columns with kColumns others, so that a number is loaded once for several of them, and all sums
// stay in sixteen registers.
constexpr std::size_t kColumns = 4;
template <std::size_t kRows>
HWY_INLINE void Block(const double* columns, std::size_t rows, std::size_t r, std::size_t c,
                      std::size_t height, double* out) {
  Pack sums[kRows][kColumns] = {};
  for (std::size_t k = 0; k < rows; k += kFramePack) {
    Pack b[kColumns];
    for (std::size_t j = 0; j < kColumns; ++j) b[j] = Load(columns + (c + j) * rows + k);
    for (std::size_t i = 0; i < kRows; ++i) {
      const Pack a = Load(columns + (r + i) * rows + k);
      for (std::size_t j = 0; j < kColumns; ++j) sums[i][j] += a * b[j];
    }
  }
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kColumns; ++j)
      if (c + j <= r + i) out[(r + i) + (c + j) * height] = SumOf(sums[i][j]);
}

void ColumnProducts(const double* columns, std::size_t rows, std::size_t count, std::size_t height,
                    double* out) {
  static_assert(kColumnPack == kColumns);
  std::size_t r = 0;
  for (; r + 2 <= count; r += 2)
    for (std::size_t c = 0; c < r + 2; c += kColumns) Block<2>(columns, rows, r, c, height, out);
  if (r < count)
    for (std::size_t c = 0; c <= r; c += kColumns) Block<1>(columns, rows, r, c, height, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew::weights_detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew::weights_detail {
HWY_EXPORT(ResidualColumn);
HWY_EXPORT(ColumnProducts);

void residual_column(const double* moves, const double* points, const double* shapes, const double* roots,
                     std::size_t stride, double* out) noexcept {
  HWY_DYNAMIC_DISPATCH(ResidualColumn)(moves, points, shapes, roots, stride, out);
}
void column_products(const double* columns, std::size_t rows, std::size_t count, std::size_t height,
                     double* out) noexcept {
  HWY_DYNAMIC_DISPATCH(ColumnProducts)(columns, rows, count, height, out);
}

}  // namespace sinew::weights_detail
#endif
