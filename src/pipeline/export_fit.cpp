// SPDX-License-Identifier: Apache-2.0
#include "pipeline/export_fit.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>

#include "pipeline/export_places.h"
#include "pipeline/progress_part.h"
#include "sinew/core/parallel.h"
#include "sinew/math/svd.h"

namespace sinew {
namespace {

constexpr std::size_t kRangePoses = 880, kClipPoses = 160;
constexpr double kSampleBytes = 1.5e9;  // of shapes that are held at once
// A mesh of few triangles is fitted to a share of the poses: it shows less of what more of them tell.
constexpr std::size_t kFewTriangles = 1000;
constexpr double kFewPoses = 0.25;
constexpr double kClipShare = 0.5;  // of the weight of all frames, where there are clips
constexpr double kTurnGain = 0.01;  // of the error: below, no joint with a share of a turn is worth it
constexpr double kSeedGain = 1e-3;
constexpr double kDriverRidge = 0.05;  // of the mean square of turn functions
constexpr double kLeastDelta = 1e-4;   // of the diagonal
constexpr double kNothing = 1e-6;      // of the diagonal: what floats leave of linear blending
constexpr int kHelperRounds = 4;
constexpr double kSampled = 0.08, kHelped = 0.65;  // of the time of a fit

// Shares of a joint's swing and twist that a helper may have.
constexpr double kShares[][2] = {{0, 0.5}, {0.5, 0.5}, {0, 0.25}, {0, 0.75}, {0.25, 0.25}, {0.75, 0.75}};

using MoveNumbers = Eigen::Matrix<double, 6, 1>;

// The axes of a parent must be at right angles and of one length, or parts of glTF nodes cannot say what a
// helper does.
bool may_carry(const Affine3& bind) {
  const Mat3 square = bind.linear().transpose() * bind.linear();
  const double size = square.trace() / 3;
  return size > 1e-20 && (square - size * Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-3 * size;
}

double share_quantile(std::vector<float>& values, double share) {
  if (values.empty()) return 0;
  const auto place =
      std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(place), values.end());
  return static_cast<double>(values[place]);
}

class ExportFitter {
 public:
  ExportFitter(ExportSource& source, const ExportRequest& request) : source_(source), request_(request) {}

  Result<FittedExport> run() {
    SINEW_CHECK(sample());
    SINEW_CHECK(add_helpers());
    drive_helpers();
    SINEW_CHECK(add_morphs());
    result_.weights = places_.all(fit_->weights());
    for (DrivenMorph& morph : result_.morphs) morph.deltas = places_.all(morph.deltas);
    return std::move(result_);
  }

 private:
  struct TurnCandidate {
    HelperDriver driver;
    std::vector<std::uint32_t> vertices;
    double gain = 0;
    std::size_t known = 0;  // helpers when the gain was found
  };

  Result<void> sample() {
    const double bytes = static_cast<double>(source_.rig.mesh.vertex_count()) * sizeof(Vec3f);
    const bool few = triangulate(source_.rig.mesh).triangles.size() < kFewTriangles;
    const double wanted = (few ? kFewPoses : 1.0) * static_cast<double>(kRangePoses + kClipPoses);
    const auto most = static_cast<std::size_t>(std::clamp(kSampleBytes / bytes, 32.0, wanted));
    SINEW_TRY(std::vector<Pose> moving, clip_poses(source_.rig, request_.clips, request_.fps, false,
                                                   most * kClipPoses / (kRangePoses + kClipPoses)));
    std::vector<Pose> poses = range_poses(source_, 0, most - moving.size());
    const double rest = static_cast<double>(poses.size());
    const std::size_t rest_frame = poses.size() - 1;
    clip_frames_ = moving.size();
    poses.insert(poses.end(), moving.begin(), moving.end());
    const Progress part = progress_part(request_.progress, 0, kSampled);
    SINEW_TRY(SkinSequence sequence, sampled(source_, poses, &part));
    sequence.frame_weights.assign(poses.size(), 1);
    for (std::size_t k = poses.size() - clip_frames_; k < poses.size(); ++k)
      sequence.frame_weights[k] = kClipShare / (1 - kClipShare) * rest / static_cast<double>(clip_frames_);
    moves_.resize(poses.size());
    values_.assign(source_.bone_parents.size(), std::vector<TurnValues>(poses.size(), TurnValues{}));
    for (std::size_t k = 0; k < poses.size(); ++k) {
      moves_[k] = source_.moves(source_.matrices(poses[k]));
      for (std::size_t j = 0; j < values_.size(); ++j)
        if (source_.bone_parents[j] >= 0 && !moves_[k][j].still)  // turning a root changes nothing
          values_[j][k] = turn_functions(source_.range.clamp(moves_[k][j].turn));
    }
    places_ = export_places(sequence, source_.rig.weights, source_.fixed);
    SINEW_TRY(SkinFit fit,
              SkinFit::build(places_.one_each(std::move(sequence)), places_.one_each(source_.rig.weights),
                             {request_.influences, 10, places_.one_each(source_.fixed), rest_frame}));
    fit_ = std::move(fit);
    report(request_.progress, "fitting weights", kSampled);
    fit_->fit_weights();
    if (is_cancelled(request_.progress)) return cancelled();
    result_.helper_errors.push_back(fit_->rms() / source_.diagonal);
    return {};
  }

