// SPDX-License-Identifier: Apache-2.0
// Multigrid after Brandt. Smoothing is Gauss-Seidel in two colours; after a sweep the residual of the second
// colour is 0, so only half of it is computed and restricted. Weights of whole edges are 1 on every level:
// the matrix is that of -cell^2 times the Laplacian, and a restricted residual counts half of the transpose
// of trilinear interpolation.
#include "volume/cut_multigrid.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "sinew/core/parallel.h"
#include "volume/cut_kernel.h"

namespace sinew {
namespace {

constexpr std::size_t kCutGrain = 4096;
constexpr int kSweeps = 2;
constexpr int kCutCoarsestSweeps = 60;

}  // namespace

CutMultigrid::CutMultigrid(MeshView surface, const CutGrid& finest, bool oriented)
    : positions_(surface.positions.begin(), surface.positions.end()),
      triangles_(surface.triangles.begin(), surface.triangles.end()) {
  CutFrame at{finest.origin, finest.cell, finest.dims};
  const CutGrid* grid = &finest;
  while (true) {
    const std::size_t n = grid->count;
    if (n == 0 && !levels_.empty()) break;
    Level level;
    level.grid = grid;
    level.inverse.resize(n);
    for (std::size_t i = 0; i < n; ++i) level.inverse[i] = 1 / grid->diagonal[i];
    level.x.assign(n + 1, CutRow{});
    level.f.assign(n, CutRow{});
    level.r.assign(grid->even + 1, CutRow{});
    levels_.push_back(std::move(level));
    if (n < 30 || at.dims.maxCoeff() <= 5) break;
    at.cell *= 2;
    at.dims = ((at.dims.array() + 1) / 2).matrix();
    coarse_.push_back(std::make_unique<CutGrid>(cut_grid({positions_, triangles_}, at, oriented)));
    coarse_.back()->lines = {};  // lookups go to the finest grid
    grid = coarse_.back().get();
  }
}

std::size_t CutMultigrid::memory_bytes() const {
  std::size_t bytes = 0;
  for (const Level& level : levels_)
    bytes += (level.x.size() + level.f.size() + level.r.size()) * sizeof(CutRow) +
             level.grid->index.size() * 4 + level.grid->count * (24 + 4 + 4 + 4) +
             level.grid->cuts.size() * sizeof(CutGrid::Cut);
  return bytes;
}

void CutMultigrid::smooth(Level& level, int sweeps) {
  const CutGrid& grid = *level.grid;
  for (int sweep = 0; sweep < sweeps && !is_cancelled(progress_); ++sweep)
    for (const auto& [first, last] : {std::pair(0u, grid.even), std::pair(grid.even, grid.count)}) {
      const std::size_t offset = first;
      parallel_for(last - first, kCutGrain, [&](std::size_t begin, std::size_t end) {
        relax_rows(grid.neighbours.data(), level.inverse.data(), level.f.data(), level.x.data(),
                   offset + begin, offset + end);
      });
    }
}

float CutMultigrid::residual(Level& level) {
  const CutGrid& grid = *level.grid;
  return parallel_reduce(
      grid.even, kCutGrain, 0.0f,
      [&](std::size_t begin, std::size_t end) {
        return residual_rows(grid.neighbours.data(), grid.diagonal.data(), level.f.data(), level.x.data(),
                             level.r.data(), begin, end);
      },
      [](float a, float b) { return std::max(a, b); });
}

void CutMultigrid::restrict_to(const Level& fine, Level& coarse) {
  parallel_for(coarse.grid->count, kCutGrain / 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3i at = 2 * coarse.grid->coordinates(coarse.grid->place[i]);
      CutRow sum{};
      const auto add = [&](int x, int y, int z, float weight) {
        const std::uint32_t node = fine.grid->find(at.x() + x, at.y() + y, at.z() + z);
        if (node != kNoIndex) add_row(weight, fine.r[node], sum);
      };
      add(0, 0, 0, 0.5f);
      for (const int a : {-1, 1})
        for (const int b : {-1, 1}) {
          add(a, b, 0, 0.125f);
          add(a, 0, b, 0.125f);
          add(0, a, b, 0.125f);
        }
      coarse.f[i] = sum;
      coarse.x[i] = CutRow{};
    }
  });
}

