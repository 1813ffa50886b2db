// SPDX-License-Identifier: Apache-2.0
// The loops over lanes are written so that the compiler makes vector code of them, in a version for wide
// vectors that the loader picks where the processor has them.
#include "volume/grid_kernels.h"

#include <algorithm>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define SINEW_WIDE_CLONES __attribute__((target_clones("arch=haswell", "default")))
#else
#define SINEW_WIDE_CLONES
#endif
#define SINEW_INLINE [[gnu::always_inline]] inline

namespace sinew {
namespace {

// One row of b - A x, in registers.
template <std::size_t L>
SINEW_INLINE void row_residual(const std::int32_t* columns, const double* values, std::uint32_t width,
                               std::size_t row, const double* b, const double* x, double* sum) {
  for (std::size_t l = 0; l < L; ++l) sum[l] = b ? b[row * L + l] : 0.0;
  const double* own = x + row * L;
  for (std::uint32_t e = 0; e < width; ++e) {
    const double value = values[e];
    const double* other = own + static_cast<std::ptrdiff_t>(columns[e]) * static_cast<std::ptrdiff_t>(L);
    for (std::size_t l = 0; l < L; ++l) sum[l] -= value * other[l];
  }
}

template <std::size_t L>
SINEW_INLINE void residual_body(const SpanMatrix& A, const double* b, const double* x, double* out) {
  for (const SpanMatrix::Span& span : A.spans) {
    if (span.inverse_diagonal == 0) {
      std::fill_n(out + span.first * L, span.count * L, 0.0);
      continue;
    }
    for (std::size_t i = span.first; i < std::size_t{span.first} + span.count; ++i) {
      double sum[L];
      row_residual<L>(&A.columns[span.entries], &A.values[span.entries], span.width, i, b, x, sum);
      for (std::size_t l = 0; l < L; ++l) out[i * L + l] = sum[l];
    }
  }
}

template <std::size_t L>
SINEW_INLINE void multiply_body(const SpanMatrix& A, const double* x, double* out) {
  for (const SpanMatrix::Span& span : A.spans)
    for (std::size_t i = span.first; i < std::size_t{span.first} + span.count; ++i) {
      double sum[L];
      row_residual<L>(A.columns.data() + span.entries, A.values.data() + span.entries, span.width, i, nullptr,
                      x, sum);
      for (std::size_t l = 0; l < L; ++l) out[i * L + l] = -sum[l];
    }
}

template <std::size_t L>
SINEW_INLINE void sweep_row(const SpanMatrix& A, const SpanMatrix::Span& span, std::size_t i, const double* b,
                            double* x, const double* mask) {
  double sum[L];
  row_residual<L>(&A.columns[span.entries], &A.values[span.entries], span.width, i, b, x, sum);
  double* own = x + i * L;
  if (mask)
    for (std::size_t l = 0; l < L; ++l) own[l] += span.inverse_diagonal * mask[i * L + l] * sum[l];
  else
    for (std::size_t l = 0; l < L; ++l) own[l] += span.inverse_diagonal * sum[l];
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
      double sum[L];
      row_residual<L>(&A.columns[span.entries], &A.values[span.entries], span.width, i, nullptr, x, sum);
      double* own = x + i * L;
      for (std::size_t l = 0; l < L; ++l)
        own[l] = std::min(std::max(own[l] + span.inverse_diagonal * sum[l], low), high);
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
        const double* from = fine + (run.first + k) * L;
        const std::size_t x = k + run.odd;
        double* to = coarse + (run.coarse[q] + x / 2) * L;
        if (x % 2 == 0)
          for (std::size_t l = 0; l < L; ++l) to[l] += weight * from[l];
        else
          for (std::size_t l = 0; l < L; ++l) {
            to[l] += 0.5 * weight * from[l];
            to[L + l] += 0.5 * weight * from[l];
          }
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
      double sum[L] = {};
      for (std::uint32_t q = 0; q < run.rows; ++q) {
        const double* from = coarse + (run.coarse[q] + x / 2) * L;
        if (x % 2 == 0)
          for (std::size_t l = 0; l < L; ++l) sum[l] += weight * from[l];
        else
          for (std::size_t l = 0; l < L; ++l) sum[l] += 0.5 * weight * (from[l] + from[L + l]);
      }
      if (mask)
        for (std::size_t l = 0; l < L; ++l) fine[i * L + l] += mask[i * L + l] * sum[l];
      else
        for (std::size_t l = 0; l < L; ++l) fine[i * L + l] += sum[l];
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
