// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/morph_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"

namespace sinew {
namespace {

constexpr std::size_t kMorphGrain = 64;
constexpr double kMorphRidge = 0.05;    // of the mean square of turn functions
constexpr double kBlendDamping = 0.02;  // where a blend of matrices collapses it hides what morphs do
constexpr int kMorphRounds = 3;
constexpr int kBoxSweeps = 60;

using TurnMatrix = Eigen::Matrix<double, static_cast<int>(kTurnFunctions), static_cast<int>(kTurnFunctions)>;
using TurnVector = Eigen::Matrix<double, static_cast<int>(kTurnFunctions), 1>;

double frame_weight(const SkinFit& fit, std::size_t k) {
  return fit.sequence().frame_weights.empty() ? 1.0 : fit.sequence().frame_weights[k];
}

// What a fit leaves, [i * frames + k], turned back into bind space.
std::vector<Vec3f> bind_space_rest(const SkinFit& fit) {
  const std::size_t frames = fit.sequence().frames, n = fit.sequence().vertices();
  std::vector<Vec3f> left(n * frames, Vec3f::Zero());
  parallel_for(n, kMorphGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t k = 0; k < frames && !fit.row(i).empty(); ++k) {
        const Affine3 blend = fit.blend(i, k);
        const Vec3 off = fit.shape(i, k) - blend * fit.point(i, k);
        const Mat3 square = blend.linear().transpose() * blend.linear() + kBlendDamping * Mat3::Identity();
        left[i * frames + k] = (square.inverse() * (blend.linear().transpose() * off)).cast<float>();
      }
  });
  return left;
}

// The mode of one joint that explains most of what is left.
struct BestMode {
  double gain = 0;
  TurnMix mix{};
};

class ModeFinder {
 public:
  ModeFinder(const SkinFit& fit, std::span<const std::vector<TurnValues>> values, std::vector<Vec3f>& left,
             std::size_t free)
      : fit_(fit), values_(values), left_(left), free_(free) {
    regions_.resize(values.size());
    for (std::size_t j = 0; j < values.size(); ++j) regions_[j] = fit.reach(j);
  }

  const std::vector<std::uint32_t>& region(std::size_t joint) const { return regions_[joint]; }

  BestMode best(std::size_t joint) const {
    const std::vector<std::uint32_t>& region = regions_[joint];
    const std::size_t frames = fit_.sequence().frames;
    TurnMatrix square = TurnMatrix::Zero();
    std::vector<std::size_t> active;
    for (std::size_t k = 0; k < frames; ++k) {
      const TurnVector f = functions(joint, k);
      if (f.squaredNorm() < 1e-12) continue;
      active.push_back(k);
      square += weight(k) * f * f.transpose();
    }
    const double size = square.trace() / static_cast<double>(kTurnFunctions);
    if (active.empty() || region.empty() || !(size > 0)) return {};
    square.diagonal().array() += kMorphRidge * size;
    const Eigen::LLT<TurnMatrix> factor(square);
    const TurnMatrix gram = parallel_reduce(
        region.size(), kMorphGrain, TurnMatrix(TurnMatrix::Zero()),
        [&](std::size_t begin, std::size_t end) {
          TurnMatrix sum = TurnMatrix::Zero();
          for (std::size_t v = begin; v < end; ++v) {
            Eigen::Matrix<double, static_cast<int>(kTurnFunctions), 3> product;
            product.setZero();
            for (const std::size_t k : active)
              product +=
                  weight(k) * functions(joint, k) * left_[region[v] * frames + k].cast<double>().transpose();
            sum += product * product.transpose();
          }
          return sum;
        },
        [](const TurnMatrix& a, const TurnMatrix& b) { return TurnMatrix(a + b); });
    TurnMatrix reduced = factor.matrixL().solve(gram);
    reduced = factor.matrixL().solve(TurnMatrix(reduced.transpose()));
    const Eigen::SelfAdjointEigenSolver<TurnMatrix> modes(0.5 * (reduced + reduced.transpose()));
    const int last = static_cast<int>(kTurnFunctions) - 1;
    TurnVector mix = factor.matrixU().solve(TurnVector(modes.eigenvectors().col(last)));
    // The side of the mode that explains more, with a weight of at most 1 in the frames at hand.
    BestMode found;
    double largest = 0, sign = 1;
    for (const double side : {1.0, -1.0}) {
      const auto [gain, most] = gain_of(side * mix, joint, active);
      if (gain <= found.gain) continue;
      found.gain = gain;
      largest = most;
      sign = side;
    }
    if (!(largest > 0)) return {};
    mix *= sign / largest;
    for (std::size_t f = 0; f < kTurnFunctions; ++f)
      found.mix[f] = static_cast<float>(mix[static_cast<Eigen::Index>(f)]);
    return found;
  }

