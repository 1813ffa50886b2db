// SPDX-License-Identifier: Apache-2.0
// Bounded biharmonic weights on the voxel grid [jacobson2011bbw; kavan2012, Sec. 3.3]. The latter hands the
// problem to a commercial solver, joint by joint; here all handles share one hierarchy and one nested
// iteration.
#include "sinew/weights/bbw.h"

#include <algorithm>

#include "sinew/volume/coarse_grid.h"
#include "sinew/volume/multigrid.h"
#include "weights/grid_handles.h"

namespace sinew {
namespace {

constexpr std::size_t kSmall = 2000;   // grid vertices that need no coarser grid
constexpr double kSettled = 2;         // times the tolerance
constexpr int kCoarseIterations = 12;  // a start need not be the answer

// What the handles hold on the coarse grid: vertices that lie on held ones, and for a handle that has none
// the first near by that is free.
HandleMap coarse_handles(const VoxelGrid& grid, const HandleMap& handles, const VoxelGrid& coarse) {
  HandleMap map;
  map.cells.resize(handles.cells.size());
  map.of_vertex.assign(coarse.vertex_count(), -1);
  std::vector<std::uint8_t> holds(handles.cells.size(), 0);
  const auto visit = [&](auto&& body) {
    for (const LatticeSet::Run& run : grid.vertices().runs()) {
      Vec3i at = grid.vertices().run_start(run);
      for (std::uint32_t v = run.first; at.x() < run.end; ++at.x(), ++v)
        if (const int owner = handles.of_vertex[v]; owner >= 0) body(at, static_cast<std::size_t>(owner));
    }
  };
  visit([&](const Vec3i& at, std::size_t owner) {
    if ((at.x() | at.y() | at.z()) & 1) return;
    map.of_vertex[coarse.vertices().find(at / 2)] = static_cast<int>(owner);
    holds[owner] = 1;
  });
  visit([&](const Vec3i& at, std::size_t owner) {
    int& slot = map.of_vertex[coarse.vertices().find(at / 2)];
    if (holds[owner] || slot >= 0) return;
    slot = static_cast<int>(owner);
    holds[owner] = 1;
  });
  return map;
}

Result<GridBbw> solve_nested(const VoxelGrid& grid, const HandleMap& handles, const BbwOptions& options);

// The answer on the grid twice as coarse, which knows already where bounds hold; there in turn from the next.
// Where that did not settle (few points in a body with thin parts, which melt together on coarse grids) and
// on the coarsest grid: harmonic weights, which are cheap, smooth and within the bounds.
Result<Eigen::MatrixXd> good_start(const VoxelGrid& grid, const HandleMap& handles, const HeldGrid& held,
                                   const BbwOptions& options) {
  if (grid.vertex_count() > kSmall) {
    const VoxelGrid coarse = coarse_grid(grid);
    Progress silent;  // what the coarse grids take does not count
    silent.cancel = options.progress ? options.progress->cancel : nullptr;
    BbwOptions fewer = options;
    fewer.progress = &silent;
    fewer.max_iterations = std::min(options.max_iterations, kCoarseIterations);
    SINEW_TRY(const GridBbw below, solve_nested(coarse, coarse_handles(grid, handles, coarse), fewer));
    if (below.residual <= kSettled * options.tolerance) {
      Eigen::MatrixXd start = from_coarse(grid, coarse, below.values);
      for (Eigen::Index v = 0; v < start.rows(); ++v)
        if (held.fixed[static_cast<std::size_t>(v)]) start.row(v) = held.start.row(v);
      return start;
    }
  }
  SINEW_TRY(const Multigrid harmonic, Multigrid::build_laplacian(grid, held.fixed));
  return harmonic.solve(Eigen::MatrixXd(), held.start, 1e-3, 50).x;
}

Result<GridBbw> solve_nested(const VoxelGrid& grid, const HandleMap& handles, const BbwOptions& options) {
  const HeldGrid held = hold_handles(grid, handles);
  SINEW_TRY(const Eigen::MatrixXd start, good_start(grid, handles, held, options));
  if (is_cancelled(options.progress)) return cancelled();
  SINEW_TRY(const Multigrid biharmonic, Multigrid::build_bilaplacian(grid, held.fixed, {.sweeps = 1}));
  auto solved =
      biharmonic.solve_bounded(start, 0, 1, options.tolerance, options.max_iterations, options.progress);
  if (is_cancelled(options.progress)) return cancelled();
  return GridBbw{std::move(solved.x), solved.iterations, solved.residual, std::move(solved.history)};
}

}  // namespace

Result<GridBbw> grid_bbw(const VoxelGrid& grid, const HandleMap& handles, const BbwOptions& options) {
  return solve_nested(grid, handles, options);
}

Result<BbwWeights> bbw_weights(const BindInput& input, const BbwOptions& options) {
  SINEW_TRY(const BoneBody bones, make_bone_body(input, options.voxels, options.progress));
  return bbw_weights(input, bones, options);
}

Result<BbwWeights> bbw_weights(const BindInput& input, const BoneBody& bones, const BbwOptions& options) {
  report(options.progress, "bounded biharmonic weights", 0.1);
  SINEW_TRY(const GridBbw grid, grid_bbw(bones.body.grid, bones.handles, options));
  BbwWeights result;
  static_cast<BodyFigures&>(result) = body_figures(bones);
  result.weights = interpolate_to_surface(bones, input, grid.values);
  result.weights.iterations = grid.iterations;
  result.residual = grid.residual;
  if (!options.refine) return result;
  const auto values_of = [&](const BoneBody& piece, const BindInput&) -> Result<Eigen::MatrixXd> {
    SINEW_TRY(GridBbw finer, grid_bbw(piece.body.grid, piece.handles, options));
    return std::move(finer.values);
  };
  SINEW_CHECK(refine_on_finer_bodies(input, bones, values_of, options.progress, result.weights, result));
  return result;
}

}  // namespace sinew
