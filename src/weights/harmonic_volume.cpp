// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/harmonic_volume.h"

#include "sinew/volume/multigrid.h"
#include "sinew/volume/trilinear.h"
#include "weights/grid_handles.h"

namespace sinew {

Result<GridHarmonic> grid_harmonic(const VoxelGrid& grid, const HandleMap& handles,
                                   const HarmonicVolumeOptions& options) {
  const HeldGrid held = hold_handles(grid, handles);
  SINEW_TRY(const Multigrid multigrid, Multigrid::build_laplacian(grid, held.fixed));
  if (is_cancelled(options.progress)) return cancelled();
  auto solved = multigrid.solve(Eigen::MatrixXd(), held.start, options.tolerance, 200);
  // The exact solution obeys the maximum principle; what rounding and the tolerance leave beyond it goes.
  return GridHarmonic{solved.x.cwiseMax(0.0).cwiseMin(1.0), solved.iterations, solved.residual};
}

Result<HarmonicVolumeWeights> harmonic_volume_weights(const BindInput& input,
                                                      const HarmonicVolumeOptions& options) {
  SINEW_TRY(const BoneBody bones, make_bone_body(input, options.voxels, options.progress));
  report(options.progress, "harmonic weights", 0.1);
  SINEW_TRY(const GridHarmonic grid, grid_harmonic(bones.body.grid, bones.handles, options));
  HarmonicVolumeWeights result;
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
