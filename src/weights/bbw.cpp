// SPDX-License-Identifier: Apache-2.0
// Bounded biharmonic weights on the voxel grid, W5 of the specification. 000 hands the problem to a
// commercial solver, joint by joint; here all handles share one hierarchy. A start from the answer of the
// grid twice as coarse was tried and lost: its kinks cost more cycles than harmonic weights, which are
// smooth.
#include "sinew/weights/bbw.h"

#include <algorithm>

#include "sinew/volume/grid_laplacian.h"
#include "sinew/volume/multigrid.h"
#include "sinew/volume/trilinear.h"
#include "sinew/volume/voxelize.h"

namespace sinew {
namespace {

// Weights are smooth: cells finer than this cost much and change little.
constexpr std::size_t kMaxCells = 40'000;

// Fixed values of the handles, and a guess elsewhere.
void hold(const HandleMap& handles, Eigen::MatrixXd& values) {
  for (Eigen::Index i = 0; i < values.rows(); ++i)
    if (const int owner = handles.of_vertex[static_cast<std::size_t>(i)]; owner >= 0) {
      values.row(i).setZero();
      values(i, owner) = 1;
    }
}

std::vector<std::uint8_t> fixed_flags(const HandleMap& handles) {
  std::vector<std::uint8_t> fixed;
  for (const int owner : handles.of_vertex) fixed.push_back(owner >= 0);
  return fixed;
}

}  // namespace

Result<GridBbw> grid_bbw(const VoxelGrid& grid, const HandleMap& handles, const BbwOptions& options) {
  const std::vector<std::uint8_t> fixed = fixed_flags(handles);
  Eigen::MatrixXd start = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(grid.vertex_count()),
                                                static_cast<Eigen::Index>(handles.cells.size()));
  hold(handles, start);
  // Harmonic weights are cheap, smooth and within the bounds.
  SINEW_TRY(const Multigrid harmonic, Multigrid::build(grid, grid_stiffness(grid), fixed));
  start = harmonic.solve(Eigen::MatrixXd(), start, 1e-3, 50).x;
  if (is_cancelled(options.progress)) return cancelled();
  SINEW_TRY(const Multigrid biharmonic, Multigrid::build(grid, grid_bilaplacian(grid), fixed, {.sweeps = 1}));
  auto solved =
      biharmonic.solve_bounded(start, 0, 1, options.tolerance, options.max_iterations, options.progress);
  if (is_cancelled(options.progress)) return cancelled();
  return GridBbw{std::move(solved.x), solved.iterations, solved.residual, std::move(solved.history)};
}

Result<BbwWeights> bbw_weights(const BindInput& input, const BbwOptions& options) {
  VoxelizeOptions voxels;
  voxels.resolution = options.voxels;
  voxels.bones = input.bones;
  voxels.max_cells = kMaxCells;
  voxels.progress = options.progress;
  SINEW_TRY(const VoxelBody body, voxelize(input.surface, voxels));
  std::vector<Handle> bones;
  for (const Bone& bone : input.bones) bones.push_back({bone.head, bone.tail});
  const HandleMap handles = map_handles(body.grid, bones);
  report(options.progress, "bounded biharmonic weights", 0.1);
  SINEW_TRY(const GridBbw grid, grid_bbw(body.grid, handles, options));
  BbwWeights result;
  result.weights.values = interpolate(trilinear_weights(body.grid, input.surface.positions), grid.values);
  normalise_rows(result.weights);
  result.weights.iterations = grid.iterations;
  result.grid_vertices = body.grid.vertex_count();
  result.bones_outside = handles.outside;
  result.bones_merged = handles.merged.size();
  result.residual = grid.residual;
  return result;
}

}  // namespace sinew
