// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/coarse_grid.h"

#include <gtest/gtest.h>

#include "grids.h"

namespace sinew {
namespace {

TEST(CoarseGrid, HoldsEveryCellAndCarriesLinearFunctionsBack) {
  for (const VoxelGrid& grid : {test::ragged_grid(11), test::make_grid(Vec3i(5, 3, 8), 0.25)}) {
    const VoxelGrid coarse = coarse_grid(grid);
    for (std::uint32_t c = 0; c < grid.cell_count(); ++c)
      EXPECT_NE(coarse.cell_at(grid.cell_centre(c)), kNoIndex);
    const auto linear = [](const VoxelGrid& on) {
      Eigen::MatrixXd values(static_cast<Eigen::Index>(on.vertex_count()), 3);
      for (std::uint32_t v = 0; v < on.vertex_count(); ++v) values.row(v) = on.vertex_position(v).transpose();
      return values;
    };
    EXPECT_LT((from_coarse(grid, coarse, linear(coarse)) - linear(grid)).cwiseAbs().maxCoeff(), 1e-12);
  }
}

}  // namespace
}  // namespace sinew
