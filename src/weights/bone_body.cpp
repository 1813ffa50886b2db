// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/bone_body.h"

#include "sinew/volume/trilinear.h"

namespace sinew {
namespace {

// Weights are smooth: cells finer than this cost much and change little.
constexpr std::size_t kMaxCells = 40'000;

}  // namespace

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

BodyFigures body_figures(const BoneBody& bones) {
  return {bones.body.grid.vertex_count(), bones.handles.outside, bones.handles.merged.size(),
          bones.body.inside_cells == 0};
}

BoneWeights carry_to_surface(const BoneBody& bones, const BindInput& input, const Eigen::MatrixXd& values) {
  BoneWeights weights;
  weights.values = interpolate(trilinear_weights(bones.body.grid, input.surface.positions), values);
  normalise_rows(weights);
  return weights;
}

}  // namespace sinew