 private:
  // How much of what is left the best target takes away where it is switched on by the positive part of a mix,
  // and the largest value of that.
  std::pair<double, double> gain_of(const TurnVector& mix, std::size_t joint,
                                    std::span<const std::size_t> active) const {
    const std::size_t frames = fit_.sequence().frames;
    std::vector<std::pair<std::size_t, double>> on;
    double square = 0, most = 0;
    for (const std::size_t k : active)
      if (const double w = mix.dot(functions(joint, k)); w > 0) {
        on.emplace_back(k, weight(k) * w);
        square += weight(k) * w * w;
        most = std::max(most, w);
      }
    if (!(square > 0)) return {0, 0};
    const std::vector<std::uint32_t>& region = regions_[joint];
    const double sum = parallel_reduce(
        region.size(), kMorphGrain, 0.0,
        [&](std::size_t begin, std::size_t end) {
          double part = 0;
          for (std::size_t v = begin; v < end; ++v) {
            Vec3 delta = Vec3::Zero();
            for (const auto& [k, w] : on) delta += w * left_[region[v] * frames + k].cast<double>();
            part += delta.squaredNorm();
          }
          return part;
        },
        [](double a, double b) { return a + b; });
    return {sum / square, most};
  }

  // Keyed frames need no driver: they tell which shape is missing, but count no more than others.
  double weight(std::size_t k) const { return k < free_ ? frame_weight(fit_, k) : 1.0; }
  TurnVector functions(std::size_t joint, std::size_t k) const {
    return Eigen::Map<const TurnVector>(values_[joint][k].data());
  }

  const SkinFit& fit_;
  std::span<const std::vector<TurnValues>> values_;
  std::vector<Vec3f>& left_;
  std::size_t free_;  // the first keyed frame
  std::vector<std::vector<std::uint32_t>> regions_;
};

using Weights = std::vector<std::vector<double>>;  // [morph][frame]

Weights driven_weights(std::span<const DrivenMorph> morphs, std::span<const std::vector<TurnValues>> values,
                       std::size_t frames) {
  Weights weights;
  for (const DrivenMorph& morph : morphs) {
    std::vector<double>& own = weights.emplace_back(frames);
    for (std::size_t k = 0; k < frames; ++k)
      own[k] = morph_weight(morph.driver, values[morph.driver.joint][k]);
  }
  return weights;
}

