// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/deformer_weights.h"

#include <algorithm>

#include "sinew/weights/harmonic_volume.h"
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

// Joints that end some bone, each once.
std::vector<std::uint32_t> joints_of(const BoneEnds& ends) {
  std::vector<std::uint32_t> joints;
  for (const auto& some : ends.of_bone) joints.insert(joints.end(), some.begin(), some.end());
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  return joints;
}

// The rule of the bones, then rows that sum to 1.
void finish_rows(const VoxelGrid& grid, std::span<const Bone> bones, const BoneEnds& ends,
                 const Eigen::MatrixXd& bone_weights, GridDeformerWeights& result) {
  const std::vector<std::uint32_t> taking_part = joints_of(ends);
  Eigen::RowVectorXd row(result.values.cols()), rule(result.values.cols());
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
    rule.setZero();
    for (std::size_t b = 0; b < bones.size(); ++b)
      for (const std::uint32_t j : ends.of_bone[b]) rule[j] += bone_weights(v, static_cast<Eigen::Index>(b));
    row = result.values.row(v).cwiseProduct(rule);
    if (const double sum = row.sum(); sum > 0) {
      row /= sum;
    } else {
      ++result.filled;
      const int bone = result.bone_of_vertex[v];
      row.setZero();
      row[nearest_joint(grid.vertex_position(v), bones,
                        bone >= 0 ? ends.of_bone[static_cast<std::size_t>(bone)] : taking_part)] = 1;
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
  const auto is_root = [&](std::uint32_t b) {
    return std::none_of(ends.of_bone.begin(), ends.of_bone.end(),
                        [&](const std::vector<std::uint32_t>& joints) {
                          return std::find(joints.begin() + 1, joints.end(), b) != joints.end();
                        });
  };
  std::vector<std::uint32_t> roots;
  for (std::uint32_t b = 0; b < bones.size(); ++b)
    if (is_root(b)) roots.push_back(b);
  if (roots.size() == 1 && ends.of_bone[roots[0]].size() > 1)
    ends.of_bone[roots[0]].erase(ends.of_bone[roots[0]].begin());
  return ends;
}

Result<GridDeformerWeights> grid_deformer_weights(const VoxelGrid& grid, const Skeleton& skeleton,
                                                  std::span<const Bone> bones, const BbwOptions& options) {
  const BoneEnds ends = bone_ends(skeleton, bones);
  const std::vector<std::uint32_t> taking_part = joints_of(ends);
  std::vector<Handle> joints;
  for (const std::uint32_t j : taking_part) joints.emplace_back(bones[j].head);
  const HandleMap points = map_handles(grid, joints), held = map_handles(grid, handles_of(bones));
  SINEW_TRY(GridBbw bbw, grid_bbw(grid, points, options));
  SINEW_TRY(const GridHarmonic harmonic,
            grid_harmonic(grid, held, {.tolerance = 1e-6, .progress = options.progress}));
  GridDeformerWeights result;
  result.values.setZero(bbw.values.rows(), static_cast<Eigen::Index>(bones.size()));
  for (std::size_t k = 0; k < taking_part.size(); ++k)
    result.values.col(taking_part[k]) = bbw.values.col(static_cast<Eigen::Index>(k));
  result.bone_of_vertex = held.of_vertex;
  result.outside = points.outside;
  for (const std::size_t k : points.merged) result.merged.push_back(taking_part[k]);
  result.iterations = bbw.iterations;
  result.residual = bbw.residual;
  finish_rows(grid, bones, ends, harmonic.values, result);
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