// add: a correction, 0 beyond the boundary. Else a first guess: the mean of those corners that are inside.
void CutMultigrid::prolong(const Level& coarse, Level& fine, bool add) {
  parallel_for(fine.grid->count, kCutGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3i at = fine.grid->coordinates(fine.grid->place[i]);
      const Vec3i low(at.x() / 2, at.y() / 2, at.z() / 2), odd(at.x() & 1, at.y() & 1, at.z() & 1);
      const float weight = 1.0f / static_cast<float>(1 << odd.sum());
      CutRow sum{};
      float inside = 0;
      for (int z = 0; z <= odd.z(); ++z)
        for (int y = 0; y <= odd.y(); ++y)
          for (int x = 0; x <= odd.x(); ++x) {
            const std::uint32_t node = coarse.grid->find(low.x() + x, low.y() + y, low.z() + z);
            if (node == kNoIndex) continue;
            inside += weight;
            add_row(weight, coarse.x[node], sum);
          }
      if (add)
        add_row(1, sum, fine.x[i]);
      else if (inside > 0)
        for (std::size_t k = 0; k < kCutLanes; ++k) fine.x[i].lane[k] = sum.lane[k] / inside;
      else
        for (std::size_t k = 0; k < kCutLanes; ++k) fine.x[i].lane[k] = fine.f[i].lane[k] * fine.inverse[i];
    }
  });
}

// Returns the residual after the first sweeps; where that is enough, nothing more is done.
float CutMultigrid::cycle(std::size_t l, float enough) {
  Level& level = levels_[l];
  if (l + 1 == levels_.size()) {
    smooth(level, kCutCoarsestSweeps);
    return residual(level);
  }
  smooth(level, kSweeps);
  const float size = residual(level);
  if (size <= enough) return size;
  restrict_to(level, levels_[l + 1]);
  cycle(l + 1, 0);
  prolong(levels_[l + 1], level, true);
  smooth(level, kSweeps);
  return size;
}

CutMultigrid::Figures CutMultigrid::run(double tolerance, int max_cycles) {
  Figures figures;
  const auto enough = static_cast<float>(tolerance);
  for (std::size_t l = levels_.size(); l-- > 0;) {
    if (l + 1 < levels_.size()) prolong(levels_[l + 1], levels_[l], false);
    // A coarse guess need only be as good as its grid.
    const int cycles = l == 0 ? max_cycles : std::min(max_cycles, 2);
    float last = std::numeric_limits<float>::max();
    for (int k = 0; k < cycles; ++k) {
      if (is_cancelled(progress_)) return figures;
      const float size = cycle(l, enough);
      if (l == 0) figures = {k + 1, size};
      // Below some 1e-6 single precision has nothing left to gain.
      if (size <= enough || (k > 2 && size > 0.7f * last)) break;
      last = size;
    }
  }
  return figures;
}

CutMultigrid::Figures CutMultigrid::solve(std::span<const std::array<std::uint32_t, 3>> controls,
                                          std::uint32_t first, double tolerance, int max_cycles,
                                          const Progress* progress) {
  // Coarse right-hand sides are overwritten by cycles of finer levels only, which come later.
  for (Level& level : levels_) {
    std::fill(level.f.begin(), level.f.end(), CutRow{});
    std::fill(level.x.begin(), level.x.end(), CutRow{});
    for (const CutGrid::Cut& cut : level.grid->cuts)
      for (std::size_t c = 0; c < 3; ++c) {
        const std::uint32_t lane = controls[cut.triangle][c] - first;
        if (lane < kCutLanes) level.f[cut.node].lane[lane] += cut.weight * cut.barycentric[c];
      }
  }
  progress_ = progress;
  return run(tolerance, max_cycles);
}

CutMultigrid::Figures CutMultigrid::solve_function(double (*boundary)(const Vec3&), double tolerance,
                                                   int max_cycles) {
  for (Level& level : levels_) {
    std::fill(level.f.begin(), level.f.end(), CutRow{});
    std::fill(level.x.begin(), level.x.end(), CutRow{});
    for (const CutGrid::Cut& cut : level.grid->cuts) {
      Vec3 point = Vec3::Zero();
      for (std::size_t c = 0; c < 3; ++c)
        point += static_cast<double>(cut.barycentric[c]) * positions_[triangles_[cut.triangle][c]];
      level.f[cut.node].lane[0] += cut.weight * static_cast<float>(boundary(point));
    }
  }
  return run(tolerance, max_cycles);
}

}  // namespace sinew
