// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "sinew/core/progress.h"
#include "volume/cut_grid.h"

namespace sinew {

// Columns go through the grid sixteen at a time: a row of them is a cache line.
inline constexpr std::size_t kCutLanes = 16;
struct alignas(64) CutRow {
  float lane[kCutLanes];
};

// Laplace's equation on a CutGrid, by a hierarchy of ever coarser cut grids of the same surface. Each knows
// the true boundary, so the coarse problems are Dirichlet problems of the same domain; starting on the
// coarsest, every level hands the next a guess that is nearly right. Linear in the nodes, and the same bits
// for any thread count.
class CutMultigrid {
 public:
  // `finest` is kept by reference and must outlive this.
  CutMultigrid(MeshView surface, const CutGrid& finest, bool oriented);

  const CutGrid& finest() const { return *levels_.front().grid; }
  std::size_t level_count() const { return levels_.size(); }

  struct Figures {
    int cycles = 0;
    double residual = 0;  // largest |r| / diagonal
  };
  // Boundary values of lane k: 1 at the corner `controls[triangle][c] == first + k`, linear on triangles.
  // `controls` has the control point of each corner of each triangle. The result stays in values(). Stops
  // early where cancelled.
  Figures solve(std::span<const std::array<std::uint32_t, 3>> controls, std::uint32_t first, double tolerance,
                int max_cycles, const Progress* progress = nullptr);
  // Any boundary data in lane 0, for tests: a value for each cut of the finest grid; coarser grids take
  // `boundary` at their own cuts.
  Figures solve_function(double (*boundary)(const Vec3&), double tolerance, int max_cycles);

  std::span<const CutRow> values() const { return {levels_.front().x.data(), finest().count}; }
  std::size_t memory_bytes() const;

 private:
  struct Level {
    const CutGrid* grid;
    std::vector<float> inverse;
    std::vector<CutRow> x, f, r;  // x and r have a row of zeros behind the last
  };
  Figures run(double tolerance, int max_cycles);
  void smooth(Level& level, int sweeps);
  float residual(Level& level);  // of even nodes; that of the odd ones is 0 after a sweep
  void restrict_to(const Level& fine, Level& coarse);
  void prolong(const Level& coarse, Level& fine, bool add);
  float cycle(std::size_t l, float enough);

  std::vector<Vec3> positions_;
  std::vector<Triangle> triangles_;
  std::vector<std::unique_ptr<CutGrid>> coarse_;
  std::vector<Level> levels_;  // the finest first
  const Progress* progress_ = nullptr;
};

}  // namespace sinew
