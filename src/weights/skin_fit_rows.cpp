// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "sinew/core/parallel.h"
#include "sinew/weights/skin_fit.h"

namespace sinew {
namespace {

constexpr std::size_t kRowGrain = 32;
constexpr std::size_t kGainSamples = 64;  // vertices on which a helper is tried
constexpr int kBoundSteps = 4;

constexpr auto kSame = [] {
  std::array<std::size_t, kMostSimplexUnknowns> numbers{};
  for (std::size_t c = 0; c < numbers.size(); ++c) numbers[c] = c;
  return numbers;
}();

}  // namespace

// Costs of a row w of a vertex: w' driven w, and w' idle w where nobody drives helpers.
struct SkinFit::Costs {
  SimplexMatrix driven, idle;  // idle: empty where it is the same, or of no interest
};

// How far each candidate alone would carry a vertex from its shapes: a column each, roots of frame weights in.
class SkinFit::Residuals {
 public:
  explicit Residuals(const SkinFit& fit)
      : fit_(fit), columns_(static_cast<Eigen::Index>(3 * fit.sequence_.frames), 2 * kMostSimplexUnknowns) {}

  // `extra`: one more candidate, and its moves with its parent's.
  Costs costs(std::size_t vertex, std::span<const std::uint32_t> candidates,
              const SkinHelper* extra = nullptr, std::span<const Affine3> extra_moves = {}) {
    const std::size_t frames = fit_.sequence_.frames, joints = fit_.sequence_.joints;
    points_.resize(frames);
    for (std::size_t k = 0; k < frames; ++k) points_[k] = fit_.point(vertex, k);
    for (std::size_t c = 0; c < candidates.size(); ++c)
      fill(vertex, c, fit_.moves_of(candidates[c]), points_);
    const std::size_t count = candidates.size() + (extra ? 1 : 0);
    if (extra) fill(vertex, count - 1, extra_moves, points_);
    std::size_t more = count;
    std::array<std::size_t, kMostSimplexUnknowns>
        idle{};  // the column of each candidate where nobody drives it
    for (std::size_t c = 0; c < count; ++c) {
      idle[c] = c;
      const bool is_joint = c < candidates.size() && candidates[c] < joints;
      if (fit_.options_.idle_frame && !is_joint)
        idle[c] = idle_column(vertex, c < candidates.size() ? fit_.helpers_[candidates[c] - joints] : *extra,
                              candidates, more);
    }
    const auto used = columns_.leftCols(static_cast<Eigen::Index>(more));
    all_.setZero(used.cols(), used.cols());
    all_.selfadjointView<Eigen::Lower>().rankUpdate(used.adjoint());
    all_.triangularView<Eigen::StrictlyUpper>() = all_.transpose();
    const auto size = static_cast<Eigen::Index>(count);
    Costs costs{all_.topLeftCorner(size, size), {}};
    if (std::equal(idle.begin(), idle.begin() + static_cast<std::ptrdiff_t>(count), kSame.begin()))
      return costs;
    costs.idle.resize(size, size);
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = 0; b < count; ++b)
        costs.idle(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) =
            all_(static_cast<Eigen::Index>(idle[a]), static_cast<Eigen::Index>(idle[b]));
    return costs;
  }

 private:
  // A helper that rests as in the bind pose moves as its parent, which mostly is a candidate too.
  std::size_t idle_column(std::size_t vertex, const SkinHelper& helper,
                          std::span<const std::uint32_t> candidates, std::size_t& more) {
    const Affine3& rest = helper.moves[*fit_.options_.idle_frame];
    const auto parent = std::find(candidates.begin(), candidates.end(), helper.parent);
    const double scale = 1 + fit_.sequence_.rest[vertex].norm();
    if (parent != candidates.end() && (rest.linear() - Mat3::Identity()).norm() < 1e-6 &&
        rest.translation().norm() < 1e-6 * scale)
      return static_cast<std::size_t>(parent - candidates.begin());
    rested_.clear();
    for (const Vec3& p : points_) rested_.push_back(rest * p);
    fill(vertex, more, fit_.moves_of(helper.parent), rested_);
    return more++;
  }

  void fill(std::size_t vertex, std::size_t column, std::span<const Affine3> moves,
            std::span<const Vec3> points) {
    const Vec3f* shapes = &fit_.sequence_.shapes[vertex * fit_.sequence_.frames];
    double* out = columns_.col(static_cast<Eigen::Index>(column)).data();
    for (std::size_t k = 0; k < moves.size(); ++k, out += 3)
      Eigen::Map<Vec3>{out} = fit_.roots_[k] * (moves[k] * points[k] - shapes[k].cast<double>());
  }

