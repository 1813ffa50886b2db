// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "sinew/volume/multigrid.h"
#include "volume/csr.h"

namespace sinew {

// The grids under Multigrid, finest first. P of a level leads to the next; the last level is factored
// instead.
struct Multigrid::Hierarchy {
  struct Level {
    CsrMatrix A;
    Interpolation3 P;
    std::size_t size() const { return A.rows(); }
  };
  std::vector<Level> levels;
  std::vector<std::uint32_t> coarsest_free;  // its rows that are in the factor
  Eigen::LLT<Eigen::MatrixXd> coarsest;
  int sweeps = 2;
};

// Scratch of one block of right-hand sides: a residual and a correction a level.
struct CycleWorkspace {
  explicit CycleWorkspace(const Multigrid::Hierarchy& hierarchy);
  std::vector<std::vector<double>> right, correction, residual;
};

// correction ~ A^-1 right on the finest level, one symmetric V-cycle from zero; entries with mask 0 stay 0.
// Reads work.right[0], writes work.correction[0].
void v_cycle(const Multigrid::Hierarchy& hierarchy, const double* mask, CycleWorkspace& work);

}  // namespace sinew
