// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "sinew/volume/handles.h"
#include "sinew/volume/voxelize.h"
#include "sinew/weights/refine.h"

namespace sinew {

/// Most cells of a body whose size is chosen for it: weights are smooth, and finer cells cost much and change
/// little. A patch of short bones (weights/refine.h) is small.
inline constexpr std::size_t kBodyCells = 40'000, kPatchCells = 30'000;

/// The same for a mesh of few triangles, whose vertices see little of what fine cells hold: up to 1,000
/// triangles 15,000 cells, or 4,000 where the elastic body is solved on them, which takes far longer; fewer
/// where more than 24 bones share the time. It grows with the square of the triangles: body_cells up to
/// kBodyCells, less where more than 24 bones share the time; elastic_cells up to kBodyCells; those for elastic
/// weights, which solve every joint several times and are no better on finer grids, up to 12,000 and less by
/// the bones.
std::size_t body_cells(const BindInput& input);
std::size_t elastic_cells(const BindInput& input);
std::size_t elastic_weight_cells(const BindInput& input);
/// And for flesh, whose fit takes time by the unknowns of all joints together (fitted_unknowns): 20,000 up to
/// 1,000 triangles, more with their square.
double flesh_unknowns(const BindInput& input);

/// The voxel grid of a surface, as fine as weights need it. `voxels`: cells along the longest side; 0: chosen
/// by mesh and bones, with `max_cells` at most; 0: body_cells.
Result<VoxelBody> make_voxel_body(const BindInput& input, int voxels, const Progress* progress,
                                  std::size_t max_cells = 0);

/// The same, and the vertices that its bones hold: what weights, joint weights and the elastic body stand on.
struct BoneBody {
  VoxelBody body;
  HandleMap handles;
};
Result<BoneBody> make_bone_body(const BindInput& input, int voxels, const Progress* progress,
                                std::size_t max_cells = 0);

/// What a user should know about how mesh and bones fit the grid.
struct BodyFigures {
  std::size_t grid_vertices = 0, bones_outside = 0, bones_merged = 0;
  std::size_t patches = 0;  ///< groups of short bones that were solved on finer grids (weights/refine.h)
  double cell = 0;          ///< side of the grid's cells
  bool sheet = false;       ///< the mesh encloses nothing: the cells that it passes through are the body
};
BodyFigures body_figures(const BoneBody& bones);

/// Bones that share their cells with others on the coarse grid and no longer do on a finer one.
void note_refined(const RefineReport& report, const BoneBody& bones, BodyFigures& figures);

/// Solves groups of short bones again on finer bodies (weights/refine.h) by `values_of`, which makes weights
/// at the vertices of a body's grid, and corrects the figures. Fails only where it was cancelled.
using GridValues = std::function<Result<Eigen::MatrixXd>(const BoneBody& piece, const BindInput& input)>;
Result<void> refine_on_finer_bodies(const BindInput& input, const BoneBody& bones,
                                    const GridValues& values_of, const Progress* progress,
                                    BoneWeights& weights, BodyFigures& figures);

/// Weights on the grid's vertices carried to the surface, rows normalised.
BoneWeights interpolate_to_surface(const BoneBody& bones, const BindInput& input,
                                   const Eigen::MatrixXd& values);

}  // namespace sinew
