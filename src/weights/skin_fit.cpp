// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/skin_fit.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "sinew/core/parallel.h"
#include "sinew/math/rotation_fit.h"
#include "weights/skin_fit_kernel.h"

namespace sinew {
namespace {

constexpr std::size_t kFitGrain = 32;
constexpr std::size_t kFrameGrain = 16;
constexpr std::size_t kFewJoints = 12;  // all of them are tried for every vertex
constexpr int kSeedTries = 6;
// Vertices that a helper may carry, for each that it is first fitted to; and as many as it always may.
constexpr std::size_t kSeedReach = 12, kSeedLeast = 2000;

std::optional<Affine3> undone(const Affine3& move) {
  const Mat3 inverse = move.linear().inverse();
  if (!inverse.allFinite() || !((move.linear() * inverse - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-6))
    return std::nullopt;
  Affine3 back = Affine3::Identity();
  back.linear() = inverse;
  back.translation() = -(inverse * move.translation());
  return back;
}

// Sums of the rigid fit of one frame: weights w of points p whose images, times w, are y.
struct RigidSums {
  double weight = 0;
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  Mat3 cross = Mat3::Zero();

  void add(double w, const Vec3& p, const Vec3& y) {
    weight += w * w;
    from += w * w * p;
    to += w * y;
    cross += w * y * p.transpose();
  }
  // As if points of that weight, spread evenly about a centre, were to stay where a move puts them.
  void hold(double much, const Affine3& move, const Vec3& centre, double spread) {
    const Vec3 there = move * centre;
    weight += much;
    from += much * centre;
    to += much * there;
    cross += much * (there * centre.transpose() + spread / 3 * move.linear());
  }
  // The rigid move that fits best; `start` where there is nothing to fit.
  Affine3 move(const Affine3& start) const {
    if (!(weight > 1e-12)) return start;
    const Vec3 p = from / weight, q = to / weight;
    const Quat rotation = fit_rotation(cross - weight * q * p.transpose(), Quat(start.linear()));
    Affine3 found = Affine3::Identity();
    found.linear() = rotation.toRotationMatrix();
    found.translation() = q - found.linear() * p;
    return found.matrix().allFinite() ? found : start;
  }
};

}  // namespace

void SkinFit::set_morphs(std::vector<SkinMorph> morphs) {
  sequence_.morphs = std::move(morphs);
  morphs_of_.assign(sequence_.vertices(), {});
  for (std::uint32_t m = 0; m < sequence_.morphs.size(); ++m)
    for (std::size_t i = 0; i < sequence_.vertices(); ++i)
      if (sequence_.morphs[m].deltas[i] != Vec3f::Zero()) morphs_of_[i].push_back(m);
}

Result<SkinFit> SkinFit::build(SkinSequence sequence, const SkinWeights& start, const SkinFitOptions& options,
                               std::vector<SkinHelper> helpers) {
  const std::size_t n = sequence.vertices();
  if (sequence.frames == 0 || sequence.joints == 0 || n == 0)
    return usage_error("skinning is fitted to shapes: give at least one frame, joint and vertex");
  if (sequence.moves.size() != sequence.joints * sequence.frames ||
      sequence.shapes.size() != n * sequence.frames || start.vertex_count() != n ||
      (!sequence.frame_weights.empty() && sequence.frame_weights.size() != sequence.frames) ||
      (!sequence.parents.empty() && sequence.parents.size() != sequence.joints) ||
      (!options.fixed.empty() && options.fixed.size() != n) || options.influences < 1 ||
      options.idle_frame.value_or(0) >= sequence.frames)
    return usage_error("the sizes of the sequence do not fit together");
  for (const SkinMorph& morph : sequence.morphs)
    if (morph.deltas.size() != n || morph.weights.size() != sequence.frames)
      return usage_error("a morph of the sequence has another number of vertices or frames");
  for (const Influence& entry : start.entries)
    if (entry.joint >= sequence.joints + helpers.size())
      return usage_error("a weight names a joint that the sequence lacks");
  SkinFit fit;
  fit.sequence_ = std::move(sequence);
  fit.options_ = options;
  fit.options_.candidates = std::min<std::size_t>(options.candidates, kMostSimplexUnknowns);
  fit.set_morphs(std::move(fit.sequence_.morphs));
  fit.helpers_ = std::move(helpers);
  for (std::size_t j = 0; j < fit.sequence_.joints; ++j)
    fit.planes_.push_back(fit.planes_of(fit.moves_of(j)));
  fit.planes_.resize(fit.sequence_.joints + fit.helpers_.size());
  fit.helper_moves_.assign(fit.helpers_.size(), std::vector<Affine3>(fit.sequence_.frames));
  for (std::size_t h = 0; h < fit.helpers_.size(); ++h) {
    if (fit.helpers_[h].moves.size() != fit.sequence_.frames ||
        fit.helpers_[h].parent >= fit.sequence_.joints)
      return usage_error("a helper has another number of frames, or no parent");
    fit.set_moves(h, std::move(fit.helpers_[h].moves));
  }
  for (std::size_t k = 0; k < fit.sequence_.frames; ++k)
    fit.roots_.push_back(
        std::sqrt(fit.sequence_.frame_weights.empty() ? 1.0 : fit.sequence_.frame_weights[k]));
  fit.roots_.resize(weights_detail::padded_frames(fit.sequence_.frames), 0.0);
  fit.choose_candidates(start);
  fit.cost_.assign(n, 0);
  std::vector<std::uint32_t> all(n);
  std::iota(all.begin(), all.end(), 0u);
  fit.measure(all);
  fit.idle_bound_ = fit.cost_;
  return fit;
}

void SkinFit::choose_candidates(const SkinWeights& start) {
  const std::size_t n = sequence_.vertices();
  std::vector<std::vector<std::uint32_t>> neighbours(sequence_.joints);
  for (std::uint32_t j = 0; j < sequence_.parents.size(); ++j)
    if (const int parent = sequence_.parents[j]; parent >= 0) {
      neighbours[j].push_back(static_cast<std::uint32_t>(parent));
      neighbours[static_cast<std::size_t>(parent)].push_back(j);
    }
  candidates_.resize(n);
  rows_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = start.row(i);
    double sum = 0;
    for (const Influence& entry : row) sum += entry.weight;
    if (!(sum > 0)) continue;
    for (const Influence& entry : row) rows_[i].push_back({entry.joint, entry.weight / sum});
    if (!options_.fixed.empty() && options_.fixed[i]) continue;
    std::vector<std::uint32_t>& own = candidates_[i];
    const auto add = [&](std::uint32_t j) {
      if (std::find(own.begin(), own.end(), j) == own.end()) own.push_back(j);
    };
    for (const Influence& entry : row) add(entry.joint);
    for (const Influence& entry : row)
      if (entry.joint < sequence_.joints)
        for (const std::uint32_t j : neighbours[entry.joint]) add(j);
    if (sequence_.joints <= kFewJoints)
      for (std::uint32_t j = 0; j < sequence_.joints; ++j) add(j);
    const std::size_t most = std::max(options_.candidates, std::min<std::size_t>(row.size(), 16));
    if (own.size() > most) own.resize(most);  // strongest joints and what hangs on them first
  }
}

Affine3 SkinFit::move(std::size_t joint, std::size_t frame) const {
  return moves_of(joint)[frame];
}

std::span<const Affine3> SkinFit::moves_of(std::size_t joint) const {
  if (joint < sequence_.joints) return {&sequence_.moves[joint * sequence_.frames], sequence_.frames};
  return helper_moves_[joint - sequence_.joints];
}

Affine3 SkinFit::blend(std::size_t vertex, std::size_t frame) const {
  Affine3 sum;
  sum.matrix().setZero();
  for (const Influence& entry : rows_[vertex])
    sum.matrix() += entry.weight * moves_of(entry.joint)[frame].matrix();
  return sum;
}

Vec3 SkinFit::point(std::size_t vertex, std::size_t frame) const {
  Vec3 p = sequence_.rest[vertex];
  for (const std::uint32_t m : morphs_of_[vertex])
    p += sequence_.morphs[m].weights[frame] * sequence_.morphs[m].deltas[vertex].cast<double>();
  return p;
}

void SkinFit::measure(std::span<const std::uint32_t> vertices) {
  parallel_for(vertices.size(), kFitGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const std::size_t i = vertices[v];
      double sum = 0;
      for (std::size_t k = 0; k < sequence_.frames && !rows_[i].empty(); ++k)
        sum += roots_[k] * roots_[k] * (blend(i, k) * point(i, k) - shape(i, k)).squaredNorm();
      cost_[i] = sum;
    }
  });
}

