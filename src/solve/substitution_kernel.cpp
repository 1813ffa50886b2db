// SPDX-License-Identifier: Apache-2.0
#include "solve/substitution_kernel.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/substitution_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

// The compiler's vectors, since Highway has no doubles in WebAssembly. Contraction is off, so all targets give
// the same bits.
using RowV [[gnu::vector_size(32)]] = double;

// By reference: returned values of this type would depend on the registers of the target.
HWY_INLINE void LoadRow(const SparseCholesky::Row4& row, RowV& out) {
  std::memcpy(&out, row.data(), sizeof(out));
}

void Substitute(const FactorView& f, SparseCholesky::Row4* rows, std::size_t count) {
  RowV row, other;
  for (std::size_t j = 0; j < count; ++j) {
    LoadRow(rows[j], row);
    for (int k = f.outer[j]; k < f.outer[j + 1]; ++k) {
      SparseCholesky::Row4& target = rows[f.inner[k]];
      LoadRow(target, other);
      other -= f.value[k] * row;
      std::memcpy(target.data(), &other, sizeof(other));
    }
  }
  for (std::size_t j = count; j-- > 0;) {
    LoadRow(rows[j], row);
    row *= f.inverse_diagonal[j];
    for (int k = f.outer[j]; k < f.outer[j + 1]; ++k) {
      LoadRow(rows[f.inner[k]], other);
      row -= f.value[k] * other;
    }
    std::memcpy(rows[j].data(), &row, sizeof(row));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {
HWY_EXPORT(Substitute);

void substitute(const FactorView& factor, std::span<SparseCholesky::Row4> rows) noexcept {
  HWY_DYNAMIC_DISPATCH(Substitute)(factor, rows.data(), rows.size());
}

}  // namespace sinew
#endif