  std::vector<Affine3> driven(const HelperDriver& driver) const {
    std::vector<Affine3> moves;
    for (const std::vector<JointMove>& frame : moves_)
      moves.push_back(helper_move(driver, source_.frames[driver.joint], frame[driver.joint], source_.range));
    return moves;
  }

  std::vector<TurnCandidate> turn_candidates() const {
    std::vector<TurnCandidate> candidates;
    for (std::uint32_t j = 0; j < source_.bone_parents.size(); ++j) {
      const int above = source_.bone_parents[j];
      if (above < 0 || !may_carry(source_.bind[static_cast<std::size_t>(above)])) continue;
      const std::vector<std::uint32_t> a = fit_->reach(j), b = fit_->reach(static_cast<std::size_t>(above));
      std::vector<std::uint32_t> both;
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
      double left = 0;  // nobody gains more than there is
      for (const std::uint32_t i : both) left += fit_->squared_error(i);
      for (const auto& share : kShares)
        candidates.push_back({{j, share[0], share[1], {}, Vec3::Zero()}, both, left, kNever});
    }
    return candidates;
  }

  // The best share of a turn; gains only fall as helpers come, so that old ones are bounds.
  TurnCandidate* best_turn(std::vector<TurnCandidate>& candidates) const {
    TurnCandidate* best = nullptr;
    const double least = kTurnGain * fit_->squared_error();
    for (;;) {
      best = nullptr;
      for (TurnCandidate& candidate : candidates)
        if (candidate.gain >= least && (!best || candidate.gain > best->gain)) best = &candidate;
      if (!best || best->known == fit_->helpers().size() || is_cancelled(request_.progress)) return best;
      best->gain = fit_->gain({parent_of(best->driver), driven(best->driver)}, best->vertices);
      best->known = fit_->helpers().size();
    }
  }

  std::size_t parent_of(const HelperDriver& driver) const {
    return static_cast<std::size_t>(source_.bone_parents[driver.joint]);
  }

  Result<void> add_helpers() {
    std::vector<TurnCandidate> candidates = turn_candidates();
    while (result_.helpers.size() < request_.helpers && !is_good() &&
           fit_->rms() > kNothing * source_.diagonal) {
      if (is_cancelled(request_.progress)) return cancelled();
      report(request_.progress, "fitting helpers",
             kSampled + (kHelped - kSampled) * static_cast<double>(result_.helpers.size()) /
                            static_cast<double>(request_.helpers));
      if (TurnCandidate* turn = best_turn(candidates)) {
        if (is_cancelled(request_.progress)) return cancelled();
        fit_->add_helper({parent_of(turn->driver), driven(turn->driver)}, turn->vertices);
        result_.helpers.push_back({parent_of(turn->driver), turn->driver});
        turn->gain = 0;
      } else if (!add_fitted()) {
        break;
      }
      result_.helper_errors.push_back(fit_->rms() / source_.diagonal);
    }
    return {};
  }

  bool add_fitted() {
    SkinFit::Seed seed = fit_->find_seed();
    if (seed.vertices.empty() || seed.gain < kSeedGain * fit_->squared_error() ||
        seed.helper.parent >= source_.frames.size() || !may_carry(source_.bind[seed.helper.parent]))
      return false;
    const std::size_t parent = seed.helper.parent;
    const std::size_t added = fit_->add_helper(std::move(seed.helper), seed.vertices);
    fit_->refine(std::span(&added, 1), kHelperRounds);
    result_.helpers.push_back({parent, {}});
    free_.push_back(added);
    return true;
  }

