// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/result.h"
#include "sinew/skeleton/bone_tree.h"
#include "sinew/volume/corotational.h"
#include "sinew/volume/handles.h"
#include "sinew/weights/bone_body.h"

namespace sinew {

/// Poses of a joint: rotations of what lies below it, about its origin, in world axes.
using JointSamples = std::vector<Mat3>;
/// `count` (even) rotations spread evenly over +-90 degrees, ends included, half of them about x, half about
/// y.
JointSamples swing_samples(const JointFrame& frame, int count = 4);
JointSamples twist_samples(const JointFrame& frame, int count = 2);  ///< the same about z

/// Options of energy_minimising_weight().
struct DescentOptions {
  double tolerance = 1e-4;  ///< stop where a step lowers the energy by less than this part of itself
  int max_steps = 24;
  bool accelerated = true;  ///< L-BFGS; else the local/global steps of the paper
  const Progress* progress = nullptr;
};

/// One weight on the vertices of a grid: how far each goes with what moves. Values may lie outside [0, 1].
struct GridWeight {
  Eigen::VectorXd values;
  int steps = 0;
  double energy = 0;            ///< summed over the samples
  std::vector<double> history;  ///< of the start and after every step
};

/// Energy-minimising weights for linear blending [kavan2012, Sec. 3.2]: the w for which p + w (S p - p) has
/// the least corotational energy, summed over the samples S. Rows where `fixed` stay as in `start`.
/// Descent with one hierarchy; a little of the grid's Laplacian is added, since vertices on the
/// joint's axis say nothing about their weight. The energy never rises.
Result<GridWeight> energy_minimising_weight(const Corotational& model, std::span<const std::uint8_t> fixed,
                                            const Eigen::VectorXd& start, const Vec3& origin,
                                            std::span<const Mat3> samples,
                                            const DescentOptions& options = {});

/// The corotational energy of p + w (S p - p), summed over the samples.
double linear_energy(const Corotational& model, const Eigen::VectorXd& weight, const Vec3& origin,
                     std::span<const Mat3> samples);

/// What the weights are fitted to.
enum class ElasticFit {
  kLinear,                   ///< least energy with linear blending
  kDualQuaternion,           ///< least energy with dual quaternions (elastic_dqs.h)
  kLeastSquares,             ///< nearest to elastic examples (elastic_lsq.h)
  kLeastSquaresNonNegative,  ///< the same, each value within [0, 1]
};

/// What a twist weight has the least energy for: linear blending, as [kavan2012] solves it, or the rotation by
/// a part of the angle that joint deformers do (weights/spherical_twist.h).
enum class TwistFit { kLinear, kSpherical };

/// Options of grid_joint_weights().
struct ElasticWeightOptions {
  ElasticFit fit = ElasticFit::kLinear;
  int voxels = 0;       ///< cells along the longest side; 0: chosen by mesh and bones
  int swing_count = 4;  ///< samples
  int twist_count = 2;
  bool one_weight = false;             ///< one weight over all samples serves swing and twist
  bool swing_only = false;             ///< no twist weights: they are the swing weights
  TwistFit twist = TwistFit::kLinear;  ///< of ElasticFit::kLinear
  std::size_t max_cells = kBodyCells;  ///< of a body whose size is chosen for it
  bool refine = true;                  ///< groups of short bones (fingers) on finer grids of their own
  bool whole_body = false;             ///< solve on all of the body rather than where a joint has influence
  DescentOptions descent = {};
};

/// Swing and twist weights of every joint on the vertices of a grid, in [0, 1]. A root moves everything and
/// has 1; a leaf moves its own bone; a joint with several children moves all that lies below it.
struct GridJointWeights {
  Eigen::MatrixXd swing, twist;       ///< grid vertices x bones
  std::vector<std::uint8_t> reached;  ///< per grid vertex: a bone lies in its part of the body
  int steps = 0;                      ///< most of any joint
  std::size_t outside = 0;            ///< values that had to be put into [0, 1]
};
Result<GridJointWeights> grid_joint_weights(const VoxelGrid& grid, const HandleMap& handles,
                                            std::span<const Bone> bones, std::span<const int> parents,
                                            const ElasticWeightOptions& options = {});

/// Bone weights that move as the joints' do, one row: m_root = 1, m_c = m_j s_c / max(1, sum over siblings),
/// w_j = m_j - sum_c m_c. Several roots share by their s.
void bone_row_from_joint_row(std::span<const int> parents, std::span<const std::size_t> order,
                             std::span<const double> joint_row, std::span<double> bone_row);
/// The other way: the weight of a joint is the sum of the bone weights at and below it.
void joint_row_from_bone_row(std::span<const int> parents, std::span<const std::size_t> order,
                             std::span<const double> bone_row, std::span<double> joint_row);

/// The same for a surface: bone weights made of the swing weights, carried over by trilinear interpolation.
/// input.parents must be given.
struct ElasticWeights : BodyFigures {
  BoneWeights weights;
};
Result<ElasticWeights> elastic_weights(const BindInput& input, const ElasticWeightOptions& options = {});
/// The same in a body that is there already; the second with the joint weights of its grid, by the same options.
Result<ElasticWeights> elastic_weights(const BindInput& input, const BoneBody& bones,
                                       const ElasticWeightOptions& options = {});
Result<ElasticWeights> elastic_weights(const BindInput& input, const BoneBody& bones,
                                       const GridJointWeights& grid, const ElasticWeightOptions& options);

}  // namespace sinew