void SkinFit::fit_moves(std::size_t helper, double hold, std::size_t from) {
  const auto joint = static_cast<std::uint32_t>(sequence_.joints + helper);
  struct Carried {
    std::uint32_t vertex;
    double weight;
  };
  std::vector<Carried> carried;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (const Influence& entry : rows_[i])
      if (entry.joint == joint) carried.push_back({static_cast<std::uint32_t>(i), entry.weight});
  if (carried.empty()) return;
  SkinHelper& own = helpers_[helper];
  Vec3 centre = Vec3::Zero();  // of what it carries, and how far that spreads
  double spread = 0, total = 0;
  for (const Carried& entry : carried) {
    total += entry.weight * entry.weight;
    centre += entry.weight * entry.weight * sequence_.rest[entry.vertex];
  }
  centre /= total;
  for (const Carried& entry : carried)
    spread += entry.weight * entry.weight * (sequence_.rest[entry.vertex] - centre).squaredNorm() / total;
  parallel_for(sequence_.frames - from, kFrameGrain, [&](std::size_t first, std::size_t last) {
    const std::size_t begin = from + first, end = from + last;
    std::vector<RigidSums> sums(end - begin);
    std::vector<std::optional<Affine3>> back(end - begin);
    for (std::size_t k = begin; k < end; ++k) back[k - begin] = undone(moves_of(own.parent)[k]);
    for (const Carried& entry : carried)
      for (std::size_t k = begin; k < end; ++k) {
        if (!back[k - begin]) continue;
        const Vec3 p = point(entry.vertex, k);
        Vec3 left = shape(entry.vertex, k);
        for (const Influence& other : rows_[entry.vertex])
          if (other.joint != joint) left -= other.weight * (moves_of(other.joint)[k] * p);
        const Affine3& to_parent = *back[k - begin];
        sums[k - begin].add(entry.weight, p,
                            to_parent.linear() * left + entry.weight * to_parent.translation());
      }
    for (std::size_t k = begin; k < end; ++k)
      if (back[k - begin]) {
        sums[k - begin].hold(hold * total, own.moves[k], centre, spread);
        own.moves[k] = sums[k - begin].move(own.moves[k]);
      }
  });
  set_moves(helper, std::move(own.moves));
}

