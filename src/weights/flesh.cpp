// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/flesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "sinew/core/parallel.h"
#include "sinew/core/piece_progress.h"
#include "sinew/rig/composed_joints.h"
#include "sinew/solve/lbfgs.h"
#include "sinew/volume/elastic.h"
#include "sinew/weights/harmonic_volume.h"
#include "sinew/weights/spherical_twist.h"
#include "weights/field_energy.h"
#include "weights/field_modes.h"
#include "weights/flesh_body.h"
#include "weights/flesh_pairs.h"
#include "weights/joint_band.h"
#include "weights/least_energies.h"

namespace sinew {
namespace {

using namespace weights_detail;

struct FittedFields {
  Fields fields;
  Eigen::MatrixXd products;  // of the functions, over the samples
  std::size_t samples = 0;
  int steps = 0;
};

// The band of one joint, in its frame.
struct JointProblem {
  const MotionRange& range;
  const ElasticBody& body;
  std::span<const std::uint8_t> fixed;
  GridPositions rest;
  Eigen::VectorXd swing, twist;

  FieldEnergy energy_at(std::span<const Vec3> turns) const {
    return FieldEnergy(body.model(), fixed, rest, swing, twist, turns);
  }
};

constexpr std::size_t kSpread = 128;        // samples between the directions
constexpr std::size_t kFirstSamples = 128;  // of all: enough for most joints
constexpr double kRefinedTolerance = 2e-4;  // as kFieldTolerance, for the others
constexpr double kRefinedEmphasis = 1.5;    // on far rotations

// More where the joint swings and twists far: there the energy is least smooth and the fewest samples lie. 1 on average.
std::vector<double> sample_weights(const MotionRange& range, std::span<const Vec3> turns, double emphasis) {
  std::vector<double> weights;
  double sum = 0;
  for (const Vec3& turn : turns) {
    const double a = range.swing > 0 ? std::hypot(turn.x(), turn.y()) / range.swing : 0,
                 b = range.twist > 0 ? turn.z() / range.twist : 0;
    weights.push_back(std::exp(emphasis * (a * a * a * a / 2 + a * a * b * b)));
    sum += weights.back();
  }
  for (double& weight : weights) weight *= static_cast<double>(turns.size()) / sum;
  return weights;
}

// A part of the descent. Each sample counts by what it costs now, which after some steps is about what it costs the elastic
// body; so what is made small is the sum of the ratios.
struct Descent {
  std::span<const Vec3> turns;
  double emphasis;
  int steps;
  double tolerance;
};
Result<void> descend(const JointProblem& joint, const Descent& descent, const FleshOptions& options,
                     FittedFields& fitted) {
  std::vector<double> scales = sample_weights(joint.range, descent.turns, descent.emphasis);
  std::vector<TurnValues> values;
  for (const Vec3& turn : descent.turns) values.push_back(turn_functions(turn));
  FieldEnergy samples = joint.energy_at(descent.turns);
  const std::vector<double> energies = samples.energies(fitted.steps > 0 ? &fitted.fields : nullptr);
  for (std::size_t k = 0; k < energies.size(); ++k) scales[k] = energies[k] > 0 ? scales[k] / energies[k] : 0;
  fitted.samples = descent.turns.size();
  fitted.products = function_products(values, scales);
  const Eigen::MatrixXf inverse =
      fitted.products.ldlt().solve(Eigen::MatrixXd::Identity(kTurnFunctions, kTurnFunctions)).cast<float>();
  Fields gradient(joint.rest.rows(), 3 * kTurnFunctions);
  LbfgsOptions search;
  search.tolerance = descent.tolerance;
  search.remembered = kFieldMemory;
  search.max_steps = descent.steps;
  search.progress = options.progress;
  auto best = lbfgs(
      std::move(fitted.fields),
      [&](const Fields& fields) { return samples.evaluate(fields, scales, gradient); },
      [&](const Fields&) { return gradient; },
      [&](const Fields& g) { return precondition_fields(joint.body.hierarchy(), inverse, g); }, search);
  if (is_cancelled(options.progress)) return cancelled();
  fitted.fields = std::move(best.x);
  fitted.steps += best.steps;
  return {};
}

// Rotations between the samples, by which a joint is judged; the hardest first.
std::vector<Vec3> unseen_turns(const MotionRange& range) {
  std::vector<Vec3> turns;
  constexpr std::array<std::array<double, 3>, 8> kPlaces{{{17, 0.95, 0},
                                                          {320, 0.95, 0.9},
                                                          {140, 0.75, 0.7},
                                                          {263, 0.9, -0.7},
                                                          {75, 0.5, 0.3},
                                                          {200, 0.7, -0.2},
                                                          {300, 0.3, -0.15},
                                                          {110, 0.4, 0.5}}};
  for (const auto& [degrees, swing, twist] : kPlaces) {
    const double angle = std::numbers::pi / 180 * degrees;
    turns.push_back(
        {swing * range.swing * std::cos(angle), swing * range.swing * std::sin(angle), twist * range.twist});
  }
  return turns;
}

// Least energy of the elastic body at a rotation of the joint, from the pose that `energy` was asked for last;
// or any energy below `enough`.
double elastic_energy(const ElasticBody& body, const FieldEnergy& energy, std::size_t turn,
                      const FleshOptions& options, double enough) {
  return body
      .minimise(energy.posed(turn), {.tolerance = kJudgeTolerance,
                                     .max_iterations = 100,
                                     .enough = enough,
                                     .progress = options.progress})
      .energy;
}

// Whether composed joints do without fields: at none of the unseen rotations is an elastic body found whose
// energy is lower by the tolerance.
bool do_without(const JointProblem& joint, const FleshOptions& options, FleshFigures& figures) {
  FieldEnergy energy = joint.energy_at(unseen_turns(joint.range));
  const std::vector<double> bare = energy.energies(nullptr);
  std::vector<double> least;
  for (std::size_t k = 0; k < bare.size(); ++k) {
    const double enough = bare[k] / options.tolerance;
    least.push_back(elastic_energy(joint.body, energy, k, options, enough));
    if (least.back() < enough) return false;
  }
  const Ratios ratios(bare, least);
  figures.bare = figures.worst = ratios.worst;
  figures.bare_mean = figures.mean = ratios.mean;
  return true;
}

// A joint beside the elastic body at rotations between the samples.
class Judge {
 public:
  // The search for the least energies starts from these fields.
  Judge(const JointProblem& joint, const Fields& fields, const FleshOptions& options)
      : energy_(joint.energy_at(unseen_turns(joint.range))), bare_(energy_.energies(nullptr)) {
    energy_.energies(&fields);
    least_ =
        least_energies(joint.body, energy_.posed(), bare_.size(),
                       {.tolerance = kJudgeTolerance, .max_iterations = 100, .progress = options.progress});
  }
  Ratios bare() const { return Ratios(bare_, least_); }
  Ratios with(const Fields& fields) { return Ratios(energy_.energies(&fields), least_); }