  const SkinFit& fit_;
  Eigen::MatrixXd columns_, all_;
  std::vector<Vec3> points_, rested_;
};

// The best row whose idle cost is within the bound. Without a limit to the number of influences it is the
// minimum of driven + lambda * idle for one lambda, which is what is searched here.
SimplexVector SkinFit::best_row(const Costs& costs, double bound) const {
  SimplexVector best = simplex_minimum(costs.driven, options_.influences);
  if (costs.idle.size() == 0) return best;
  const auto is_within = [&](const SimplexVector& w) { return w.dot(costs.idle * w) <= bound * (1 + 1e-9); };
  if (is_within(best)) return best;
  const auto minimum = [&](double lambda) {
    return simplex_minimum(SimplexMatrix((costs.driven + lambda * costs.idle) / (1 + lambda)),
                           options_.influences);
  };
  double low = 0, high = 1.0 / 16;
  for (best = minimum(high); !is_within(best) && high < 1e6; best = minimum(high)) {
    low = high;
    high *= 8;
  }
  for (int step = 0; step < kBoundSteps; ++step) {
    const double middle = low > 0 ? std::sqrt(low * high) : high / 8;
    if (SimplexVector w = minimum(middle); is_within(w)) {
      high = middle;
      best = w;
    } else {
      low = middle;
    }
  }
  return best;
}

void SkinFit::fit_weights() {
  std::vector<std::uint32_t> all(sequence_.vertices());
  std::iota(all.begin(), all.end(), 0u);
  fit_weights(all);
}

void SkinFit::fit_weights(std::span<const std::uint32_t> vertices) {
  parallel_for(vertices.size(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    Residuals residuals(*this);
    for (std::size_t v = begin; v < end; ++v) {
      const std::size_t i = vertices[v];
      const std::span<const std::uint32_t> own = candidates_[i];
      if (own.empty()) continue;
      const Costs costs = residuals.costs(i, own);
      const SimplexMatrix& G = costs.driven;
      const SimplexVector found = best_row(costs, idle_bound_[i]);
      SimplexVector before = SimplexVector::Zero(G.rows());
      for (const Influence& entry : rows_[i])
        for (std::size_t c = 0; c < own.size(); ++c)
          if (own[c] == entry.joint) before[static_cast<Eigen::Index>(c)] = entry.weight;
      const double old_cost = before.dot(G * before), new_cost = found.dot(G * found);
      cost_[i] = old_cost;
      if (helpers_.empty()) idle_bound_[i] = std::max(idle_bound_[i], new_cost);
      if (rows_[i].size() <= options_.influences && !(new_cost < old_cost)) continue;
      cost_[i] = new_cost;
      rows_[i].clear();
      for (std::size_t c = 0; c < own.size(); ++c)
        if (const double w = found[static_cast<Eigen::Index>(c)]; w > 0) rows_[i].push_back({own[c], w});
      std::stable_sort(rows_[i].begin(), rows_[i].end(),
                       [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
    }
  });
}

double SkinFit::gain(const SkinHelper& helper, std::span<const std::uint32_t> vertices) const {
  if (vertices.empty()) return 0;
  std::vector<Affine3> whole(sequence_.frames);
  for (std::size_t k = 0; k < whole.size(); ++k) whole[k] = moves_of(helper.parent)[k] * helper.moves[k];
  const std::size_t step = std::max<std::size_t>(1, vertices.size() / kGainSamples);
  const std::size_t count = (vertices.size() + step - 1) / step;
  const double sum = parallel_reduce(
      count, 8, 0.0,
      [&](std::size_t begin, std::size_t end) {
        Residuals residuals(*this);
        double total = 0;
        for (std::size_t v = begin; v < end; ++v) {
          const std::size_t i = vertices[v * step];
          if (candidates_[i].empty() || candidates_[i].size() + 1 > kMostSimplexUnknowns) continue;
          const Costs costs = residuals.costs(i, candidates_[i], &helper, whole);
          const SimplexVector w = best_row(costs, idle_bound_[i]);
          total += std::max(0.0, cost_[i] - w.dot(costs.driven * w));
        }
        return total;
      },
      [](double a, double b) { return a + b; });
  return sum * static_cast<double>(step);
}

}  // namespace sinew
