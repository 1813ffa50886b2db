// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "pipeline/clip_frames.h"
#include "pipeline/export_fit.h"
#include "sinew/math/polar.h"

namespace sinew {
namespace {

constexpr double kKeyHold = 0.02;  // towards what drivers say
constexpr int kKeyRounds = 2;

Channel channel_of(std::size_t joint, ChannelPath path, int width, std::span<const float> times) {
  Channel channel;
  channel.joint = static_cast<int>(joint);
  channel.path = path;
  channel.width = width;
  channel.times.assign(times.begin(), times.end());
  return channel;
}

// A key is enough where all are alike.
void thin(Channel& channel) {
  const auto width = static_cast<std::size_t>(channel.width);
  for (std::size_t k = width; k < channel.values.size(); ++k)
    if (channel.values[k] != channel.values[k % width]) return;
  channel.times.resize(1);
  channel.values.resize(width);
}

void add_helper_channels(const ExportSource& source, const FittedHelper& helper, std::size_t joint,
                         std::span<const Affine3> moves, std::span<const float> times, Clip& clip) {
  Channel rotation = channel_of(joint, ChannelPath::kRotation, 4, times);
  Channel translation = channel_of(joint, ChannelPath::kTranslation, 3, times);
  Quat before = Quat::Identity();
  for (const Affine3& move : moves) {
    const Trs parts = decompose(helper_local(source, helper, move));
    Quat q = parts.rotation;
    if (q.dot(before) < 0) q.coeffs() *= -1;  // the short way between keys
    before = q;
    for (const double value : {q.x(), q.y(), q.z(), q.w()})
      rotation.values.push_back(static_cast<float>(value));
    for (int c = 0; c < 3; ++c) translation.values.push_back(static_cast<float>(parts.translation[c]));
  }
  thin(rotation);
  thin(translation);
  clip.channels.push_back(std::move(rotation));
  clip.channels.push_back(std::move(translation));
}

}  // namespace

Result<Clip> keyed_clip(ExportSource& source, const FittedExport& fitted, const Clip& clip, double fps,
                        const Progress* progress) {
  const std::vector<double> times = clip_times(clip, fps);
  SINEW_TRY(const std::vector<Pose> poses, poses_at(source.rig, {}, clip, times));
  SINEW_TRY(SkinSequence sequence, sampled(source, poses, progress));
  std::vector<SkinHelper> helpers;
  for (const FittedHelper& helper : fitted.helpers) helpers.push_back({helper.parent, {}});
  std::vector<std::vector<double>> weights(fitted.morphs.size());
  for (const Pose& pose : poses) {
    const std::vector<JointMove> moves = source.moves(source.matrices(pose));
    for (std::size_t h = 0; h < helpers.size(); ++h) {
      const HelperDriver& driver = fitted.helpers[h].driver;
      helpers[h].moves.push_back(
          helper_move(driver, source.frames[driver.joint], moves[driver.joint], source.range));
    }
    for (std::size_t m = 0; m < weights.size(); ++m)
      weights[m].push_back(
          morph_weight(fitted.morphs[m].driver, moves[fitted.morphs[m].driver.joint], source.range));
  }
  const std::vector<SkinMorph> keys = sequence.morphs;
  SINEW_TRY(SkinFit fit, SkinFit::build(std::move(sequence), fitted.weights,
                                        {8, 10, std::vector<std::uint8_t>(source.rig.mesh.vertex_count(), 1)},
                                        std::move(helpers)));
  for (int round = 0; round < kKeyRounds; ++round) {
    if (is_cancelled(progress)) return cancelled();
    std::vector<SkinMorph> all = keys;
    for (std::size_t m = 0; m < weights.size(); ++m) all.push_back({fitted.morphs[m].deltas, weights[m]});
    fit.set_morphs(std::move(all));
    for (std::size_t h = 0; h < fitted.helpers.size(); ++h)
      if (!fitted.helpers[h].driver.mixes.empty()) fit.fit_moves(h, kKeyHold);
    fit.set_morphs(keys);
    weights = fit_morph_weights(fit, fitted.morphs, weights, kKeyHold);
  }
  Clip keyed{clip.name, {}};
  const bool own_weights = !fitted.morphs.empty() || !source.spaces.empty();
  for (const Channel& channel : clip.channels)
    if (channel.path != ChannelPath::kKeyWeights || !own_weights) keyed.channels.push_back(channel);
  const std::vector<float> key_times(times.begin(), times.end());
  for (std::size_t h = 0; h < fitted.helpers.size(); ++h)
    add_helper_channels(source, fitted.helpers[h], source.rig.skeleton.size() + h, fit.helpers()[h].moves,
                        key_times, keyed);
  if (!own_weights) return keyed;
  Channel channel = channel_of(0, ChannelPath::kKeyWeights,
                               static_cast<int>(source.rig.keys.size() + weights.size()), key_times);
  for (std::size_t k = 0; k < poses.size(); ++k) {
    for (const double value : source.key_weights(poses[k]))
      channel.values.push_back(static_cast<float>(value));
    for (const std::vector<double>& own : weights) channel.values.push_back(static_cast<float>(own[k]));
  }
  keyed.channels.push_back(std::move(channel));
  return keyed;
}

}  // namespace sinew
