// SPDX-License-Identifier: Apache-2.0
// Bounded biharmonic weights on the voxel grid, W5 of the specification. 000 hands the problem to a
// commercial solver, joint by joint; here all handles share one hierarchy. A start from the answer of the
// grid twice as coarse was tried and lost: its kinks cost more cycles than harmonic weights, which are
// smooth.
#include "sinew/weights/bbw.h"

#include "sinew/volume/multigrid.h"
#include "sinew/volume/trilinear.h"
#include "weights/grid_handles.h"

namespace sinew {
Result<GridBbw> grid_bbw(const VoxelGrid& grid, const HandleMap& handles, const BbwOptions& options) {
  const HeldGrid held = hold_handles(grid, handles);
  // Harmonic weights are cheap, smooth and within the bounds.
  SINEW_TRY(const Multigrid harmonic, Multigrid::build_laplacian(grid, held.fixed));
  const Eigen::MatrixXd start = harmonic.solve(Eigen::MatrixXd(), held.start, 1e-3, 50).x;
  if (is_cancelled(options.progress)) return cancelled();
  SINEW_TRY(const Multigrid biharmonic, Multigrid::build_bilaplacian(grid, held.fixed, {.sweeps = 1}));
  auto solved =
      biharmonic.solve_bounded(start, 0, 1, options.tolerance, options.max_iterations, options.progress);
  if (is_cancelled(options.progress)) return cancelled();
  return GridBbw{std::move(solved.x), solved.iterations, solved.residual, std::move(solved.history)};
}

Result<BbwWeights> bbw_weights(const BindInput& input, const BbwOptions& options) {
  SINEW_TRY(const BoneBody bones, make_bone_body(input, options.voxels, options.progress));
  report(options.progress, "bounded biharmonic weights", 0.1);
  SINEW_TRY(const GridBbw grid, grid_bbw(bones.body.grid, bones.handles, options));
  BbwWeights result;
  result.weights.values =
      interpolate(trilinear_weights(bones.body.grid, input.surface.positions), grid.values);
  normalise_rows(result.weights);
  result.weights.iterations = grid.iterations;
  result.grid_vertices = bones.body.grid.vertex_count();
  result.sheet = bones.body.inside_cells == 0;
  result.bones_outside = bones.handles.outside;
  result.bones_merged = bones.handles.merged.size();
  result.residual = grid.residual;
  return result;
}

}  // namespace sinew