  // Functions of one joint's turn for helpers that were fitted freely; keyed frames stay free.
  void drive_helpers() {
    for (const std::size_t h : free_) {
      FittedHelper& helper = result_.helpers[h];
      helper.driver = fitted_driver(h);
      std::vector<Affine3> moves = driven(helper.driver);
      const std::vector<Affine3>& own = fit_->helpers()[h].moves;
      std::copy(own.end() - static_cast<std::ptrdiff_t>(clip_frames_), own.end(),
                moves.end() - static_cast<std::ptrdiff_t>(clip_frames_));
      fit_->set_moves(h, std::move(moves));
    }
    fit_->fit_weights();
    const std::size_t from = moves_.size() - clip_frames_;
    for (int round = 0; round < 2 && clip_frames_ > 0; ++round) {
      for (const std::size_t h : free_) fit_->fit_moves(h, 0.02, from);
      fit_->fit_weights();
    }
  }

  HelperDriver fitted_driver(std::size_t h) const {
    const std::size_t parent = result_.helpers[h].parent;
    HelperDriver best;
    best.centre = centre_of(h);
    std::vector<MoveNumbers> numbers;
    for (const Affine3& move : fit_->helpers()[h].moves) numbers.push_back(move_numbers(move, best.centre));
    double least = -1;
    for (std::uint32_t j = 0; j < source_.bone_parents.size(); ++j) {
      const int above = source_.bone_parents[j];
      const bool near = j == parent || above == static_cast<int>(parent) ||
                        source_.bone_parents[parent] == static_cast<int>(j);
      if (!near || above < 0) continue;
      std::vector<TurnMix> mixes(6);
      const double left = regress(j, numbers, mixes);
      if (least >= 0 && left >= least) continue;
      least = left;
      best.joint = j;
      best.mixes = mixes;
    }
    if (best.mixes.empty()) {  // nothing near turns
      best.joint = static_cast<std::uint32_t>(parent);
      best.mixes.assign(6, TurnMix{});
    }
    return best;
  }

  Vec3 centre_of(std::size_t h) const {
    Vec3 sum = Vec3::Zero();
    double total = 0;
    for (std::size_t i = 0; i < fit_->sequence().vertices(); ++i)
      for (const Influence& entry : fit_->row(i))
        if (entry.joint == fit_->sequence().joints + h) {
          sum += entry.weight * source_.rig.mesh.positions[places_.representative[i]];
          total += entry.weight;
        }
    return total > 0 ? Vec3(sum / total) : Vec3(source_.frames[result_.helpers[h].parent].origin);
  }

  // Least squares of six numbers on the turn functions of a joint; what it leaves is returned, turns measured
  // on a tenth of the diagonal. All frames count alike: those of clips, which are keyed, need no driver.
  double regress(std::uint32_t joint, std::span<const MoveNumbers> numbers,
                 std::vector<TurnMix>& mixes) const {
    constexpr int kCount = static_cast<int>(kTurnFunctions);
    Eigen::Matrix<double, kCount, kCount> square = Eigen::Matrix<double, kCount, kCount>::Zero();
    Eigen::Matrix<double, kCount, 6> right = Eigen::Matrix<double, kCount, 6>::Zero();
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const Eigen::Map<const Eigen::Matrix<double, kCount, 1>> f(values_[joint][k].data());
      square += f * f.transpose();
      right += f * numbers[k].transpose();
    }
    square.diagonal().array() += kDriverRidge * square.trace() / kCount + 1e-12;
    const Eigen::Matrix<double, kCount, 6> mix = square.ldlt().solve(right);
    for (std::size_t c = 0; c < 6; ++c)
      for (std::size_t f = 0; f < kTurnFunctions; ++f)
        mixes[c][f] = static_cast<float>(mix(static_cast<Eigen::Index>(f), static_cast<Eigen::Index>(c)));
    double left = 0;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const Eigen::Map<const Eigen::Matrix<double, kCount, 1>> f(values_[joint][k].data());
      const MoveNumbers off = numbers[k] - mix.transpose() * f;
      left += (off.tail<3>().squaredNorm() +
               0.01 * source_.diagonal * source_.diagonal * off.head<3>().squaredNorm());
    }
    return left;
  }