// Shapes for given weights, one morph after the other at every vertex of its support.
void fit_shapes(const SkinFit& fit, const Weights& weights, std::vector<DrivenMorph>& morphs, int rounds) {
  const std::size_t frames = fit.sequence().frames, n = fit.sequence().vertices();
  parallel_for(n, kMorphGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Mat3> linear(frames);
    std::vector<Vec3> off(frames);
    for (std::size_t i = begin; i < end; ++i) {
      std::vector<std::size_t> own;
      for (std::size_t m = 0; m < morphs.size(); ++m)
        if (morphs[m].deltas[i] != Vec3f::Zero()) own.push_back(m);
      if (own.empty() || fit.row(i).empty()) continue;
      for (std::size_t k = 0; k < frames; ++k) {
        const Affine3 blend = fit.blend(i, k);
        Vec3 moved = fit.point(i, k);
        for (const std::size_t m : own) moved += weights[m][k] * morphs[m].deltas[i].cast<double>();
        linear[k] = blend.linear();
        off[k] = fit.shape(i, k) - blend * moved;
      }
      for (int round = 0; round < rounds; ++round)
        for (const std::size_t m : own) {
          Mat3 square = Mat3::Zero();
          Vec3 right = Vec3::Zero();
          for (std::size_t k = 0; k < frames; ++k) {
            const double w = weights[m][k], much = frame_weight(fit, k);
            if (w == 0) continue;
            square += much * w * w * (linear[k].transpose() * linear[k]);
            right += much * w * (linear[k].transpose() * off[k]);
          }
          const double trace = square.trace();
          if (!(trace > 0)) continue;
          square += 1e-6 * trace * Mat3::Identity();
          const Vec3f before = morphs[m].deltas[i];
          const Vec3f after = before + Vec3(square.ldlt().solve(right)).cast<float>();
          if (!after.allFinite() || after == Vec3f::Zero()) continue;
          morphs[m].deltas[i] = after;
          const Vec3 change = (after - before).cast<double>();
          for (std::size_t k = 0; k < frames; ++k) off[k] -= weights[m][k] * (linear[k] * change);
        }
    }
  });
}

void drop_small(std::span<const Weights::value_type> weights, double least,
                std::vector<DrivenMorph>& morphs) {
  for (std::size_t m = 0; m < morphs.size(); ++m) {
    double largest = 0;
    for (const double w : weights[m]) largest = std::max(largest, std::abs(w));
    for (Vec3f& delta : morphs[m].deltas)
      if (largest * static_cast<double>(delta.norm()) < least) delta.setZero();
  }
}

}  // namespace

Weights fit_morph_weights(const SkinFit& fit, std::span<const DrivenMorph> morphs, const Weights& start,
                          double hold, std::size_t from) {
  const std::size_t frames = fit.sequence().frames, count = morphs.size();
  Weights weights = start;
  if (count == 0 || from >= frames) return weights;
  std::vector<std::uint32_t> moved;
  for (std::size_t i = 0; i < fit.sequence().vertices(); ++i)
    if (std::any_of(morphs.begin(), morphs.end(),
                    [&](const DrivenMorph& morph) { return morph.deltas[i] != Vec3f::Zero(); }))
      moved.push_back(static_cast<std::uint32_t>(i));
  parallel_for(frames - from, 2, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = from + begin; k < from + end; ++k) {
      Eigen::MatrixXd square =
          Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(count));
      Eigen::VectorXd right = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(count));
      std::vector<std::pair<Eigen::Index, Vec3>> own;
      for (const std::uint32_t i : moved) {
        if (fit.row(i).empty()) continue;
        const Affine3 blend = fit.blend(i, k);
        Vec3 point = fit.point(i, k);
        own.clear();
        for (std::size_t m = 0; m < count; ++m) {
          const Vec3f& delta = morphs[m].deltas[i];
          if (delta == Vec3f::Zero()) continue;
          own.emplace_back(static_cast<Eigen::Index>(m), blend.linear() * delta.cast<double>());
          point += start[m][k] * delta.cast<double>();
        }
        const Vec3 off = fit.shape(i, k) - blend * point;
        for (const auto& [a, da] : own) {
          right[a] += da.dot(off);
          for (const auto& [b, db] : own) square(a, b) += da.dot(db);
        }
      }
      for (Eigen::Index m = 0; m < right.size(); ++m) square(m, m) = square(m, m) * (1 + hold) + 1e-300;
      if (!square.allFinite() || !right.allFinite()) continue;
      // Least squares within 0 and 1, one weight after the other.
      for (int sweep = 0; sweep < kBoxSweeps; ++sweep)
        for (std::size_t m = 0; m < count; ++m) {
          const auto own_row = static_cast<Eigen::Index>(m);
          double& w = weights[m][k];
          const double next = std::clamp(w + right[own_row] / square(own_row, own_row), 0.0, 1.0);
          right -= (next - w) * square.col(own_row);
          w = next;
        }
    }
  });
  return weights;
}