void SkinFit::set_moves(std::size_t helper, std::vector<Affine3> moves) {
  helpers_[helper].moves = std::move(moves);
  std::vector<Affine3>& whole = helper_moves_[helper];
  for (std::size_t k = 0; k < sequence_.frames; ++k)
    whole[k] = moves_of(helpers_[helper].parent)[k] * helpers_[helper].moves[k];
  planes_[sequence_.joints + helper] = planes_of(whole);
}

void SkinFit::refine(std::span<const std::size_t> helpers, int rounds) {
  std::vector<std::uint32_t> vertices;
  for (const std::size_t h : helpers) {
    const auto more = reach(sequence_.joints + h);
    vertices.insert(vertices.end(), more.begin(), more.end());
  }
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  const auto sum = [&] {
    double total = 0;
    for (const std::uint32_t i : vertices) total += cost_[i];
    return total;
  };
  double before = sum();
  for (int round = 0; round < rounds; ++round) {
    const auto old_helpers = helpers_;
    const auto old_moves = helper_moves_;
    for (const std::size_t h : helpers) fit_moves(h);
    fit_weights(vertices);
    const double after = sum();
    if (after > before) {  // under scales that are not even the closed form is not the best
      helpers_ = old_helpers;
      helper_moves_ = old_moves;
      for (const std::size_t h : helpers) planes_[sequence_.joints + h] = planes_of(helper_moves_[h]);
      fit_weights(vertices);
      break;
    }
    if (after > before * (1 - 1e-4)) break;
    before = after;
  }
}

std::vector<std::uint32_t> SkinFit::reach(std::size_t joint) const {
  std::vector<std::uint32_t> vertices;
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    if (std::find(candidates_[i].begin(), candidates_[i].end(), joint) != candidates_[i].end())
      vertices.push_back(static_cast<std::uint32_t>(i));
  return vertices;
}

std::size_t SkinFit::add_helper(SkinHelper helper, std::span<const std::uint32_t> vertices) {
  const std::size_t h = helpers_.size();
  helpers_.push_back(std::move(helper));
  helper_moves_.emplace_back(sequence_.frames);
  planes_.emplace_back();
  set_moves(h, std::move(helpers_[h].moves));
  for (const std::uint32_t i : vertices)
    if (!candidates_[i].empty() && candidates_[i].size() < kMostSimplexUnknowns)
      candidates_[i].push_back(static_cast<std::uint32_t>(sequence_.joints + h));
  fit_weights(vertices);
  return h;
}

