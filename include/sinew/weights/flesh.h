// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "sinew/rig/turn_functions.h"
#include "sinew/weights/elastic.h"

namespace sinew {

/// Options of grid_flesh().
struct FleshOptions {
  MotionRange range;                         ///< of every joint
  std::span<const MotionRange> ranges = {};  ///< per bone, instead; or empty
  TwistFit twist = TwistFit::kSpherical;     ///< what twist weights are made for
  double tolerance = 1.15;  ///< energy over that of the elastic body that fields are kept for; 0: no fields
  std::span<const float> stiffness = {};        ///< per cell, above 0; or empty
  std::span<const std::uint8_t> left_out = {};  ///< per bone: not solved, its weights are 0; or empty
  int steps = 12;                               ///< of the descent, at most
  const Progress* progress = nullptr;

  const MotionRange& range_of(std::size_t bone) const { return ranges.empty() ? range : ranges[bone]; }
};

/// Corrective fields of one joint at the vertices of a grid: what its rotation adds to their rest positions,
/// before the joint moves them, is a sum of modes, each driven by a mix of turn_functions. 0 at other
/// vertices.
struct GridField {
  using Mixes = Eigen::Matrix<float, Eigen::Dynamic, kTurnFunctions, Eigen::RowMajor>;
  std::vector<std::uint32_t> vertices;
  Eigen::MatrixXf values;          ///< a row a vertex; three columns a mode
  Mixes mixes;                     ///< a row a mode
  std::vector<float> steps;        ///< per mode: of the rounding that costs little energy
  std::vector<std::uint8_t> fine;  ///< per mode: 8 bits would cost energy
  bool empty() const { return vertices.empty(); }
};

/// What came out for one joint: energies over those of the elastic body at rotations that were not sampled.
struct FleshFigures {
  std::size_t unknowns = 0;
  double bare = 1, bare_mean = 1;  ///< without fields: worst and mean
  double worst = 1, mean = 1;      ///< with them
  int steps = 0;
};

/// The same for two neighbouring joints that turn together: a field that both drive, by pair_factors.
struct GridPair {
  std::size_t joint = 0, partner = 0;
  GridField field;
  FleshFigures figures;  ///< over the least energy that such fields could reach; bare: without this one
};

/// The result of grid_flesh().
struct GridFlesh {
  Eigen::MatrixXd swing, twist;       ///< grid vertices x bones, as of GridJointWeights
  std::vector<std::uint8_t> reached;  ///< per grid vertex: a bone lies in its part of the body
  std::vector<GridField> fields;      ///< per bone
  std::vector<FleshFigures> figures;  ///< per bone
  std::vector<GridPair> pairs;        ///< of neighbours for which the fields of each alone are not enough
  std::size_t outside = 0;            ///< weights that had to be put into [0, 1]
};

/// Flesh on the vertices of a grid: swing weights of least energy, spherical twist weights, and for every
/// joint corrective fields for which composed joints (rig/composed_joints.h) have the least energy, summed
/// over rotations of the joint within `range`, each counted by what it costs without fields.
Result<GridFlesh> grid_flesh(const VoxelGrid& grid, const HandleMap& handles, std::span<const Bone> bones,
                             std::span<const int> parents, const FleshOptions& options = {});

/// How many unknowns grid_flesh solves for: the free vertices about every joint, summed over the joints. Its
/// time goes with them, and they are counted in a small part of it.
Result<std::size_t> fitted_unknowns(const VoxelGrid& grid, const HandleMap& handles,
                                    std::span<const int> parents, const FleshOptions& options = {});

/// The rotations (JointMove::turn) at which fields are sampled; joints that the first of them are enough for, at
/// those alone.
std::vector<Vec3> motion_samples(const MotionRange& range);

}  // namespace sinew