  Result<void> add_morphs() {
    const Progress part = progress_part(request_.progress, kHelped, 1);
    const auto fitted = [&](std::size_t count) {
      MorphFitOptions options;
      options.morphs = count;
      options.least = kLeastDelta * source_.diagonal;
      options.free_frames = clip_frames_;
      options.progress = &part;
      return fit_morphs(*fit_, values_, options);
    };
    result_.morph_errors.push_back({0, fit_->rms() / source_.diagonal});
    std::size_t count = request_.morphs;
    if (request_.tolerance > 0)
      count = is_good() ? 0 : std::min<std::size_t>(1, count);
    else if (request_.pictures > 0)
      count = (count + 3) / 4;  // a few more points of the curve
    while (count > 0) {
      result_.morphs = fitted(count);
      if (is_cancelled(request_.progress)) return cancelled();
      const Figures figures = measure();
      result_.morph_errors.push_back({result_.morphs.size(), figures.rms});
      if (count == request_.morphs || result_.morphs.size() < count || figures.p999 <= request_.tolerance)
        break;
      const std::size_t more = request_.tolerance > 0 ? count / 2 : count;
      count = std::min(request_.morphs, count + std::max<std::size_t>(1, more));
    }
    return {};
  }

  struct Figures {
    double rms = 0, p999 = 0;
  };
  // With morphs that drivers, or in keyed frames fits, switch on. The 99.9 % are those of the frames that the
  // tolerance is about.
  Figures measure() const {
    const std::size_t frames = moves_.size(), n = fit_->sequence().vertices(), from = frames - clip_frames_;
    std::vector<std::vector<double>> weights;
    for (const DrivenMorph& morph : result_.morphs) {
      std::vector<double>& own = weights.emplace_back(frames);
      for (std::size_t k = 0; k < frames; ++k)
        own[k] = morph_weight(morph.driver, values_[morph.driver.joint][k]);
    }
    weights = fit_morph_weights(*fit_, result_.morphs, weights, 0.02, from);
    std::vector<float> far(n * frames, 0);
    parallel_for(n, 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        for (std::size_t k = 0; k < frames && !fit_->row(i).empty(); ++k) {
          Vec3 point = fit_->point(i, k);
          for (std::size_t m = 0; m < weights.size(); ++m)
            point += weights[m][k] * result_.morphs[m].deltas[i].cast<double>();
          far[i * frames + k] =
              static_cast<float>((fit_->blend(i, k) * point - fit_->shape(i, k)).norm() / source_.diagonal);
        }
    });
    Figures figures;
    double sum = 0, total = 0;
    std::vector<float> counted;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < frames; ++k) {
        const double much = fit_->sequence().frame_weights[k], d = static_cast<double>(far[i * frames + k]);
        sum += much * d * d;
        total += much;
        if (clip_frames_ == 0 || k >= from) counted.push_back(far[i * frames + k]);
      }
    figures.rms = std::sqrt(sum / std::max(total, 1e-300));
    figures.p999 = share_quantile(counted, 0.999);
    return figures;
  }
  bool is_good() const { return request_.tolerance > 0 && measure().p999 <= request_.tolerance; }

  static constexpr std::size_t kNever = static_cast<std::size_t>(-1);
  ExportSource& source_;
  const ExportRequest& request_;
  std::size_t clip_frames_ = 0;  // at the end
  ExportPlaces places_;
  std::optional<SkinFit> fit_;                   // a vertex of it is a place
  std::vector<std::vector<JointMove>> moves_;    // [frame][bone]
  std::vector<std::vector<TurnValues>> values_;  // [bone][frame]
  std::vector<std::size_t> free_;                // helpers that were fitted
  FittedExport result_;
};

}  // namespace

Result<FittedExport> fit_export(ExportSource& source, const ExportRequest& request) {
  return ExportFitter(source, request).run();
}

Affine3 helper_bind(const ExportSource& source, const FittedHelper& helper) {
  Affine3 bind = source.bind[helper.parent];
  const JointFrame& frame = source.frames[helper.driver.joint];
  bind.translation() = helper.driver.mixes.empty() ? frame.origin : helper.driver.centre;
  if (!helper.driver.mixes.empty()) return bind;
  // Axes as constraints of other programs want them: a roll joint has y along the bone that it turns with, one
  // with a share of the whole turn has that joint's own.
  const double scale = std::cbrt(std::abs(bind.linear().determinant()));
  if (helper.driver.swing == 0)
    bind.linear() << frame.axes.col(0), frame.axes.col(2), -frame.axes.col(1);
  else
    bind.linear() = rotation_part(source.bind[helper.driver.joint]);
  bind.linear() *= scale;
  return bind;
}

Affine3 helper_local(const ExportSource& source, const FittedHelper& helper, const Affine3& move) {
  return source.bind[helper.parent].inverse() * move * helper_bind(source, helper);
}

}  // namespace sinew
