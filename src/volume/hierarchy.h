// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "sinew/volume/multigrid.h"
#include "volume/grid_kernels.h"

namespace sinew {

// The grids under Multigrid, finest first. P of a level leads to the next; the last level is factored
// instead.
struct Multigrid::Hierarchy {
  struct Level {
    SpanMatrix A;
    GridTransfer P;
    std::size_t size() const { return A.rows; }
  };
  std::vector<Level> levels;
  std::vector<std::uint8_t> fixed;           // vertices of the finest grid
  std::vector<std::uint32_t> coarsest_free;  // the last level's rows that are in the factor
  Eigen::MatrixXd coarsest_matrix;
  Eigen::LLT<Eigen::MatrixXd> coarsest;
  int sweeps = 2;
};

// Scratch of one block of right-hand sides: a residual, a correction and a mask a level.
template <std::size_t L, class T>
struct CycleWorkspace {
  explicit CycleWorkspace(const Multigrid::Hierarchy& hierarchy) : masks(hierarchy.levels.size()) {
    for (const auto& level : hierarchy.levels)
      for (auto* list : {&right, &correction, &residual}) list->emplace_back(level.size() * L, T(0));
  }
  std::vector<std::vector<T>> right, correction, residual, masks;
};

// correction ~ A^-1 right on the finest level, one symmetric V-cycle from zero; where `masked`, entries with
// work.masks[0] 0 stay 0. Reads work.right[0] (0 at fixed vertices), writes work.correction[0].
template <std::size_t L, class T>
void v_cycle(const Multigrid::Hierarchy& hierarchy, bool masked, CycleWorkspace<L, T>& work);

}  // namespace sinew
