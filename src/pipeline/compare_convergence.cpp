// SPDX-License-Identifier: Apache-2.0
#include "pipeline/compare_convergence.h"

#include <algorithm>
#include <chrono>

#include "sinew/weights/elastic.h"

namespace sinew {
namespace {

constexpr double kFallTolerance = 1e-6;
constexpr int kWeightSteps = 60, kPositionSteps = 40, kSettlingSteps = 100;

std::size_t most_opposed_joint(const Surface& surface) {
  std::size_t joint = surface.bones.size(), most = 0;
  for (std::size_t b = 0; b < surface.bones.size(); ++b) {
    const auto below = bones_below(surface.parents, b);
    const auto moved = static_cast<std::size_t>(std::count(below.begin(), below.end(), 1));
    if (const std::size_t against = std::min(moved, below.size() - moved); against > most)
      joint = b, most = against;
  }
  return joint;
}

// The least energy itself is left out: a plot with a logarithmic axis cannot show it.
std::vector<double> relative_to(double least, const std::vector<double>& history) {
  std::vector<double> errors;
  for (const double energy : history)
    if (energy > least && least > 0) errors.push_back((energy - least) / least);
  return errors;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Result<Convergence> compare_convergence(const Arena& arena, const Progress* progress) {
  Convergence result;
  const Surface& surface = arena.surface();
  const std::size_t joint = most_opposed_joint(surface);
  if (joint == surface.bones.size()) return result;
  SINEW_TRY(const CompareReference::Band band, arena.reference().band({joint}));
  if (!band.body) return result;
  const Corotational& model = band.body->model();
  const JointFrame frame = joint_frame(surface.bones, surface.parents, joint);
  Eigen::VectorXd start = Eigen::VectorXd::Zero(model.rest().rows());
  for (std::size_t v = 0; v < band.fixed.size(); ++v)
    start[static_cast<Eigen::Index>(v)] =
        band.carrier[band.part->vertices[v]] == static_cast<int>(joint) ? 1 : 0;
  start = band.body->hierarchy().solve(Eigen::MatrixXd(), start, 1e-6, 100).x;
  const JointSamples samples = swing_samples(frame);
  auto clock = std::chrono::steady_clock::now();
  SINEW_TRY(const GridWeight weight, energy_minimising_weight(model, band.fixed, start, frame.origin, samples,
                                                              {.tolerance = kFallTolerance,
                                                               .max_steps = kWeightSteps,
                                                               .accelerated = false,
                                                               .progress = progress}));
  result.reduced_seconds = seconds_since(clock);
  clock = std::chrono::steady_clock::now();
  std::vector<ElasticBody::Solution> falls;
  for (const Mat3& sample : samples) {
    const GridPositions offsets =
        (model.rest().rowwise() - frame.origin.transpose()) * (sample - Mat3::Identity()).transpose();
    falls.push_back(
        band.body->minimise(model.rest() + start.asDiagonal() * offsets, {.tolerance = kFallTolerance,
                                                                          .max_iterations = kPositionSteps,
                                                                          .accelerated = false,
                                                                          .progress = progress}));
  }
  result.full_seconds = seconds_since(clock);
  // A rotation that has settled keeps its energy while the others go on; where plain steps end, accelerated
  // ones find out how far it still was.
  std::size_t longest = 0;
  for (const ElasticBody::Solution& fall : falls) longest = std::max(longest, fall.history.size());
  std::vector<double> full(longest, 0.0);
  double least = 0;
  for (const ElasticBody::Solution& fall : falls) {
    for (std::size_t k = 0; k < longest; ++k) full[k] += fall.history[std::min(k, fall.history.size() - 1)];
    least +=
        band.body
            ->minimise(fall.positions,
                       {.tolerance = kFallTolerance, .max_iterations = kSettlingSteps, .progress = progress})
            .energy;
  }
  result.joint = surface.names[joint];
  result.samples = samples.size();
  result.full = relative_to(least, full);
  result.reduced = relative_to(weight.history.back(), weight.history);
  return result;
}

}  // namespace sinew
