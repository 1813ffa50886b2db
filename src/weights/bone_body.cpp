// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/bone_body.h"

#include <algorithm>

#include "sinew/volume/trilinear.h"
#include "sinew/weights/bone_core.h"

namespace sinew {

namespace {

constexpr std::size_t kAllPatchCells = 120'000;  // of one binding

// Up to 1,000 triangles a solve is bounded; from there on it grows fast, so that bodies of some thousand
// triangles get what they need.
double growth(const BindInput& input) {
  constexpr double kTriangles = 1000;
  const double detail = std::max(1.0, static_cast<double>(input.surface.triangles.size()) / kTriangles);
  return detail * detail;
}

// What a solve takes goes with cells times bones.
double share_of_bones(const BindInput& input) {
  constexpr double kBones = 24;
  return std::min(1.0, kBones / std::max(1.0, static_cast<double>(input.bones.size())));
}

std::size_t affordable_cells(const BindInput& input, double cells, double most) {
  return static_cast<std::size_t>(std::min(most, cells * share_of_bones(input) * growth(input)));
}

}  // namespace

std::size_t body_cells(const BindInput& input) {
  return affordable_cells(input, 15'000, share_of_bones(input) * static_cast<double>(kBodyCells));
}

std::size_t elastic_cells(const BindInput& input) {
  return affordable_cells(input, 4'000, static_cast<double>(kBodyCells));
}

std::size_t elastic_weight_cells(const BindInput& input) {
  return affordable_cells(input, 4'000, share_of_bones(input) * 12'000);
}

double flesh_unknowns(const BindInput& input) {
  return 20'000 * growth(input);
}

Result<VoxelBody> make_voxel_body(const BindInput& input, int voxels, const Progress* progress,
                                  std::size_t max_cells) {
  VoxelizeOptions options;
  options.resolution = voxels;
  options.bones = input.bones;
  const std::size_t most = max_cells > 0 ? max_cells : body_cells(input);
  options.max_cells = most;
  options.target_cells = std::min(options.target_cells, most);
  options.progress = progress;
  return voxelize(input.surface, options);
}

Result<BoneBody> make_bone_body(const BindInput& input, int voxels, const Progress* progress,
                                std::size_t max_cells) {
  BoneBody result;
  SINEW_TRY(result.body, make_voxel_body(input, voxels, progress, max_cells));
  result.handles = map_handles(
      result.body.grid, handles_with_cores(result.body.grid, input.surface, input.bones, input.parents));
  return result;
}

BodyFigures body_figures(const BoneBody& bones) {
  return {bones.body.grid.vertex_count(), bones.handles.outside,       bones.handles.merged.size(), 0,
          bones.body.grid.cell_size(),    bones.body.inside_cells == 0};
}

void note_refined(const RefineReport& report, const BoneBody& bones, BodyFigures& figures) {
  figures.patches = report.patches;
  for (const std::size_t bone : bones.handles.merged) figures.bones_merged -= report.refined[bone];
}

Result<void> refine_on_finer_bodies(const BindInput& input, const BoneBody& bones,
                                    const GridValues& values_of, const Progress* progress,
                                    BoneWeights& weights, BodyFigures& figures) {
  const double cell = bones.body.grid.cell_size();
  const std::size_t patches = std::max<std::size_t>(1, short_bone_patches(input, cell).size());
  const std::size_t cells = std::min({kPatchCells, kAllPatchCells / patches, body_cells(input)});
  const auto solve = [&](const ShortBonePatch& patch) -> Result<std::optional<BoneWeights>> {
    const BindInput piece = patch.input();
    SINEW_TRY(const BoneBody finer, make_bone_body(piece, 0, progress, cells));
    if (!patch.gains_by(finer.body.grid.cell_size())) return std::optional<BoneWeights>();
    SINEW_TRY(const Eigen::MatrixXd values, values_of(finer, piece));
    return std::optional(interpolate_to_surface(finer, piece, values));
  };
  SINEW_TRY(const RefineReport report, refine_short_bones(input, cell, solve, weights));
  note_refined(report, bones, figures);
  return {};
}

BoneWeights interpolate_to_surface(const BoneBody& bones, const BindInput& input,
                                   const Eigen::MatrixXd& values) {
  BoneWeights weights;
  weights.values = interpolate(trilinear_weights(bones.body.grid, input.surface.positions), values);
  normalise_rows(weights);
  return weights;
}

}  // namespace sinew
