// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/flesh.h"

#include <Eigen/Eigenvalues>
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
#include "weights/joint_band.h"

namespace sinew {
namespace {

using weights_detail::joint_band, weights_detail::JointBand;

constexpr double kFieldTolerance = 2e-3;  // of the descent: the energy is flat at its minimum
constexpr double kJudgeTolerance = 1e-3;  // of the elastic body beside which a joint is judged
constexpr double kFieldSolve = 0.1;       // of the metric's solves: directions
constexpr int kFieldSolveIterations = 2;
constexpr double kFieldBudget = 0.05;   // of what is granted above the body's energy: for functions left out
constexpr double kFieldDamping = 1e-3;  // of functions that the samples can hardly tell apart
constexpr double kWeightCut = 1e-3;     // harmonic weights this near to 0 or 1 count as that
constexpr double kFieldCut = 1e-2;      // the same for fields, which fade out sooner

using Fields = Eigen::Matrix<double, Eigen::Dynamic, 3 * kTurnFunctions, Eigen::RowMajor>;

// One joint of the body, turned alone. All positions are in the joint's frame, which energies do not notice:
// there a twist turns x and y.
class JointFlesh {
 public:
  JointFlesh(std::span<const std::uint8_t> fixed, const JointFrame& frame, const Corotational& model,
             const Eigen::VectorXd& swing, const Eigen::VectorXd& twist)
      : fixed_(fixed),
        model_(model),
        swing_(swing),
        twist_(twist),
        rest_((model.rest().rowwise() - frame.origin.transpose()) * frame.axes) {}

  // A rotation of the joint, with what each vertex's share of its twist is.
  struct Sample {
    explicit Sample(const Vec3& turn, const Eigen::VectorXd& shares) : parts(turn) {
      const double angle = std::hypot(turn.x(), turn.y());
      const Vec3 axis = angle > 0 ? Vec3(turn.x() / angle, turn.y() / angle, 0) : Vec3(Vec3::UnitX());
      swing = Eigen::AngleAxisd(angle, axis).toRotationMatrix() - Mat3::Identity();
      cosine = (turn.z() * shares.array()).cos();
      sine = (turn.z() * shares.array()).sin();
    }
    TurnParts parts;
    Mat3 swing;  // less the identity
    Eigen::VectorXd cosine, sine;
  };
  Sample sample(const Vec3& turn) const { return Sample(turn, twist_); }

  // Positions of the band; `fields` may be null.
  void pose(const Sample& sample, const Fields* fields, GridPositions& v) const {
    v.resize(rest_.rows(), 3);
    for (Eigen::Index i = 0; i < v.rows(); ++i) {
      const double c = sample.cosine[i], s = sample.sine[i];
      Vec3 x = rest_.row(i).transpose();
      if (fields && is_free(i)) {
        const TurnValues amounts = sample.parts.values(c, s);
        const double* row = fields->row(i).data();
        for (std::size_t f = 0; f < kTurnFunctions; ++f)
          for (std::size_t k = 0; k < 3; ++k) x[static_cast<Eigen::Index>(k)] += amounts[f] * row[3 * f + k];
      }
      const Vec3 turned(c * x.x() - s * x.y(), s * x.x() + c * x.y(), x.z());
      v.row(i) = (turned + swing_[i] * (sample.swing * turned)).transpose();
    }
  }

  // Adds `scale` times what a force on the posed vertices is to the fields.
  void add_gradient(const Sample& sample, const GridPositions& force, double scale, Fields& gradient) const {
    const Mat3 back = sample.swing.transpose();
    for (Eigen::Index i = 0; i < force.rows(); ++i) {
      if (!is_free(i)) continue;
      const double c = sample.cosine[i], s = sample.sine[i];
      const Vec3 f = scale * force.row(i).transpose();
      const Vec3 turned = f + swing_[i] * (back * f);
      const std::array<double, 3> own{c * turned.x() + s * turned.y(), c * turned.y() - s * turned.x(),
                                      turned.z()};
      const TurnValues amounts = sample.parts.values(c, s);
      double* row = gradient.row(i).data();
      for (std::size_t q = 0; q < kTurnFunctions; ++q)
        for (std::size_t k = 0; k < 3; ++k) row[3 * q + k] += amounts[q] * own[k];
    }
  }

