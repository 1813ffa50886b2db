// SPDX-License-Identifier: Apache-2.0
// Energy-minimising weights of all joints of a skeleton. The harmonic weights of all bones, one solve, give
// each joint its start and tell where it has influence: elsewhere the weight is 0 or 1, the cells cost no
// energy, and the joint's problem is posed on the cells in between alone.
#include <algorithm>
#include <array>
#include <numbers>
#include <optional>

#include "sinew/core/parallel.h"
#include "sinew/core/piece_progress.h"
#include "sinew/volume/trilinear.h"
#include "sinew/weights/elastic.h"
#include "sinew/weights/elastic_dqs.h"
#include "sinew/weights/elastic_lsq.h"
#include "sinew/weights/harmonic_volume.h"
#include "sinew/weights/spherical_twist.h"
#include "weights/grid_handles.h"
#include "weights/joint_band.h"

namespace sinew {
namespace {

using weights_detail::joint_band, weights_detail::JointBand;

constexpr double kNoInfluence = 1e-3;  // harmonic weights this near to 0 or 1 count as that

Result<GridWeight> fit_weight(const Corotational& model, std::span<const std::uint8_t> fixed,
                              const Eigen::VectorXd& start, const Vec3& origin, const JointSamples& samples,
                              const ElasticWeightOptions& options) {
  switch (options.fit) {
    case ElasticFit::kLinear:
      break;
    case ElasticFit::kDualQuaternion: {
      SINEW_TRY(const GridWeight linear,
                energy_minimising_weight(model, fixed, start, origin, samples, options.descent));
      return energy_minimising_weight_dqs(model, fixed, linear.values, origin, samples, options.descent);
    }
    case ElasticFit::kLeastSquares:
    case ElasticFit::kLeastSquaresNonNegative:
      return least_squares_weight(model.grid(), fixed, start, origin, samples,
                                  {.non_negative = options.fit == ElasticFit::kLeastSquaresNonNegative,
                                   .progress = options.descent.progress});
  }
  return energy_minimising_weight(model, fixed, start, origin, samples, options.descent);
}

struct JointSolution {
  Eigen::VectorXd swing, twist;
  int steps = 0;
};

Result<JointSolution> solve_joint(const JointBand& band, const JointFrame& frame,
                                  const ElasticWeightOptions& options) {
  JointSolution solution{band.whole, band.whole, 0};
  if (band.empty()) return solution;
  const std::vector<std::uint32_t>& vertices = band.part.vertices;
  const Corotational model(band.part.grid);
  const auto minimise = [&](const JointSamples& samples) {
    return fit_weight(model, band.fixed, band.start, frame.origin, samples, options);
  };
  const auto store = [&](const GridWeight& weight, Eigen::VectorXd& out) {
    for (std::size_t v = 0; v < vertices.size(); ++v)
      if (!band.fixed[v]) out[vertices[v]] = weight.values[static_cast<Eigen::Index>(v)];
    solution.steps = std::max(solution.steps, weight.steps);
  };
  JointSamples swings = swing_samples(frame, options.swing_count);
  const JointSamples twists = twist_samples(frame, options.twist_count);
  if (options.one_weight) swings.insert(swings.end(), twists.begin(), twists.end());
  SINEW_TRY(const GridWeight swing, minimise(swings));
  store(swing, solution.swing);
  if (options.one_weight || options.swing_only) {
    solution.twist = solution.swing;
    return solution;
  }
  if (options.fit == ElasticFit::kLinear && options.twist == TwistFit::kSpherical) {
    const std::array<double, 2> angles{std::numbers::pi / 2, -std::numbers::pi / 2};
    SINEW_TRY(const GridWeight twist, spherical_twist_weight(model, band.fixed, band.start, frame.origin,
                                                             frame.axes.col(2), angles, options.descent));
    store(twist, solution.twist);
    return solution;
  }
  SINEW_TRY(const GridWeight twist, minimise(twists));
  store(twist, solution.twist);
  return solution;
}

std::size_t clamp_values(Eigen::MatrixXd& values) {
  std::size_t outside = 0;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    double& w = values.data()[i];
    if (w >= 0 && w <= 1) continue;
    // What the solver's tolerance leaves is not worth a word.
    outside += w < -1e-6 || w > 1 + 1e-6;
    w = std::clamp(w, 0.0, 1.0);
  }
  return outside;
}

}  // namespace

Result<GridJointWeights> grid_joint_weights(const VoxelGrid& grid, const HandleMap& handles,
                                            std::span<const Bone> bones, std::span<const int> parents,
                                            const ElasticWeightOptions& options) {
  SINEW_TRY(const GridHarmonic solved_harmonic,
            grid_harmonic(grid, handles, {.tolerance = 1e-6, .progress = options.descent.progress}));
  const Eigen::MatrixXd& harmonic = solved_harmonic.values;
  GridJointWeights result;
  result.reached.resize(grid.vertex_count());
  for (std::size_t v = 0; v < result.reached.size(); ++v)
    result.reached[v] = harmonic.row(static_cast<Eigen::Index>(v)).sum() > 0.5;
  if (is_cancelled(options.descent.progress)) return cancelled();

  result.swing.resize(harmonic.rows(), harmonic.cols());
  result.twist.resize(harmonic.rows(), harmonic.cols());
  std::vector<int> steps(bones.size(), 0);
  std::vector<std::optional<Error>> errors(bones.size());
  PieceProgress fitted(options.descent.progress, "elastic weights", bones.size());
  // Joints are independent: the pieces of this loop are, for any thread count, one joint each.
  parallel_for(bones.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      if (is_cancelled(options.descent.progress)) {
        errors[b] = cancelled();
        continue;
      }
      const std::vector<std::uint8_t> below = bones_below(parents, b);
      const JointBand band =
          joint_band(grid, handles, below, harmonic, result.reached, options.whole_body ? 0 : kNoInfluence);
      auto solved = solve_joint(band, joint_frame(bones, parents, b), options);
      if (!solved) {
        errors[b] = solved.error();
        continue;
      }
      const auto column = static_cast<Eigen::Index>(b);
      result.swing.col(column) = solved->swing;
      result.twist.col(column) = solved->twist;
      steps[b] = solved->steps;
      fitted.add();
    }
  });
  for (const auto& error : errors)
    if (error) return *error;
  result.steps = *std::max_element(steps.begin(), steps.end());
  result.outside = clamp_values(result.swing);
  if (options.one_weight || options.swing_only)
    result.twist = result.swing;
  else
    result.outside += clamp_values(result.twist);
  return result;
}

