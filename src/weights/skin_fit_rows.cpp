// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "sinew/core/parallel.h"
#include "sinew/weights/skin_fit.h"
#include "weights/skin_fit_kernel.h"

namespace sinew {

using weights_detail::column_products, weights_detail::padded_frames, weights_detail::residual_column;

namespace {

constexpr std::size_t kRowGrain = 32;
constexpr std::size_t kGainSamples = 64;  // vertices on which a helper is tried
constexpr int kBoundSteps = 4;

}  // namespace

// Costs of a row w of a vertex: w' driven w, and w' idle w where nobody drives helpers.
struct SkinFit::Costs {
  SimplexMatrix driven, idle;  // idle: empty where it is the same, or of no interest
};

// How far each candidate alone would carry a vertex from its shapes: a column each, roots of frame weights in.
class SkinFit::Residuals {
 public:
  explicit Residuals(const SkinFit& fit)
      : fit_(fit),
        stride_(padded_frames(fit.sequence_.frames)),
        columns_(3 * stride_ * kMost),
        shapes_(3 * stride_),
        points_(3 * stride_),
        rested_(3 * stride_),
        products_(kMost, kMost) {}

  // The candidates of a vertex.
  void set(std::size_t vertex) {
    vertex_ = vertex;
    candidates_ = fit_.candidates_[vertex];
    const std::size_t joints = fit_.sequence_.joints;
    for (std::size_t k = 0; k < fit_.sequence_.frames; ++k) {
      put(points_, k, fit_.point(vertex, k));
      put(shapes_, k, fit_.shape(vertex, k));
    }
    used_ = 0;
    driven_.clear();
    idle_.clear();
    for (const std::uint32_t c : candidates_) driven_.push_back(add(fit_.planes_[c], points_));
    for (std::size_t c = 0; c < candidates_.size(); ++c)
      idle_.push_back(candidates_[c] < joints ? c : add_idle(fit_.helpers_[candidates_[c] - joints]));
  }

  // One more, of these planes.
  void add(const SkinHelper& helper, std::span<const double> planes) {
    driven_.push_back(add(planes, points_));
    idle_.push_back(add_idle(helper));
  }

  Costs costs() {
    column_products(columns_.data(), 3 * stride_, used_, kMost, products_.data());
    return {picked(driven_), idle_ == driven_ ? SimplexMatrix() : picked(idle_)};
  }

 private:
  static constexpr std::size_t kMost = 2 * kMostSimplexUnknowns;
  static_assert(kMost % weights_detail::kColumnPack == 0);

  void put(std::vector<double>& planes, std::size_t frame, const Vec3& p) const {
    for (std::size_t c = 0; c < 3; ++c) planes[c * stride_ + frame] = p[static_cast<Eigen::Index>(c)];
  }

  std::size_t add(std::span<const double> planes, const std::vector<double>& points) {
    residual_column(planes.data(), points.data(), shapes_.data(), fit_.roots_.data(), stride_,
                    &columns_[used_ * 3 * stride_]);
    return used_++;
  }

  // The column of a helper that nobody drives. One that rests as in the bind pose moves as its parent, which
  // mostly is a candidate too.
  std::size_t add_idle(const SkinHelper& helper) {
    if (!fit_.options_.idle_frame) return driven_[idle_.size()];
    const Affine3& rest = helper.moves[*fit_.options_.idle_frame];
    const auto parent = std::find(candidates_.begin(), candidates_.end(), helper.parent);
    const double scale = 1 + fit_.sequence_.rest[vertex_].norm();
    if (parent != candidates_.end() && (rest.linear() - Mat3::Identity()).norm() < 1e-6 &&
        rest.translation().norm() < 1e-6 * scale)
      return static_cast<std::size_t>(parent - candidates_.begin());
    for (std::size_t k = 0; k < fit_.sequence_.frames; ++k)
      put(rested_, k, rest * Vec3(points_[k], points_[stride_ + k], points_[2 * stride_ + k]));
    return add(fit_.planes_[helper.parent], rested_);
  }

  SimplexMatrix picked(std::span<const std::size_t> columns) const {
    const auto size = static_cast<Eigen::Index>(columns.size());
    SimplexMatrix part(size, size);
    for (std::size_t a = 0; a < columns.size(); ++a)
      for (std::size_t b = 0; b < columns.size(); ++b)
        part(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) =
            products_(static_cast<Eigen::Index>(std::max(columns[a], columns[b])),
                      static_cast<Eigen::Index>(std::min(columns[a], columns[b])));
    return part;
  }

  const SkinFit& fit_;
  std::size_t stride_;  // of a plane
  std::vector<double> columns_, shapes_, points_, rested_;
  std::size_t used_ = 0;      // columns
  Eigen::MatrixXd products_;  // of columns; the lower half
  std::size_t vertex_ = 0;
  std::span<const std::uint32_t> candidates_;
  std::vector<std::size_t> driven_, idle_;  // the columns of the candidates
};

std::vector<double> SkinFit::planes_of(std::span<const Affine3> moves) const {
  const std::size_t stride = padded_frames(moves.size());
  std::vector<double> planes(12 * stride, 0.0);
  for (std::size_t k = 0; k < moves.size(); ++k)
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 4; ++c)
        planes[(4 * r + c) * stride + k] =
            moves[k].matrix()(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c));
  return planes;
}

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
      residuals.set(i);
      const Costs costs = residuals.costs();
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
  const std::vector<double> planes = planes_of(whole);
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
          residuals.set(i);
          residuals.add(helper, planes);
          const Costs costs = residuals.costs();
          const SimplexVector w = best_row(costs, idle_bound_[i]);
          total += std::max(0.0, cost_[i] - w.dot(costs.driven * w));
        }
        return total;
      },
      [](double a, double b) { return a + b; });
  return sum * static_cast<double>(step);
}

}  // namespace sinew
