// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/harmonic_volume.h"

#include "sinew/volume/multigrid.h"
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
  return harmonic_volume_weights(input, bones, options);
}

Result<HarmonicVolumeWeights> harmonic_volume_weights(const BindInput& input, const BoneBody& bones,
                                                      const HarmonicVolumeOptions& options) {
  report(options.progress, "harmonic weights", 0.1);
  SINEW_TRY(const GridHarmonic grid, grid_harmonic(bones.body.grid, bones.handles, options));
  HarmonicVolumeWeights result;
  static_cast<BodyFigures&>(result) = body_figures(bones);
  result.weights = interpolate_to_surface(bones, input, grid.values);
  result.weights.iterations = grid.iterations;
  result.residual = grid.residual;
  const auto values_of = [&](const BoneBody& piece, const BindInput&) -> Result<Eigen::MatrixXd> {
    SINEW_TRY(GridHarmonic finer, grid_harmonic(piece.body.grid, piece.handles, options));
    return std::move(finer.values);
  };
  SINEW_CHECK(refine_on_finer_bodies(input, bones, values_of, options.progress, result.weights, result));
  return result;
}

}  // namespace sinew
