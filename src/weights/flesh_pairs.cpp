// SPDX-License-Identifier: Apache-2.0
#include "weights/flesh_pairs.h"

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>

#include "sinew/core/parallel.h"
#include "sinew/solve/lbfgs.h"
#include "sinew/volume/elastic.h"
#include "sinew/weights/held_out_turns.h"
#include "weights/field_modes.h"
#include "weights/least_energies.h"
#include "weights/pair_choice.h"

namespace sinew::weights_detail {
namespace {

constexpr std::size_t kFewest = 8;      // free vertices that are worth a field
constexpr std::size_t kUnseen = 8;      // pairs of rotations by which two joints are judged
constexpr double kPairGrant = 5.0 / 3;  // of what a joint is granted above the elastic body, for two
constexpr double kPairBudget = 0.26;    // as kFieldBudget: more is lost elsewhere
constexpr std::size_t kSamples = 128;   // pairs of rotations to fit
constexpr double kPairShare = 0.4;      // of what the joints' own fields cost

// Pairs of rotations spread over both ranges, by the sequence of the generalised golden ratio.
std::vector<PairTurns> pair_samples(const MotionRange& child, const MotionRange& parent, std::size_t count) {
  constexpr double kRatio = 1.1127756842787055;  // x^7 = x + 1
  std::vector<PairTurns> samples;
  for (std::size_t k = 0; k < count; ++k) {
    std::array<double, 6> u{};
    double step = 1;
    for (double& value : u) {
      step /= kRatio;
      value = std::fmod(0.5 + static_cast<double>(k + 1) * step, 1.0);
    }
    const auto turn = [&](const MotionRange& range, const double* at) {
      const double direction = 2 * std::numbers::pi * at[0], swing = range.swing * std::sqrt(at[1]);
      return Vec3(swing * std::cos(direction), swing * std::sin(direction), range.twist * (2 * at[2] - 1));
    };
    samples.push_back({turn(child, u.data()), turn(parent, u.data() + 3)});
  }
  return samples;
}

// Cells around free vertices, as a grid of their own.
struct FreePart {
  SubGrid part;
  std::vector<std::uint8_t> fixed;
  std::vector<float> stiffness;

  FreePart(const Body& whole, std::span<const std::uint8_t> free) {
    std::vector<std::uint8_t> keep(whole.grid.cell_count(), 0);
    const auto corners = whole.grid.all_cell_vertices();
    for (std::size_t c = 0; c < corners.size(); ++c)
      keep[c] =
          std::any_of(corners[c].begin(), corners[c].end(), [&](std::uint32_t v) { return free[v] != 0; });
    part = select_cells(whole.grid, keep);
    for (const std::uint32_t v : part.vertices) fixed.push_back(!free[v]);
    if (!whole.stiffness.empty())
      for (const std::uint32_t cell : part.cells) stiffness.push_back(whole.stiffness[cell]);
  }
};

std::vector<std::uint8_t> free_vertices(const Body& whole, std::size_t bone, double cut) {
  const JointBand band = whole.band(bone, cut);
  std::vector<std::uint8_t> free(whole.grid.vertex_count(), 0);
  for (std::size_t v = 0; v < band.part.vertices.size(); ++v) free[band.part.vertices[v]] = !band.fixed[v];
  return free;
}

// Two joints: the flesh that either moves, and in it what both do, where their fields lie.
class PairProblem {
 public:
  PairProblem(const Body& whole, const FittedJoints& joints, const JointPair& pair)
      : joints_(joints), pair_(pair) {
    std::vector<std::uint8_t> both = free_vertices(whole, pair.child, kFieldCut),
                              any = free_vertices(whole, pair.child, kWeightCut);
    const std::vector<std::uint8_t> above = free_vertices(whole, pair.parent, kFieldCut),
                                    wide = free_vertices(whole, pair.parent, kWeightCut);
    for (std::size_t v = 0; v < both.size(); ++v) {
      both[v] = both[v] && above[v];
      any[v] = any[v] || wide[v];
      free_ += both[v];
    }
    if (free_ < kFewest) return;
    all_ = std::make_unique<FreePart>(whole, any);
    shared_ = std::make_unique<FreePart>(whole, both);
  }
  bool empty() const { return !shared_; }
  const FreePart& shared() const { return *shared_; }
  const JointPair& pair() const { return pair_; }
  const FleshOptions& options() const { return joints_.options; }
  std::size_t free() const { return free_; }
  // What the fit costs, in vertices of single joints' fits.
  double cost() const {
    return 0.6 * static_cast<double>(shared_->fixed.size()) + 0.1 * static_cast<double>(all_->fixed.size());
  }
  Eigen::VectorXd twist(bool child) const {
    return joints_.twist.col(static_cast<Eigen::Index>(child ? pair_.child : pair_.parent))(
        shared_->part.vertices);
  }
  Result<ElasticBody> body() const {
    return ElasticBody::build(shared_->part.grid, shared_->fixed, shared_->stiffness);
  }

