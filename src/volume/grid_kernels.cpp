// SPDX-License-Identifier: Apache-2.0
// Lanes are the compiler's vectors, in a version for wide registers that the loader picks where the processor has
// them: by feature, since GCC takes "arch=haswell" for the name of one processor and would pick it on no other. Without
// fused products, so that both versions give the same bits.
#include "volume/grid_kernels.h"

#include <algorithm>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define SINEW_WIDE_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define SINEW_WIDE_CLONES
#endif
#define SINEW_INLINE [[gnu::always_inline]] inline

namespace sinew {
namespace {

// The numbers of one vertex: vectors of at most four, as wider ones than the processor's would go through memory.
template <std::size_t L>
struct Pack {
  static constexpr std::size_t kWidth = L < 4 ? L : 4, kCount = L / kWidth;
  using Vector [[gnu::vector_size(8 * kWidth)]] = double;
  using InMemory [[gnu::vector_size(8 * kWidth), gnu::aligned(8), gnu::may_alias]] = double;
  Vector part[kCount] = {};

  SINEW_INLINE void load(const double* from) {
    for (std::size_t p = 0; p < kCount; ++p) part[p] = reinterpret_cast<const InMemory*>(from)[p];
  }
  SINEW_INLINE void store(double* to) const {
    for (std::size_t p = 0; p < kCount; ++p) reinterpret_cast<InMemory*>(to)[p] = part[p];
  }
  SINEW_INLINE void add(double much, const double* from) {
    for (std::size_t p = 0; p < kCount; ++p) part[p] += much * reinterpret_cast<const InMemory*>(from)[p];
  }
  SINEW_INLINE void scale(double much) {
    for (std::size_t p = 0; p < kCount; ++p) part[p] *= much;
  }
  SINEW_INLINE void scale(const double* by) {
    for (std::size_t p = 0; p < kCount; ++p) part[p] *= reinterpret_cast<const InMemory*>(by)[p];
  }
  SINEW_INLINE void add_to(double* to) const {
    for (std::size_t p = 0; p < kCount; ++p) reinterpret_cast<InMemory*>(to)[p] += part[p];
  }
};

// One row of b - A x, in registers.
template <std::size_t L>
SINEW_INLINE Pack<L> row_residual(const SpanMatrix& A, const SpanMatrix::Span& span, std::size_t row,
                                  const double* b, const double* x) {
  const std::int32_t* columns = A.columns.data() + span.entries;
  const double* values = A.values.data() + span.entries;
  Pack<L> sum;
  if (b) sum.load(b + row * L);
  const double* own = x + row * L;
  for (std::uint32_t e = 0; e < span.width; ++e)
    sum.add(-values[e], own + static_cast<std::ptrdiff_t>(columns[e]) * static_cast<std::ptrdiff_t>(L));
  return sum;
}

template <std::size_t L>
SINEW_INLINE void residual_body(const SpanMatrix& A, const double* b, const double* x, double* out) {
  for (const SpanMatrix::Span& span : A.spans) {
    if (span.inverse_diagonal == 0) {
      std::fill_n(out + span.first * L, span.count * L, 0.0);
      continue;
    }
    for (std::size_t i = span.first; i < std::size_t{span.first} + span.count; ++i)
      row_residual<L>(A, span, i, b, x).store(out + i * L);
  }
}

template <std::size_t L>
SINEW_INLINE void multiply_body(const SpanMatrix& A, const double* x, double* out) {
  for (const SpanMatrix::Span& span : A.spans)
    for (std::size_t i = span.first; i < std::size_t{span.first} + span.count; ++i) {
      Pack<L> sum = row_residual<L>(A, span, i, nullptr, x);
      sum.scale(-1);
      sum.store(out + i * L);
    }
}

template <std::size_t L>
SINEW_INLINE void sweep_row(const SpanMatrix& A, const SpanMatrix::Span& span, std::size_t i, const double* b,
                            double* x, const double* mask) {
  Pack<L> sum = row_residual<L>(A, span, i, b, x);
  if (mask) sum.scale(mask + i * L);
  sum.scale(span.inverse_diagonal);
  sum.add_to(x + i * L);
}

template <std::size_t L>
SINEW_INLINE void sweep_body(const SpanMatrix& A, const double* b, double* x, const double* mask,
                             bool forwards) {
  const std::size_t n = A.spans.size();
  for (std::size_t s = 0; s < n; ++s) {
    const SpanMatrix::Span& span = A.spans[forwards ? s : n - 1 - s];
    if (span.inverse_diagonal == 0) continue;
    if (forwards)
      for (std::size_t k = 0; k < span.count; ++k) sweep_row<L>(A, span, span.first + k, b, x, mask);
    else
      for (std::size_t k = span.count; k-- > 0;) sweep_row<L>(A, span, span.first + k, b, x, mask);
  }
}

template <std::size_t L>
SINEW_INLINE void sweep_within_body(const SpanMatrix& A, double low, double high, double* x) {
  for (const SpanMatrix::Span& span : A.spans) {
    if (span.inverse_diagonal == 0) continue;
    for (std::size_t i = span.first; i < std::size_t{span.first} + span.count; ++i) {
      sweep_row<L>(A, span, i, nullptr, x, nullptr);
      for (std::size_t l = i * L; l < (i + 1) * L; ++l) x[l] = std::min(std::max(x[l], low), high);
    }
  }
}

template <std::size_t L>
SINEW_INLINE void restrict_body(const GridTransfer& P, const double* fine, double* coarse,
                                std::size_t count) {
  std::fill(coarse, coarse + count * L, 0.0);
  for (const GridTransfer::Run& run : P.runs) {
    const double weight = 1.0 / run.rows;
    for (std::uint32_t q = 0; q < run.rows; ++q)
      for (std::size_t k = 0; k < run.count; ++k) {
        const std::size_t x = k + run.odd;
        double* to = coarse + (run.coarse[q] + x / 2) * L;
        Pack<L> from;
        from.add(x % 2 == 0 ? weight : 0.5 * weight, fine + (run.first + k) * L);
        from.add_to(to);
        if (x % 2 != 0) from.add_to(to + L);
      }
  }
}

template <std::size_t L>
SINEW_INLINE void prolong_body(const GridTransfer& P, const double* coarse, const double* mask,
                               double* fine) {
  for (const GridTransfer::Run& run : P.runs) {
    const double weight = 1.0 / run.rows;
    for (std::size_t k = 0; k < run.count; ++k) {
      const std::size_t i = run.first + k, x = k + run.odd;
      if (!P.held.empty() && P.held[i]) continue;
      Pack<L> sum;
      for (std::uint32_t q = 0; q < run.rows; ++q) {
        const double* from = coarse + (run.coarse[q] + x / 2) * L;
        sum.add(x % 2 == 0 ? weight : 0.5 * weight, from);
        if (x % 2 != 0) sum.add(0.5 * weight, from + L);
      }
      if (mask) sum.scale(mask + i * L);
      sum.add_to(fine + i * L);
    }
  }
}

}  // namespace

#define SINEW_FOR_LANES(L)                                                                                 \
  template <>                                                                                              \
  SINEW_WIDE_CLONES void residual<L>(const SpanMatrix& A, const double* b, const double* x, double* out) { \
    residual_body<L>(A, b, x, out);                                                                        \
  }                                                                                                        \
  template <>                                                                                              \
  SINEW_WIDE_CLONES void multiply<L>(const SpanMatrix& A, const double* x, double* out) {                  \
    multiply_body<L>(A, x, out);                                                                           \
  }                                                                                                        \
  template <>                                                                                              \
  SINEW_WIDE_CLONES void sweep<L>(const SpanMatrix& A, const double* b, double* x, const double* mask,     \
                                  bool forwards) {                                                         \
    if (mask)                                                                                              \
      sweep_body<L>(A, b, x, mask, forwards);                                                              \
    else                                                                                                   \
      sweep_body<L>(A, b, x, nullptr, forwards);                                                           \
  }                                                                                                        \
  template <>                                                                                              \
  SINEW_WIDE_CLONES void sweep_within<L>(const SpanMatrix& A, double low, double high, double* x) {        \
    sweep_within_body<L>(A, low, high, x);                                                                 \
  }                                                                                                        \
  template <>                                                                                              \
  SINEW_WIDE_CLONES void restrict_to<L>(const GridTransfer& P, const double* fine, double* coarse,         \
                                        std::size_t count) {                                               \
    restrict_body<L>(P, fine, coarse, count);                                                              \
  }                                                                                                        \
  template <>                                                                                              \
  SINEW_WIDE_CLONES void prolong_add<L>(const GridTransfer& P, const double* coarse, const double* mask,   \
                                        double* fine) {                                                    \
    prolong_body<L>(P, coarse, mask, fine);                                                                \
  }

SINEW_FOR_LANES(2)
SINEW_FOR_LANES(4)
SINEW_FOR_LANES(8)

}  // namespace sinew
