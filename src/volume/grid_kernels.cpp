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

// The numbers of one vertex: vectors of at most 32 bytes, as wider ones than the processor's would go through memory.
template <std::size_t L, class T>
struct Pack {
  static constexpr std::size_t kMost = 32 / sizeof(T), kWidth = L < kMost ? L : kMost, kCount = L / kWidth;
  using Vector [[gnu::vector_size(sizeof(T) * kWidth)]] = T;
  using InMemory [[gnu::vector_size(sizeof(T) * kWidth), gnu::aligned(sizeof(T)), gnu::may_alias]] = T;
  Vector part[kCount] = {};

  SINEW_INLINE void load(const T* from) {
    for (std::size_t p = 0; p < kCount; ++p) part[p] = reinterpret_cast<const InMemory*>(from)[p];
  }
  SINEW_INLINE void store(T* to) const {
    for (std::size_t p = 0; p < kCount; ++p) reinterpret_cast<InMemory*>(to)[p] = part[p];
  }
  SINEW_INLINE void add(T much, const T* from) {
    for (std::size_t p = 0; p < kCount; ++p) part[p] += much * reinterpret_cast<const InMemory*>(from)[p];
  }
  SINEW_INLINE void scale(T much) {
    for (std::size_t p = 0; p < kCount; ++p) part[p] *= much;
  }
  SINEW_INLINE void scale(const T* by) {
    for (std::size_t p = 0; p < kCount; ++p) part[p] *= reinterpret_cast<const InMemory*>(by)[p];
  }
  SINEW_INLINE void add_to(T* to) const {
    for (std::size_t p = 0; p < kCount; ++p) reinterpret_cast<InMemory*>(to)[p] += part[p];
  }
};

// One row of b - A x, in registers.
template <std::size_t L, class T>
SINEW_INLINE Pack<L, T> row_residual(const SpanMatrix& A, const SpanMatrix::Span& span, std::size_t row,
                                     const T* b, const T* x) {
  const std::int32_t* columns = A.columns.data() + span.entries;
  const double* values = A.values.data() + span.entries;
  Pack<L, T> sum;
  if (b) sum.load(b + row * L);
  const T* own = x + row * L;
  for (std::uint32_t e = 0; e < span.width; ++e)
    sum.add(static_cast<T>(-values[e]),
            own + static_cast<std::ptrdiff_t>(columns[e]) * static_cast<std::ptrdiff_t>(L));
  return sum;
}

template <std::size_t L, class T>
SINEW_INLINE void residual_body(const SpanMatrix& A, const T* b, const T* x, T* out) {
  for (const SpanMatrix::Span& span : A.spans) {
    if (span.inverse_diagonal == 0) {
      std::fill_n(out + span.first * L, span.count * L, T(0));
      continue;
    }
    for (std::size_t i = span.first; i < std::size_t{span.first} + span.count; ++i)
      row_residual<L, T>(A, span, i, b, x).store(out + i * L);
  }
}

template <std::size_t L, class T>
SINEW_INLINE void multiply_body(const SpanMatrix& A, const T* x, T* out) {
  for (const SpanMatrix::Span& span : A.spans)
    for (std::size_t i = span.first; i < std::size_t{span.first} + span.count; ++i) {
      Pack<L, T> sum = row_residual<L, T>(A, span, i, nullptr, x);
      sum.scale(T(-1));
      sum.store(out + i * L);
    }
}

template <std::size_t L, class T>
SINEW_INLINE void sweep_row(const SpanMatrix& A, const SpanMatrix::Span& span, std::size_t i, const T* b,
                            T* x, const T* mask) {
  Pack<L, T> sum = row_residual<L, T>(A, span, i, b, x);
  if (mask) sum.scale(mask + i * L);
  sum.scale(static_cast<T>(span.inverse_diagonal));
  sum.add_to(x + i * L);
}

template <std::size_t L, class T>
SINEW_INLINE void sweep_body(const SpanMatrix& A, const T* b, T* x, const T* mask, bool forwards) {
  const std::size_t n = A.spans.size();
  for (std::size_t s = 0; s < n; ++s) {
    const SpanMatrix::Span& span = A.spans[forwards ? s : n - 1 - s];
    if (span.inverse_diagonal == 0) continue;
    if (forwards)
      for (std::size_t k = 0; k < span.count; ++k) sweep_row<L, T>(A, span, span.first + k, b, x, mask);
    else
      for (std::size_t k = span.count; k-- > 0;) sweep_row<L, T>(A, span, span.first + k, b, x, mask);
  }
}