  PairEnergy shared_energy(const ElasticBody& body, std::span<const PairTurns> turns) const {
    return PairEnergy(body.model(), shared_->fixed,
                      joints_.moved(pair_, shared_->part.vertices, body.model().rest(), turns));
  }
  // Energies of all the flesh that either joint moves, without these fields.
  std::vector<double> whole(std::span<const PairTurns> turns) const {
    const Corotational model(all_->part.grid, all_->stiffness);
    PairEnergy all(model, all_->fixed, joints_.moved(pair_, all_->part.vertices, model.rest(), turns));
    return all.energies(nullptr);
  }

 private:
  const FittedJoints& joints_;
  JointPair pair_;
  std::unique_ptr<FreePart> all_, shared_;
  std::size_t free_ = 0;
};

std::vector<PairTurns> unseen_pairs(const PairProblem& problem) {
  const std::vector<Vec3> child =
                              held_out_turns(problem.options().range_of(problem.pair().child), kUnseen, 1000),
                          parent = held_out_turns(problem.options().range_of(problem.pair().parent), kUnseen,
                                                  2000);
  std::vector<PairTurns> turns;
  for (std::size_t k = 0; k < std::min(child.size(), parent.size()); ++k)
    turns.push_back({child[k], parent[k]});
  return turns;
}

// Energies at the rotations by which two joints are judged: of the flesh that fields do not reach, and of all
// without fields and with the best that there could be where both joints move it.
struct Unseen {
  std::vector<double> outside, bare, least;
};

std::vector<double> sums_of(std::vector<double> energies, std::span<const double> outside) {
  for (std::size_t k = 0; k < energies.size(); ++k) energies[k] += outside[k];
  return energies;
}

Unseen unseen_energies(const PairProblem& problem, const ElasticBody& body) {
  const std::vector<PairTurns> turns = unseen_pairs(problem);
  PairEnergy shared = problem.shared_energy(body, turns);
  const std::vector<double> inside = shared.energies(nullptr);
  Unseen unseen{problem.whole(turns), {}, {}};
  unseen.least = least_energies(
      body, shared.posed(), inside.size(),
      {.tolerance = 2 * kJudgeTolerance, .max_iterations = 100, .progress = problem.options().progress});
  for (std::size_t k = 0; k < inside.size(); ++k) {
    unseen.outside[k] -= inside[k];
    unseen.bare.push_back(unseen.outside[k] + inside[k]);
    unseen.least[k] += unseen.outside[k];
  }
  return unseen;
}

double granted_ratio(const FleshOptions& options) {
  return 1 + kPairGrant * (options.tolerance - 1);
}

// By how much fields could lower the energy of two joints at most, and what that costs; nothing where joints
// share no flesh.
struct Judged {
  JointPair pair;
  double gain = 1, cost = 0;
  Unseen unseen;
};
Result<std::optional<Judged>> judge_pair(const Body& whole, const FittedJoints& joints,
                                         const JointPair& pair) {
  const PairProblem problem(whole, joints, pair);
  if (problem.empty() || unseen_pairs(problem).empty()) return std::optional<Judged>();
  SINEW_TRY(const ElasticBody body, problem.body());
  Unseen unseen = unseen_energies(problem, body);
  const Ratios ratios(unseen.bare, unseen.least);
  return std::optional<Judged>({pair, ratios.worst, problem.cost(), std::move(unseen)});
}

struct PairFields {
  Fields fields;
  Eigen::MatrixXd products;
  int steps = 0;
};

// As fit_fields: the sum of ratios, first to the energies without these fields, then to what they leave.
// outside: about what the rest of the flesh costs at every rotation.
PairFields fit_pair(const ElasticBody& body, PairEnergy& samples, double outside, bool child,
                    std::span<const PairTurns> turns, const FleshOptions& options) {
  const std::vector<TurnValues> values = pair_functions(child, turns);
  const auto n = static_cast<Eigen::Index>(body.fixed().size());
  PairFields fitted{Fields::Zero(n, 3 * kTurnFunctions), {}, 0};
  Fields gradient(n, 3 * kTurnFunctions);
  std::vector<double> scales(turns.size());
  LbfgsOptions descent;
  descent.tolerance = kFieldTolerance;
  descent.remembered = kFieldMemory;
  descent.progress = options.progress;
  for (const int steps : {options.steps / 3, options.steps / 6}) {
    const std::vector<double> energies = samples.energies(&fitted.fields);
    for (std::size_t k = 0; k < energies.size(); ++k) scales[k] = 1 / (energies[k] + outside);
    fitted.products = function_products(values, scales);
    const Eigen::MatrixXf inverse =
        fitted.products.ldlt().solve(Eigen::MatrixXd::Identity(kTurnFunctions, kTurnFunctions)).cast<float>();
    descent.max_steps = steps;
    auto found = lbfgs(
        std::move(fitted.fields), [&](const Fields& x) { return samples.evaluate(x, scales, gradient); },
        [&](const Fields&) { return gradient; },
        [&](const Fields& g) { return precondition_fields(body.hierarchy(), inverse, g); }, descent);
    fitted.fields = std::move(found.x);
    fitted.steps += found.steps;
  }
  return fitted;
}

GridField field_of(const Modes& modes, const ElasticBody& body, const FreePart& part, double samples) {
  GridField field;
  std::vector<Eigen::Index> rows;
  for (std::size_t v = 0; v < part.fixed.size(); ++v)
    if (!part.fixed[v]) {
      field.vertices.push_back(part.part.vertices[v]);
      rows.push_back(static_cast<Eigen::Index>(v));
    }
  field.values = modes.values(rows, Eigen::all);
  field.mixes = modes.mixes;
  Rounding rounding = rounding_of(body.model(), part.fixed, modes, kNoiseBudget * samples);
  field.steps = std::move(rounding.steps);
  field.fine = std::move(rounding.fine);
  return field;
}

// A field of the parent, which the child drives too; nothing where it does not help.
Result<std::optional<GridPair>> solve_pair(const Body& whole, const FittedJoints& joints,
                                           const Judged& judged) {
  constexpr bool kOfChild = false;
  const FleshOptions& options = joints.options;
  const JointPair& pair = judged.pair;
  const Unseen& unseen = judged.unseen;
  const PairProblem problem(whole, joints, pair);
  SINEW_TRY(const ElasticBody body, problem.body());
  const std::vector<PairTurns> between = unseen_pairs(problem),
                               turns = pair_samples(options.range_of(pair.child),
                                                    options.range_of(pair.parent), kSamples);
  const auto count = static_cast<double>(turns.size());
  PairEnergy samples = problem.shared_energy(body, turns), judge = problem.shared_energy(body, between);
  samples.drive(kOfChild, problem.twist(kOfChild), turns);
  judge.drive(kOfChild, problem.twist(kOfChild), between);
  const double outside =
      std::accumulate(unseen.outside.begin(), unseen.outside.end(), 0.0) / static_cast<double>(kUnseen);
  const PairFields fitted = fit_pair(body, samples, outside, kOfChild, turns, options);
  if (is_cancelled(options.progress)) return cancelled();
  const Modes modes = modes_that_matter(body.model(), fitted.fields, fitted.products,
                                        kPairBudget * (options.tolerance - 1) * count);
  const Fields fields = fields_of(modes);
  const Ratios before(unseen.bare, unseen.least),
      after(sums_of(judge.energies(&fields), unseen.outside), unseen.least);
  if (modes.mixes.rows() == 0 || after.mean >= before.mean) return std::optional<GridPair>();
  GridPair found{pair.parent, pair.child, field_of(modes, body, problem.shared(), count), {}};
  found.figures = {problem.free(), before.worst, before.mean, after.worst, after.mean, fitted.steps};
  return std::optional<GridPair>(std::move(found));
}

}  // namespace

Result<std::vector<GridPair>> solve_pairs(const Body& whole, const FittedJoints& joints,
                                          std::span<const FleshFigures> figures) {
  std::vector<JointPair> pairs;
  double granted = 0;
  for (std::size_t b = 0; b < figures.size(); ++b) {
    granted += kPairShare * static_cast<double>(figures[b].unknowns);
    if (const int above = whole.parents[b];
        above >= 0 && figures[b].unknowns > 0 && figures[static_cast<std::size_t>(above)].unknowns > 0)
      pairs.push_back({b, static_cast<std::size_t>(above)});
  }
  std::vector<std::optional<Error>> errors(pairs.size());
  const auto each = [&](std::span<const double> costs, const auto& solve) -> Result<void> {
    parallel_each(costs, [&](std::size_t k) {
      const Result<void> solved =
          is_cancelled(joints.options.progress) ? Result<void>(cancelled()) : solve(k);
      if (!solved.ok()) errors[k] = solved.error();
    });
    for (const auto& error : errors)
      if (error) return *error;
    return {};
  };
  std::vector<std::optional<Judged>> judged(pairs.size());
  std::vector<double> costs;
  for (const JointPair& pair : pairs)
    costs.push_back(static_cast<double>(figures[pair.child].unknowns + figures[pair.parent].unknowns));
  SINEW_CHECK(each(costs, [&](std::size_t k) -> Result<void> {
    SINEW_TRY(judged[k], judge_pair(whole, joints, pairs[k]));
    return {};
  }));
  std::vector<Judged> wanted;
  std::vector<PairOffer> offers;
  for (auto& one : judged) {
    if (!one) continue;
    offers.push_back({one->pair.child, one->gain, one->cost});
    wanted.push_back(std::move(*one));
  }
  const std::vector<std::uint8_t> taken =
      affordable(offers, whole.parents, granted_ratio(joints.options), granted);
  std::vector<std::optional<GridPair>> solved(wanted.size());
  costs.clear();
  for (const Judged& one : wanted) costs.push_back(one.cost);
  SINEW_CHECK(each(costs, [&](std::size_t k) -> Result<void> {
    if (!taken[k]) return {};
    SINEW_TRY(solved[k], solve_pair(whole, joints, wanted[k]));
    return {};
  }));
  std::vector<GridPair> found;
  for (std::optional<GridPair>& one : solved)
    if (one) found.push_back(std::move(*one));
  return found;
}

}  // namespace sinew::weights_detail
