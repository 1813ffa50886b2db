// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/volume/lattice_set.h"
#include "volume/span_matrix.h"

namespace sinew {

// What runs over the grid again and again. L right-hand sides ("lanes") go through together: a block of k
// vertices is k * L numbers, vertex by vertex. L is 2, 4 or 8; 4, 8 or 16 in single precision, which does where a result is
// only a direction.

// out = b - A x, 0 at fixed rows. b may be null: 0.
template <std::size_t L, class T>
void residual(const SpanMatrix& A, const T* b, const T* x, T* out);
// out = A x.
template <std::size_t L, class T>
void multiply(const SpanMatrix& A, const T* x, T* out);
// One Gauss-Seidel sweep on A x = b, forwards or backwards. `mask` (a number a lane, 0 or 1) freezes entries;
// null: none.
template <std::size_t L, class T>
void sweep(const SpanMatrix& A, const T* b, T* x, const T* mask, bool forwards);
// One forward sweep on A x = 0 with every value put back into [low, high].
template <std::size_t L>
void sweep_within(const SpanMatrix& A, double low, double high, double* x);

// Trilinear interpolation from the corners of cells twice as wide. Consecutive vertices of a fine run lie
// between consecutive vertices of the coarse runs around it, so a run needs no more than where those start.
struct GridTransfer {
  struct Run {
    std::uint32_t first, count;
    std::uint32_t odd;                    // whether the first x is odd
    std::uint32_t rows;                   // coarse rows around: 1, 2 or 4
    std::array<std::uint32_t, 4> coarse;  // the vertex at or below the first one, in each of them
  };
  std::vector<Run> runs;
  std::vector<std::uint8_t> held;  // fine vertices that take nothing; empty: none
  std::vector<double> coverage;    // per coarse vertex: the sum of its weights
};
GridTransfer make_transfer(const LatticeSet& fine, const LatticeSet& coarse,
                           std::span<const std::uint8_t> held);

// coarse = P' fine, of `count` vertices; `fine` must be 0 where vertices are held.
template <std::size_t L, class T>
void restrict_to(const GridTransfer& P, const T* fine, T* coarse, std::size_t count);
// fine += P coarse, times the mask unless that is null.
template <std::size_t L, class T>
void prolong_add(const GridTransfer& P, const T* coarse, const T* mask, T* fine);

}  // namespace sinew
