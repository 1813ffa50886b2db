// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/deformer_weights.h"

#include <numeric>

#include "weights/grid_handles.h"

namespace sinew {
namespace {

std::uint32_t nearest_joint(const Vec3& p, std::span<const Bone> bones,
                            std::span<const std::uint32_t> candidates) {
  std::uint32_t best = candidates.front();
  for (const std::uint32_t j : candidates)
    if ((bones[j].head - p).squaredNorm() < (bones[best].head - p).squaredNorm()) best = j;
  return best;
}

// The rule of the bones, then rows that sum to 1.
void finish_rows(const VoxelGrid& grid, std::span<const Bone> bones, const BoneEnds& ends,
                 GridDeformerWeights& result) {
  std::vector<std::uint32_t> all(bones.size());
  std::iota(all.begin(), all.end(), 0u);
  Eigen::RowVectorXd row(result.values.cols());
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
    const int bone = result.bone_of_vertex[v];
    const std::vector<std::uint32_t>& allowed =
        bone >= 0 ? ends.of_bone[static_cast<std::size_t>(bone)] : all;
    row.setZero();
    for (const std::uint32_t j : allowed) row[j] = result.values(v, j);
    if (const double sum = row.sum(); sum > 0) {
      row /= sum;
    } else {
      ++result.filled;
      row[nearest_joint(grid.vertex_position(v), bones, allowed)] = 1;
    }
    result.values.row(v) = row;
  }
}

}  // namespace

BoneEnds bone_ends(const Skeleton& skeleton, std::span<const Bone> bones) {
  constexpr std::uint32_t kNone = 0xffffffffu;
  std::vector<std::uint32_t> bone_of_joint(skeleton.size(), kNone);
  BoneEnds ends;
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    bone_of_joint[bones[b].joint] = b;
    ends.of_bone.push_back({b});
  }
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    int above = skeleton[bones[b].joint].parent;
    // Through joints in between that do not deform, as bones_of does.
    while (above >= 0 && bone_of_joint[static_cast<std::size_t>(above)] == kNone)
      above = skeleton[static_cast<std::size_t>(above)].parent;
    if (above >= 0) ends.of_bone[bone_of_joint[static_cast<std::size_t>(above)]].push_back(b);
  }
  return ends;
}

Result<GridDeformerWeights> grid_deformer_weights(const VoxelGrid& grid, const Skeleton& skeleton,
                                                  std::span<const Bone> bones, const BbwOptions& options) {
  std::vector<Handle> joints, segments;
  for (const Bone& bone : bones) {
    joints.push_back({bone.head, bone.head});
    segments.push_back({bone.head, bone.tail});
  }
  const HandleMap points = map_handles(grid, joints);
  SINEW_TRY(GridBbw bbw, grid_bbw(grid, points, options));
  GridDeformerWeights result;
  result.values = std::move(bbw.values);
  result.bone_of_vertex = map_handles(grid, segments).of_vertex;
  result.outside = points.outside;
  result.merged = points.merged;
  result.iterations = bbw.iterations;
  result.residual = bbw.residual;
  finish_rows(grid, bones, bone_ends(skeleton, bones), result);
  return result;
}

Result<DeformerWeights> deformer_weights(const BindInput& input, const Skeleton& skeleton,
                                         const BbwOptions& options) {
  DeformerWeights result;
  SINEW_TRY(VoxelBody body, make_voxel_body(input, options.voxels, options.progress));
  result.grid = std::move(body.grid);
  SINEW_TRY(result.on_grid, grid_deformer_weights(result.grid, skeleton, input.bones, options));
  result.transfer = trilinear_weights(result.grid, input.surface.positions);
  result.weights.values = interpolate(result.transfer, result.on_grid.values);
  normalise_rows(result.weights);
  result.weights.iterations = result.on_grid.iterations;
  return result;
}

}  // namespace sinew