 private:
  FieldEnergy energy_;
  std::vector<double> bare_, least_;
};

// The fields of a band on one that holds all of its vertices, which are ascending.
Fields on_wider_band(const JointBand& band, const JointBand& wide, const Fields& fields) {
  Fields all = Fields::Zero(static_cast<Eigen::Index>(wide.part.vertices.size()), fields.cols());
  for (std::size_t v = 0; v < band.part.vertices.size(); ++v) {
    const auto& vertices = wide.part.vertices;
    const auto place = std::lower_bound(vertices.begin(), vertices.end(), band.part.vertices[v]);
    all.row(place - vertices.begin()) = fields.row(static_cast<Eigen::Index>(v));
  }
  return all;
}

std::size_t put_into_bounds(Eigen::VectorXd& weight) {
  std::size_t outside = 0;
  for (double& w : weight) {
    outside += w < -1e-6 || w > 1 + 1e-6;
    w = std::clamp(w, 0.0, 1.0);
  }
  return outside;
}

struct JointResult {
  Eigen::VectorXd swing, twist;  // of the whole grid
  GridField field;
  FleshFigures figures;
  std::size_t outside = 0;
};

std::vector<std::uint8_t> reached_vertices(const GridHarmonic& harmonic) {
  std::vector<std::uint8_t> reached(static_cast<std::size_t>(harmonic.values.rows()));
  for (std::size_t v = 0; v < reached.size(); ++v)
    reached[v] = harmonic.values.row(static_cast<Eigen::Index>(v)).sum() > 0.5;
  return reached;
}

Result<GridWeight> solve_twist(const Corotational& model, const JointBand& band, const JointFrame& frame,
                               const FleshOptions& options, const DescentOptions& descent) {
  if (options.twist == TwistFit::kLinear)
    return energy_minimising_weight(model, band.fixed, band.start, frame.origin, twist_samples(frame),
                                    descent);
  const std::array<double, 2> angles{std::numbers::pi / 2, -std::numbers::pi / 2};
  return spherical_twist_weight(model, band.fixed, band.start, frame.origin, frame.axes.col(2), angles,
                                descent);
}

Result<void> solve_weights(const Body& whole, const JointBand& band, const JointFrame& frame,
                           const FleshOptions& options, JointResult& result) {
  const Corotational model(band.part.grid, whole.stiffness_of(band));
  DescentOptions descent;
  descent.progress = options.progress;
  SINEW_TRY(GridWeight swing, energy_minimising_weight(model, band.fixed, band.start, frame.origin,
                                                       swing_samples(frame), descent));
  SINEW_TRY(GridWeight twist, solve_twist(model, band, frame, options, descent));
  result.outside += put_into_bounds(swing.values) + put_into_bounds(twist.values);
  for (std::size_t v = 0; v < band.fixed.size(); ++v) {
    const auto i = static_cast<Eigen::Index>(v);
    if (band.fixed[v]) continue;
    ++result.figures.unknowns;
    result.swing[band.part.vertices[v]] = swing.values[i];
    result.twist[band.part.vertices[v]] = twist.values[i];
  }
  return {};
}

JointProblem joint_problem(const MotionRange& range, const ElasticBody& body, const JointBand& band,
                           const JointFrame& frame, const JointResult& result) {
  return {range,
          body,
          band.fixed,
          GridPositions((body.model().rest().rowwise() - frame.origin.transpose()) * frame.axes),
          result.swing(band.part.vertices),
          result.twist(band.part.vertices)};
}

// Fields on `band`; beside the elastic body they are judged on the wider band of the weights.
Result<void> solve_fields(const Body& whole, const JointBand& wide, const JointBand& band,
                          const JointFrame& frame, const MotionRange& range, const FleshOptions& options,
                          JointResult& result) {
  SINEW_TRY(const ElasticBody reference,
            ElasticBody::build(wide.part.grid, wide.fixed, whole.stiffness_of(wide)));
  const JointProblem judged = joint_problem(range, reference, wide, frame, result);
  if (do_without(judged, options, result.figures) || band.empty()) return {};
  SINEW_TRY(const ElasticBody body, ElasticBody::build(band.part.grid, band.fixed, whole.stiffness_of(band)));
  const JointProblem joint = joint_problem(range, body, band, frame, result);
  const std::vector<Vec3> turns = motion_samples(range);
  const std::span<const Vec3> first = std::span(turns).first(kFirstSamples);
  const int start = options.steps / 3;
  FittedFields fitted{Fields::Zero(joint.rest.rows(), 3 * kTurnFunctions), {}, 0, 0};
  SINEW_CHECK(descend(joint, {first, 1, start, kFieldTolerance}, options, fitted));
  SINEW_CHECK(descend(joint, {first, 1, options.steps - start, kFieldTolerance}, options, fitted));
  Judge judge(judged, on_wider_band(band, wide, fitted.fields), options);
  if (judge.with(on_wider_band(band, wide, fitted.fields)).worst > options.tolerance)
    SINEW_CHECK(descend(joint, {turns, kRefinedEmphasis, options.steps, kRefinedTolerance}, options, fitted));
  const Modes modes =
      modes_that_matter(body.model(), fitted.fields, fitted.products,
                        kFieldBudget * (options.tolerance - 1) * static_cast<double>(fitted.samples));
  const Ratios bare = judge.bare(), with = judge.with(on_wider_band(band, wide, fields_of(modes)));
  result.figures.bare = bare.worst;
  result.figures.bare_mean = bare.mean;
  result.figures.worst = with.worst;
  result.figures.mean = with.mean;
  result.figures.steps = fitted.steps;
  result.field.mixes = modes.mixes;
  Rounding rounding =
      rounding_of(body.model(), band.fixed, modes, kNoiseBudget * static_cast<double>(fitted.samples));
  result.field.steps = std::move(rounding.steps);
  result.field.fine = std::move(rounding.fine);
  std::vector<Eigen::Index> rows;
  for (std::size_t v = 0; v < band.fixed.size(); ++v)
    if (!band.fixed[v]) {
      result.field.vertices.push_back(band.part.vertices[v]);
      rows.push_back(static_cast<Eigen::Index>(v));
    }
  // From the joint's frame to the world's.
  result.field.values.resize(static_cast<Eigen::Index>(rows.size()), modes.values.cols());
  for (std::size_t v = 0; v < rows.size(); ++v)
    for (Eigen::Index m = 0; m < modes.values.cols(); m += 3)
      result.field.values.row(static_cast<Eigen::Index>(v)).segment<3>(m) =
          (frame.axes.cast<float>() * modes.values.row(rows[v]).segment<3>(m).transpose()).transpose();
  return {};
}

Result<JointResult> solve_flesh(const Body& whole, std::size_t bone, const JointFrame& frame,
                                const FleshOptions& options) {
  const JointBand wide = whole.band(bone, kWeightCut);
  JointResult result{wide.whole, wide.whole, {}, {}, 0};
  if (wide.empty()) return result;
  SINEW_CHECK(solve_weights(whole, wide, frame, options, result));
  if (!(options.tolerance > 0)) return result;
  const JointBand narrow = whole.band(bone, kFieldCut);
  SINEW_CHECK(solve_fields(whole, wide, narrow, frame, options.range_of(bone), options, result));
  return result;
}

}  // namespace

std::vector<Vec3> motion_samples(const MotionRange& range) {
  std::vector<Vec3> samples;
  const auto at = [&](double direction, double swing, double twist) {
    const double angle = std::numbers::pi / 4 * direction;
    samples.push_back(
        {swing * range.swing * std::cos(angle), swing * range.swing * std::sin(angle), twist * range.twist});
  };
  for (int k = 0; k < 8; ++k) {
    at(k, 1, 0);
    at(k + 0.5, 0.65, 0);
    at(k, 0.95, 0.95);
    at(k, 0.95, -0.95);
    at(k + 0.25, 0.5, k % 2 ? -0.7 : 0.7);
    at(k + 0.5, 0.75, k % 4 < 2 ? -0.4 : 0.4);
    at(k + 0.25, 0.3, k % 2 ? -0.25 : 0.25);
    if (k % 2 == 0) at(k, 0.4, 0);
  }
  for (const double twist : {-1.0, -0.5, 0.5, 1.0}) at(0, 0, twist);
  // Between them by the sequence of the generalised golden ratio.
  constexpr double kRatio = 1.2207440846057596;  // x^4 = x + 1
  const auto place = [](std::size_t k, int power) {
    return std::fmod(0.5 + static_cast<double>(k + 1) * std::pow(kRatio, -power), 1.0);
  };
  for (std::size_t k = 0; k < kSpread; ++k) at(8 * place(k, 1), std::sqrt(place(k, 2)), 2 * place(k, 3) - 1);
  return samples;
}

Result<std::size_t> fitted_unknowns(const VoxelGrid& grid, const HandleMap& handles,
                                    std::span<const int> parents, const FleshOptions& options) {
  SINEW_TRY(const GridHarmonic harmonic,
            grid_harmonic(grid, handles, {.tolerance = 1e-4, .progress = options.progress}));
  const std::vector<std::uint8_t> reached = reached_vertices(harmonic);
  const Body whole{grid, handles, parents, harmonic.values, reached, {}};
  std::size_t unknowns = 0;
  for (std::size_t bone = 0; bone < parents.size(); ++bone) {
    if (!options.left_out.empty() && options.left_out[bone]) continue;
    const JointBand band = whole.band(bone, kWeightCut);
    unknowns += static_cast<std::size_t>(std::count(band.fixed.begin(), band.fixed.end(), 0));
  }
  return unknowns;
}

Result<GridFlesh> grid_flesh(const VoxelGrid& grid, const HandleMap& handles, std::span<const Bone> bones,
                             std::span<const int> parents, const FleshOptions& options) {
  SINEW_TRY(const GridHarmonic harmonic,
            grid_harmonic(grid, handles, {.tolerance = 1e-4, .progress = options.progress}));
  GridFlesh flesh;
  flesh.reached = reached_vertices(harmonic);
  flesh.swing.setZero(harmonic.values.rows(), harmonic.values.cols());
  flesh.twist = flesh.swing;
  flesh.fields.resize(bones.size());
  flesh.figures.resize(bones.size());
  const Body whole{grid, handles, parents, harmonic.values, flesh.reached, options.stiffness};
  std::vector<std::size_t> outside(bones.size(), 0);
  std::vector<std::optional<Error>> errors(bones.size());
  const auto is_left_out = [&](std::size_t b) { return !options.left_out.empty() && options.left_out[b]; };
  PieceProgress done(options.progress, "flesh", bones.size());
  std::vector<double> costs;
  for (std::size_t b = 0; b < bones.size(); ++b)
    costs.push_back(is_left_out(b) ? 0 : static_cast<double>(whole.unknowns(b)));
  parallel_each(costs, [&](std::size_t b) {
    if (is_left_out(b)) return;
    auto solved = is_cancelled(options.progress)
                      ? Result<JointResult>(cancelled())
                      : solve_flesh(whole, b, joint_frame(bones, parents, b), options);
    if (!solved.ok()) {
      errors[b] = solved.error();
      return;
    }
    const auto column = static_cast<Eigen::Index>(b);
    flesh.swing.col(column) = solved->swing;
    flesh.twist.col(column) = solved->twist;
    flesh.fields[b] = std::move(solved->field);
    flesh.figures[b] = solved->figures;
    outside[b] = solved->outside;
    done.add();
  });
  for (const auto& error : errors)
    if (error) return *error;
  for (const std::size_t n : outside) flesh.outside += n;
  if (!(options.tolerance > 0)) return flesh;
  const std::vector<JointFrame> frames = joint_frames(bones, parents);
  const FittedJoints joints{flesh.swing, flesh.twist, flesh.fields, frames, options};
  SINEW_TRY(flesh.pairs, solve_pairs(whole, joints, flesh.figures));
  return flesh;
}

}  // namespace sinew