  bool is_free(Eigen::Index i) const { return !fixed_[static_cast<std::size_t>(i)]; }
  const Corotational& model() const { return model_; }

 private:
  std::span<const std::uint8_t> fixed_;
  const Corotational& model_;
  const Eigen::VectorXd &swing_, &twist_;
  GridPositions rest_;
};

// How the functions go together over the samples: the fields' part of the metric.
Eigen::MatrixXd function_products(std::span<const Vec3> samples, std::span<const double> scales) {
  Eigen::MatrixXd products = Eigen::MatrixXd::Zero(kTurnFunctions, kTurnFunctions);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const TurnValues values = turn_functions(samples[k]);
    const Eigen::Map<const Eigen::VectorXd> row(values.data(), kTurnFunctions);
    products += scales[k] * row * row.transpose();
  }
  return products;
}

// The functions that matter: dropping all others costs together less than `budget` of the samples' energy.
std::vector<std::uint8_t> functions_that_matter(const Corotational& model, const Fields& fields,
                                                const Eigen::MatrixXd& products, double budget) {
  std::vector<std::pair<double, std::uint8_t>> costs;
  for (std::size_t f = 0; f < kTurnFunctions; ++f) {
    const auto at = static_cast<Eigen::Index>(f);
    const GridPositions field = fields.middleCols<3>(3 * at);
    costs.push_back({0.5 * products(at, at) * field.cwiseProduct(model.matrix() * field).sum(),
                     static_cast<std::uint8_t>(f)});
  }
  std::sort(costs.begin(), costs.end());
  std::vector<std::uint8_t> kept;
  double spent = 0;
  for (const auto& [cost, f] : costs) {
    spent += cost;
    if (spent > budget) kept.push_back(f);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

struct FittedFields {
  Fields fields;
  Eigen::MatrixXd products;  // of the functions, over the samples
  std::size_t samples = 0;
  int steps = 0;
};

Result<FittedFields> fit_fields(const JointFlesh& joint, const Multigrid& hierarchy,
                                const FleshOptions& options) {
  const std::vector<Vec3> turns = motion_samples(options.range);
  std::vector<JointFlesh::Sample> samples;
  for (const Vec3& turn : turns) samples.push_back(joint.sample(turn));
  const Corotational& model = joint.model();
  const Eigen::Index n = model.rest().rows();
  GridPositions v, pull;
  CellRotations rotations;
  std::vector<double> scales;
  for (const JointFlesh::Sample& sample : samples) {
    joint.pose(sample, nullptr, v);
    const double energy = model.energy(v);
    scales.push_back(energy > 0 ? 1 / energy : 0);
  }
  Eigen::MatrixXd products = function_products(turns, scales);
  products.diagonal() *= 1 + kFieldDamping;
  const Eigen::MatrixXd inverse =
      products.ldlt().solve(Eigen::MatrixXd::Identity(products.rows(), products.cols()));
  Fields gradient(n, 3 * kTurnFunctions);
  const auto evaluate = [&](const Fields& fields) {
    gradient.setZero();
    double sum = 0;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      joint.pose(samples[k], &fields, v);
      model.fit(v, rotations);
      sum += scales[k] * model.energy(v, rotations);
      model.pull(rotations, pull);
      pull = model.matrix() * v - pull;
      joint.add_gradient(samples[k], pull, scales[k], gradient);
    }
    return sum;
  };
  const auto precondition = [&](const Fields& g) {
    const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(n, g.cols());
    const Eigen::MatrixXd solved = hierarchy.solve(g, zero, kFieldSolve, kFieldSolveIterations).x;
    Fields d = Fields::Zero(n, g.cols());
    for (Eigen::Index i = 0; i < n; ++i) {
      const Eigen::Matrix<double, kTurnFunctions, 3> mixed =
          inverse * Eigen::Matrix<double, kTurnFunctions, 3, Eigen::RowMajor>::Map(
                        Eigen::RowVectorXd(solved.row(i)).data());
      for (std::size_t f = 0; f < kTurnFunctions; ++f)
        d.row(i).segment<3>(static_cast<Eigen::Index>(3 * f)) = mixed.row(static_cast<Eigen::Index>(f));
    }
    return d;
  };
  LbfgsOptions descent;
  descent.tolerance = kFieldTolerance;
  descent.max_steps = options.steps;
  descent.progress = options.progress;
  auto best = lbfgs(
      Fields(Fields::Zero(n, 3 * kTurnFunctions)), evaluate, [&](const Fields&) { return gradient; },
      precondition, descent);
  if (is_cancelled(options.progress)) return cancelled();
  return FittedFields{std::move(best.x), std::move(products), turns.size(), best.steps};
}

// Rotations between the samples, by which a joint is judged.
std::vector<Vec3> unseen_turns(const MotionRange& range) {
  std::vector<Vec3> turns;
  constexpr std::array<std::array<double, 3>, 6> kPlaces{{{17, 0.95, 0},
                                                          {140, 0.75, 0.7},
                                                          {263, 0.9, -0.7},
                                                          {75, 0.5, 0.3},
                                                          {200, 0.7, -0.2},
                                                          {320, 0.95, 0.9}}};
  for (const auto& [degrees, swing, twist] : kPlaces) {
    const double angle = std::numbers::pi / 180 * degrees;
    turns.push_back(
        {swing * range.swing * std::cos(angle), swing * range.swing * std::sin(angle), twist * range.twist});
  }
  return turns;
}

// Energies over those of the elastic body at rotations between the samples; `fields` may be null.
void judge(const ElasticBody& body, const JointFlesh& joint, const Fields* fields,
           const FleshOptions& options, FleshFigures& figures) {
  figures.mean = 0;
  figures.worst = 1;
  if (!fields) figures.bare_mean = 0;
  const std::vector<Vec3> turns = unseen_turns(options.range);
  const auto count = static_cast<double>(turns.size());
  for (const Vec3& turn : turns) {
    GridPositions start;
    joint.pose(joint.sample(turn), fields, start);
    const auto solved = body.minimise(
        start, {.tolerance = kJudgeTolerance, .max_iterations = 60, .progress = options.progress});
    const double ratio = solved.energy > 0 ? solved.history[0] / solved.energy : 1;
    figures.worst = std::max(figures.worst, ratio);
    figures.mean += ratio / count;
  }
  if (fields) return;
  figures.bare = figures.worst;
  figures.bare_mean = figures.mean;
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

// What is known of the whole body.
struct Body {
  const VoxelGrid& grid;
  const HandleMap& handles;
  std::span<const int> parents;
  const Eigen::MatrixXd& harmonic;
  std::span<const std::uint8_t> reached;
  std::span<const float> stiffness;

  JointBand band(std::size_t bone, double cut) const {
    return joint_band(grid, handles, bones_below(parents, bone), harmonic, reached, cut);
  }
  std::vector<float> stiffness_of(const JointBand& band) const {
    std::vector<float> values;
    if (!stiffness.empty())
      for (const std::uint32_t cell : band.part.cells) values.push_back(stiffness[cell]);
    return values;
  }
};

Result<void> solve_weights(const Body& whole, const JointBand& band, const JointFrame& frame,
                           const FleshOptions& options, JointResult& result) {
  const Corotational model(band.part.grid, whole.stiffness_of(band));
  DescentOptions descent;
  descent.progress = options.progress;
  SINEW_TRY(GridWeight swing, energy_minimising_weight(model, band.fixed, band.start, frame.origin,
                                                       swing_samples(frame), descent));
  const std::array<double, 2> angles{std::numbers::pi / 2, -std::numbers::pi / 2};
  SINEW_TRY(GridWeight twist, spherical_twist_weight(model, band.fixed, band.start, frame.origin,
                                                     frame.axes.col(2), angles, descent));
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

Result<void> solve_fields(const Body& whole, const JointBand& band, const JointFrame& frame,
                          const FleshOptions& options, JointResult& result) {
  SINEW_TRY(const ElasticBody body, ElasticBody::build(band.part.grid, band.fixed, whole.stiffness_of(band)));
  const Eigen::VectorXd swing = result.swing(band.part.vertices), twist = result.twist(band.part.vertices);
  const JointFlesh joint(band.fixed, frame, body.model(), swing, twist);
  judge(body, joint, nullptr, options, result.figures);
  if (result.figures.bare <= options.tolerance) return {};  // composed joints do
  SINEW_TRY(FittedFields fitted, fit_fields(joint, body.hierarchy(), options));
  Fields& fields = fitted.fields;
  result.figures.steps = fitted.steps;
  result.field.functions =
      functions_that_matter(body.model(), fields, fitted.products,
                            kFieldBudget * (options.tolerance - 1) * static_cast<double>(fitted.samples));
  for (std::uint8_t f = 0; f < kTurnFunctions; ++f)
    if (!std::binary_search(result.field.functions.begin(), result.field.functions.end(), f))
      fields.middleCols<3>(3 * f).setZero();
  judge(body, joint, &fields, options, result.figures);
  std::vector<Eigen::Index> rows;
  for (std::size_t v = 0; v < band.fixed.size(); ++v)
    if (!band.fixed[v]) {
      result.field.vertices.push_back(band.part.vertices[v]);
      rows.push_back(static_cast<Eigen::Index>(v));
    }
  // From the joint's frame to the world's.
  result.field.values.resize(static_cast<Eigen::Index>(rows.size()), fields.cols());
  for (std::size_t v = 0; v < rows.size(); ++v)
    for (Eigen::Index f = 0; f < fields.cols(); f += 3)
      result.field.values.row(static_cast<Eigen::Index>(v)).segment<3>(f) =
          (frame.axes * fields.row(rows[v]).segment<3>(f).transpose()).transpose().cast<float>();
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
  if (!narrow.empty()) SINEW_CHECK(solve_fields(whole, narrow, frame, options, result));
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
    at(k, 0.5, 0);
    at(k, 0.9, k % 2 ? 0.9 : -0.9);
    at(k, 0.5, k % 2 ? -0.7 : 0.7);
  }
  for (const double twist : {-1.0, -0.5, 0.5, 1.0}) at(0, 0, twist);
  return samples;
}

Result<GridFlesh> grid_flesh(const VoxelGrid& grid, const HandleMap& handles, std::span<const Bone> bones,
                             std::span<const int> parents, const FleshOptions& options) {
  SINEW_TRY(const GridHarmonic harmonic,
            grid_harmonic(grid, handles, {.tolerance = 1e-4, .progress = options.progress}));
  GridFlesh flesh;
  flesh.reached.resize(grid.vertex_count());
  for (std::size_t v = 0; v < flesh.reached.size(); ++v)
    flesh.reached[v] = harmonic.values.row(static_cast<Eigen::Index>(v)).sum() > 0.5;
  flesh.swing.resize(harmonic.values.rows(), harmonic.values.cols());
  flesh.twist = flesh.swing;
  flesh.fields.resize(bones.size());
  flesh.figures.resize(bones.size());
  const Body whole{grid, handles, parents, harmonic.values, flesh.reached, options.stiffness};
  std::vector<std::size_t> outside(bones.size(), 0);
  std::vector<std::optional<Error>> errors(bones.size());
  PieceProgress done(options.progress, "flesh", bones.size());
  // A piece of this loop is one joint, for any number of threads.
  parallel_for(bones.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      auto solved = is_cancelled(options.progress)
                        ? Result<JointResult>(cancelled())
                        : solve_flesh(whole, b, joint_frame(bones, parents, b), options);
      if (!solved.ok()) {
        errors[b] = solved.error();
        continue;
      }
      const auto column = static_cast<Eigen::Index>(b);
      flesh.swing.col(column) = solved->swing;
      flesh.twist.col(column) = solved->twist;
      flesh.fields[b] = std::move(solved->field);
      flesh.figures[b] = solved->figures;
      outside[b] = solved->outside;
      done.add();
    }
  });
  for (const auto& error : errors)
    if (error) return *error;
  for (const std::size_t n : outside) flesh.outside += n;
  return flesh;
}

}  // namespace sinew
