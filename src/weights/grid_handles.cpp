// SPDX-License-Identifier: Apache-2.0
#include "weights/grid_handles.h"

namespace sinew {
namespace {

// Weights are smooth: cells finer than this cost much and change little.
constexpr std::size_t kMaxCells = 40'000;

}  // namespace

HeldGrid hold_handles(const VoxelGrid& grid, const HandleMap& handles) {
  HeldGrid held;
  held.fixed.assign(grid.vertex_count(), 1);
  held.start = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(grid.vertex_count()),
                                     static_cast<Eigen::Index>(handles.cells.size()));
  const LatticeComponents parts = connected_components(grid.cells());
  std::vector<std::uint8_t> reached(parts.count, 0);
  const auto corners = grid.all_cell_vertices();
  for (std::size_t c = 0; c < corners.size(); ++c)
    for (const std::uint32_t v : corners[c])
      if (handles.of_vertex[v] >= 0) reached[parts.of_member[c]] = 1;
  for (std::size_t c = 0; c < corners.size(); ++c)
    if (reached[parts.of_member[c]])
      for (const std::uint32_t v : corners[c]) held.fixed[v] = 0;
  for (std::size_t v = 0; v < held.fixed.size(); ++v) {
    held.unreached += held.fixed[v];
    if (const int owner = handles.of_vertex[v]; owner >= 0) {
      held.fixed[v] = 1;
      held.start(static_cast<Eigen::Index>(v), owner) = 1;
    }
  }
  return held;
}

Result<VoxelBody> make_voxel_body(const BindInput& input, int voxels, const Progress* progress) {
  VoxelizeOptions options;
  options.resolution = voxels;
  options.bones = input.bones;
  options.max_cells = kMaxCells;
  options.progress = progress;
  return voxelize(input.surface, options);
}

Result<BoneBody> make_bone_body(const BindInput& input, int voxels, const Progress* progress) {
  BoneBody result;
  SINEW_TRY(result.body, make_voxel_body(input, voxels, progress));
  std::vector<Handle> bones;
  for (const Bone& bone : input.bones) bones.push_back({bone.head, bone.tail});
  result.handles = map_handles(result.body.grid, bones);
  return result;
}

}  // namespace sinew