void bone_row_from_joint_row(std::span<const int> parents, std::span<const std::size_t> order,
                             std::span<const double> joint_row, std::span<double> bone_row) {
  // What all the children of a bone, or all the roots, ask for together.
  std::vector<double> asked(parents.size() + 1, 0);
  const auto above = [&](std::size_t j) { return static_cast<std::size_t>(parents[j] + 1); };
  for (std::size_t j = 0; j < parents.size(); ++j) asked[above(j)] += joint_row[j];
  std::vector<double> moved(parents.size() + 1, 1);  // m, behind the 1 of the world
  for (const std::size_t j : order) {
    const double all = parents[j] < 0 ? asked[0] : std::max(1.0, asked[above(j)]);
    moved[j + 1] = all > 0 ? moved[above(j)] * joint_row[j] / all : 0;
    bone_row[j] = moved[j + 1];
  }
  for (std::size_t j = 0; j < parents.size(); ++j)
    if (parents[j] >= 0) bone_row[above(j) - 1] -= moved[j + 1];
  for (double& w : bone_row) w = std::max(w, 0.0);
}

void joint_row_from_bone_row(std::span<const int> parents, std::span<const std::size_t> order,
                             std::span<const double> bone_row, std::span<double> joint_row) {
  std::copy(bone_row.begin(), bone_row.end(), joint_row.begin());
  for (std::size_t k = order.size(); k-- > 0;)
    if (const std::size_t j = order[k]; parents[j] >= 0)
      joint_row[static_cast<std::size_t>(parents[j])] += joint_row[j];
}

Result<ElasticWeights> elastic_weights(const BindInput& input, const ElasticWeightOptions& options) {
  SINEW_TRY(const BoneBody bones,
            make_bone_body(input, options.voxels, options.descent.progress, options.max_cells));
  return elastic_weights(input, bones, options);
}

Result<ElasticWeights> elastic_weights(const BindInput& input, const BoneBody& bones,
                                       const ElasticWeightOptions& options) {
  if (input.parents.size() != input.bones.size())
    return impossible("elastic weights need the parent of each bone");
  report(options.descent.progress, "elastic weights", 0.1);
  SINEW_TRY(const GridJointWeights grid,
            grid_joint_weights(bones.body.grid, bones.handles, input.bones, input.parents, options));
  return elastic_weights(input, bones, grid, options);
}

Result<ElasticWeights> elastic_weights(const BindInput& input, const BoneBody& bones,
                                       const GridJointWeights& grid, const ElasticWeightOptions& options) {
  const TrilinearWeights transfer = trilinear_weights(bones.body.grid, input.surface.positions);
  ElasticWeights result;
  const Eigen::MatrixXd swing = interpolate(transfer, grid.swing);
  static_cast<BodyFigures&>(result) = body_figures(bones);
  BoneWeights& weights = result.weights;
  weights.values.setZero(swing.rows(), swing.cols());
  weights.bound.assign(static_cast<std::size_t>(swing.rows()), 1);
  weights.clamped = grid.outside;
  weights.iterations = grid.steps;
  const std::vector<std::size_t> order = bone_order(input.parents);
  std::vector<double> joint_row(input.bones.size()), bone_row(input.bones.size());
  for (Eigen::Index i = 0; i < swing.rows(); ++i) {
    double reached = 0;
    for (std::size_t k = 0; k < 8; ++k)
      reached += grid.reached[transfer.vertices[static_cast<std::size_t>(i)][k]];
    if (reached < 8) {
      weights.bound[static_cast<std::size_t>(i)] = 0;
      continue;
    }
    for (std::size_t b = 0; b < joint_row.size(); ++b) joint_row[b] = swing(i, static_cast<Eigen::Index>(b));
    bone_row_from_joint_row(input.parents, order, joint_row, bone_row);
    for (std::size_t b = 0; b < bone_row.size(); ++b)
      weights.values(i, static_cast<Eigen::Index>(b)) = bone_row[b];
  }
  normalise_rows(weights);
  if (!options.refine) return result;
  const auto solve = [&](const ShortBonePatch& patch) -> Result<std::optional<BoneWeights>> {
    const BindInput piece = patch.input();
    SINEW_TRY(const BoneBody body,
              make_bone_body(piece, 0, options.descent.progress, elastic_weight_cells(input)));
    if (!patch.gains_by(body.body.grid.cell_size())) return std::optional<BoneWeights>();
    ElasticWeightOptions finer = options;
    finer.refine = false;
    finer.swing_only = true;  // all that bone weights are made of
    SINEW_TRY(ElasticWeights solved, elastic_weights(piece, body, finer));
    return std::optional(std::move(solved.weights));
  };
  SINEW_TRY(const RefineReport refined, refine_short_bones(input, result.cell, solve, weights));
  note_refined(refined, bones, result);
  return result;
}

}  // namespace sinew