std::vector<DrivenMorph> fit_morphs(const SkinFit& fit, std::span<const std::vector<TurnValues>> values,
                                    const MorphFitOptions& options) {
  const std::size_t frames = fit.sequence().frames, n = fit.sequence().vertices();
  std::vector<Vec3f> left = bind_space_rest(fit);
  const std::size_t from = frames - std::min(options.free_frames, frames);
  const ModeFinder finder(fit, values, left, from);
  std::vector<BestMode> modes(values.size());
  std::vector<std::uint8_t> stale(values.size(), 1), changed(n, 0);
  std::vector<DrivenMorph> morphs;
  while (morphs.size() < options.morphs && !is_cancelled(options.progress)) {
    report(options.progress, "fitting morph targets",
           static_cast<double>(morphs.size()) / static_cast<double>(options.morphs));
    std::size_t best = 0;
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (is_cancelled(options.progress)) return morphs;
      if (stale[j]) modes[j] = finder.best(j);
      stale[j] = 0;
      if (modes[j].gain > modes[best].gain) best = j;
    }
    if (values.empty() || !(modes[best].gain > 1e-6 * options.least * options.least)) break;
    DrivenMorph morph{std::vector<Vec3f>(n, Vec3f::Zero()),
                      {static_cast<std::uint32_t>(best), modes[best].mix}};
    std::vector<double> weights(frames);
    double square = 0;
    for (std::size_t k = 0; k < frames; ++k) {
      weights[k] = morph_weight(morph.driver, values[best][k]);
      square += frame_weight(fit, k) * weights[k] * weights[k];
    }
    if (!(square > 0)) break;
    double largest = 0;
    for (const double w : weights) largest = std::max(largest, std::abs(w));
    std::fill(changed.begin(), changed.end(), 0);
    for (const std::uint32_t i : finder.region(best)) {
      Vec3 sum = Vec3::Zero();
      for (std::size_t k = 0; k < frames; ++k)
        if (weights[k] != 0) sum += frame_weight(fit, k) * weights[k] * left[i * frames + k].cast<double>();
      const Vec3f delta = (sum / square).cast<float>();
      if (largest * static_cast<double>(delta.norm()) < 0.5 * options.least) continue;
      morph.deltas[i] = delta;
      changed[i] = 1;
      for (std::size_t k = 0; k < frames; ++k) left[i * frames + k] -= static_cast<float>(weights[k]) * delta;
    }
    modes[best].gain = 0;
    if (std::find(changed.begin(), changed.end(), 1) == changed.end()) {
      if (std::all_of(modes.begin(), modes.end(), [](const BestMode& mode) { return !(mode.gain > 0); }))
        break;
      continue;
    }
    morphs.push_back(std::move(morph));
    for (std::size_t j = 0; j < values.size(); ++j)
      stale[j] = std::any_of(finder.region(j).begin(), finder.region(j).end(),
                             [&](std::uint32_t i) { return changed[i] != 0; });
  }
  left.clear();
  left.shrink_to_fit();
  Weights weights = driven_weights(morphs, values, frames);
  for (int round = 0; round < kMorphRounds && !is_cancelled(options.progress); ++round) {
    weights = fit_morph_weights(fit, morphs, weights, 0.02, from);
    fit_shapes(fit, weights, morphs, 2);
    if (round + 2 == kMorphRounds) drop_small(weights, options.least, morphs);
  }
  return morphs;
}

}  // namespace sinew