template <std::size_t L>
SINEW_INLINE void sweep_within_body(const SpanMatrix& A, double low, double high, double* x) {
  for (const SpanMatrix::Span& span : A.spans) {
    if (span.inverse_diagonal == 0) continue;
    for (std::size_t i = span.first; i < std::size_t{span.first} + span.count; ++i) {
      sweep_row<L, double>(A, span, i, nullptr, x, nullptr);
      for (std::size_t l = i * L; l < (i + 1) * L; ++l) x[l] = std::min(std::max(x[l], low), high);
    }
  }
}

template <std::size_t L, class T>
SINEW_INLINE void restrict_body(const GridTransfer& P, const T* fine, T* coarse, std::size_t count) {
  std::fill(coarse, coarse + count * L, T(0));
  for (const GridTransfer::Run& run : P.runs) {
    const T weight = T(1) / static_cast<T>(run.rows);
    for (std::uint32_t q = 0; q < run.rows; ++q)
      for (std::size_t k = 0; k < run.count; ++k) {
        const std::size_t x = k + run.odd;
        T* to = coarse + (run.coarse[q] + x / 2) * L;
        Pack<L, T> from;
        from.add(x % 2 == 0 ? weight : T(0.5) * weight, fine + (run.first + k) * L);
        from.add_to(to);
        if (x % 2 != 0) from.add_to(to + L);
      }
  }
}

template <std::size_t L, class T>
SINEW_INLINE void prolong_body(const GridTransfer& P, const T* coarse, const T* mask, T* fine) {
  for (const GridTransfer::Run& run : P.runs) {
    const T weight = T(1) / static_cast<T>(run.rows);
    for (std::size_t k = 0; k < run.count; ++k) {
      const std::size_t i = run.first + k, x = k + run.odd;
      if (!P.held.empty() && P.held[i]) continue;
      Pack<L, T> sum;
      for (std::uint32_t q = 0; q < run.rows; ++q) {
        const T* from = coarse + (run.coarse[q] + x / 2) * L;
        sum.add(x % 2 == 0 ? weight : T(0.5) * weight, from);
        if (x % 2 != 0) sum.add(T(0.5) * weight, from + L);
      }
      if (mask) sum.scale(mask + i * L);
      sum.add_to(fine + i * L);
    }
  }
}

}  // namespace

#define SINEW_FOR_LANES(L, T)                                                                                \
  template <>                                                                                                \
  SINEW_WIDE_CLONES void residual<L, T>(const SpanMatrix& A, const T* b, const T* x, T* out) {               \
    residual_body<L, T>(A, b, x, out);                                                                       \
  }                                                                                                          \
  template <>                                                                                                \
  SINEW_WIDE_CLONES void multiply<L, T>(const SpanMatrix& A, const T* x, T* out) {                           \
    multiply_body<L, T>(A, x, out);                                                                          \
  }                                                                                                          \
  template <>                                                                                                \
  SINEW_WIDE_CLONES void sweep<L, T>(const SpanMatrix& A, const T* b, T* x, const T* mask, bool forwards) {  \
    if (mask)                                                                                                \
      sweep_body<L, T>(A, b, x, mask, forwards);                                                             \
    else                                                                                                     \
      sweep_body<L, T>(A, b, x, nullptr, forwards);                                                          \
  }                                                                                                          \
  template <>                                                                                                \
  SINEW_WIDE_CLONES void restrict_to<L, T>(const GridTransfer& P, const T* fine, T* coarse,                  \
                                           std::size_t count) {                                              \
    restrict_body<L, T>(P, fine, coarse, count);                                                             \
  }                                                                                                          \
  template <>                                                                                                \
  SINEW_WIDE_CLONES void prolong_add<L, T>(const GridTransfer& P, const T* coarse, const T* mask, T* fine) { \
    prolong_body<L, T>(P, coarse, mask, fine);                                                               \
  }
#define SINEW_FOR_BOUNDED_LANES(L)                                                                  \
  SINEW_FOR_LANES(L, double)                                                                        \
  template <>                                                                                       \
  SINEW_WIDE_CLONES void sweep_within<L>(const SpanMatrix& A, double low, double high, double* x) { \
    sweep_within_body<L>(A, low, high, x);                                                          \
  }

SINEW_FOR_BOUNDED_LANES(2)
SINEW_FOR_BOUNDED_LANES(4)
SINEW_FOR_BOUNDED_LANES(8)
SINEW_FOR_LANES(4, float)
SINEW_FOR_LANES(8, float)
SINEW_FOR_LANES(16, float)

}  // namespace sinew