SkinHelper SkinFit::helper_of(std::span<const std::uint32_t> cluster, std::size_t parent) const {
  SkinHelper helper{parent, std::vector<Affine3>(sequence_.frames, Affine3::Identity())};
  for (std::size_t k = 0; k < sequence_.frames; ++k) {
    const auto back = undone(moves_of(parent)[k]);
    if (!back) continue;
    RigidSums sums;
    for (const std::uint32_t i : cluster) sums.add(1, point(i, k), *back * shape(i, k));
    helper.moves[k] = sums.move(Affine3::Identity());
  }
  return helper;
}

SkinFit::Seed SkinFit::find_seed() const {
  std::vector<std::uint8_t> taken(rows_.size());
  const std::size_t size = std::clamp<std::size_t>(rows_.size() / 60, 6, 200);
  Seed best;
  for (int tries = 0; tries < kSeedTries; ++tries) {
    std::size_t worst = rows_.size();
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (!taken[i] && !candidates_[i].empty() && cost_[i] > 0 &&
          (worst == rows_.size() || cost_[i] > cost_[worst]))
        worst = i;
    if (worst == rows_.size()) break;
    std::vector<std::uint32_t> cluster;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (!candidates_[i].empty()) cluster.push_back(static_cast<std::uint32_t>(i));
    const auto nearer = [&](std::uint32_t a, std::uint32_t b) {
      const double da = (sequence_.rest[a] - sequence_.rest[worst]).squaredNorm(),
                   db = (sequence_.rest[b] - sequence_.rest[worst]).squaredNorm();
      return da < db || (da == db && a < b);
    };
    const std::size_t count = std::min(size, cluster.size());
    std::nth_element(cluster.begin(), cluster.begin() + static_cast<std::ptrdiff_t>(count - 1), cluster.end(),
                     nearer);
    cluster.resize(count);
    std::sort(cluster.begin(), cluster.end());
    for (const std::uint32_t i : cluster) taken[i] = 1;
    taken[worst] = 1;
    std::size_t parent = candidates_[worst][0];
    for (const Influence& entry : rows_[worst])
      if (entry.joint < sequence_.joints) {
        parent = entry.joint;
        break;
      }
    Seed seed{helper_of(cluster, parent), {}, 0};
    for (const Influence& entry : rows_[worst]) {
      const auto more = reach(entry.joint);
      seed.vertices.insert(seed.vertices.end(), more.begin(), more.end());
    }
    std::sort(seed.vertices.begin(), seed.vertices.end());
    seed.vertices.erase(std::unique(seed.vertices.begin(), seed.vertices.end()), seed.vertices.end());
    // It is made for a place: what lies far from there would only take time.
    if (const std::size_t most = std::max(kSeedReach * count, kSeedLeast); seed.vertices.size() > most) {
      std::nth_element(seed.vertices.begin(), seed.vertices.begin() + static_cast<std::ptrdiff_t>(most),
                       seed.vertices.end(), nearer);
      seed.vertices.resize(most);
      std::sort(seed.vertices.begin(), seed.vertices.end());
    }
    seed.gain = gain(seed.helper, seed.vertices);
    if (seed.gain > best.gain) best = std::move(seed);
  }
  return best;
}

SkinWeights SkinFit::weights() const {
  SkinWeights weights;
  weights.offsets.push_back(0);
  for (const Row& row : rows_) weights.add_row(row);
  return weights;
}

double SkinFit::squared_error() const {
  double total = 0;
  for (const double cost : cost_) total += cost;
  return total;
}

double SkinFit::rms() const {
  double frames = 0;
  for (const double root : roots_) frames += root * root;
  return std::sqrt(squared_error() / std::max(frames * static_cast<double>(rows_.size()), 1e-300));
}

Result<SkinFit> decompose_skin(SkinSequence sequence, const SkinWeights& start,
                               const DecomposeOptions& options, std::vector<double>* errors) {
  SINEW_TRY(SkinFit fit, SkinFit::build(std::move(sequence), start, {options.influences, 10, {}}));
  fit.fit_weights();
  if (errors) errors->push_back(fit.rms());
  std::vector<std::size_t> helpers;
  for (std::size_t h = 0; h < options.helpers; ++h) {
    if (is_cancelled(options.progress)) return cancelled();
    report(options.progress, "fitting helpers",
           static_cast<double>(h) / static_cast<double>(options.helpers));
    SkinFit::Seed seed = fit.find_seed();
    if (seed.vertices.empty()) break;
    const std::size_t added = fit.add_helper(std::move(seed.helper), seed.vertices);
    helpers.push_back(added);
    fit.refine(std::span(&added, 1), options.rounds);
    fit.refine(helpers, 1);  // six take 2.5 times as long on an arm, for 11 % less error
    if (errors) errors->push_back(fit.rms());
  }
  return fit;
}

}  // namespace sinew
