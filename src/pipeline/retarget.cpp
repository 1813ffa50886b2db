// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/retarget.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pipeline/retarget_feet.h"
#include "pipeline/retarget_match.h"
#include "sinew/core/text.h"
#include "sinew/math/quaternion.h"
#include "sinew/math/svd.h"
#include "sinew/skeleton/pose.h"

namespace sinew {
namespace {

using H = HumanJoint;
constexpr std::size_t kFewestJoints = 10;
constexpr double kMostFrames = 1e6;
constexpr double kPi = 3.14159265358979323846;

Quat turned(const Affine3& transform) {
  return Quat(rotation_part(transform)).normalized();
}

// One frame of the target while it is made.
struct Frame {
  std::vector<Quat> turns;   // of the followers, world
  Vec3 path = Vec3::Zero();  // where the pelvis goes, or, by names, how far the source has moved
  std::vector<Affine3> local, global;
};

class Retargeter {
 public:
  Retargeter(const Clip& clip, const RestBody& source, const RestBody& target, BodyMatch match,
             const RetargetRequest& request)
      : clip_(clip), source_(source), target_(target), match_(std::move(match)), request_(request) {
    human_ = source.human && target.human;
    up_ = target.human ? Vec3(target.human->axes.col(1)) : Vec3(Vec3::UnitY());
    follower_of_.assign(target.skeleton->size(), -1);
    for (std::size_t f = 0; f < match_.followers.size(); ++f)
      follower_of_[match_.followers[f].joint] = static_cast<int>(f);
    anchors_ = detached_joints(target);
    find_order();
    find_tops();
  }

  Result<RetargetedClip> run() {
    SINEW_CHECK(sample());
    if (human_) {
      find_feet();
      place_pelvis();
    }
    SINEW_CHECK(pose_frames());
    if (human_ && request_.keep_feet) hold_feet();
    RetargetedClip result;
    result.humanoid = human_;
    result.matched = match_.followers.size();
    result.frames = frames_.size();
    measure(result);
    write_keys(result.clip);
    return result;
  }

 private:
  std::size_t index(int joint) const { return static_cast<std::size_t>(joint); }
  int src(H joint, int side = 0) const { return (*source_.human)[side == 0 ? joint : on_side(joint, side)]; }
  int dst(H joint, int side = 0) const { return (*target_.human)[side == 0 ? joint : on_side(joint, side)]; }
  // From the source's world into the target's, scaled.
  Vec3 carried(const Vec3& place) const { return match_.scale * (match_.to_target * place); }
  Vec3 level(const Vec3& v) const { return v - v.dot(up_) * up_; }

  void find_order() {
    std::vector<bool> done(target_.skeleton->size(), false);
    const auto visit = [&](auto&& self, int joint) -> void {
      if (joint < 0 || done[index(joint)]) return;
      done[index(joint)] = true;
      self(self, (*target_.skeleton)[index(joint)].parent);
      self(self, anchors_[index(joint)]);
      order_.push_back(index(joint));
    };
    for (const std::uint32_t j : target_.skeleton->order()) visit(visit, static_cast<int>(j));
  }

  void find_tops() {
    tops_.assign(target_.skeleton->size(), false);
    for (const Follower& follower : match_.followers) {
      bool top = true;
      for (int j = (*target_.skeleton)[follower.joint].parent; j >= 0;
           j = (*target_.skeleton)[index(j)].parent)
        top &= follower_of_[index(j)] < 0;
      tops_[follower.joint] = human_ ? static_cast<int>(follower.joint) == dst(H::kHips) : top;
    }
  }

  // The source, frame by frame: what its joints do, in the target's world.
  Result<void> sample() {
    const double count = std::max(1.0, std::round(clip_.duration() * request_.fps) + 1);
    if (count > kMostFrames)
      return impossible(fmt::format("the motion lasts {:.0f} s: at {} keys a second that is over {} frames",
                                    clip_.duration(), request_.fps, kMostFrames));
    frames_.resize(static_cast<std::size_t>(count));
    feet_.assign(2, {});
    std::vector<Quat> rest_inverse;
    for (const Quat& turn : source_.turns) rest_inverse.push_back(turn.conjugate());
    for (std::size_t k = 0; k < frames_.size(); ++k) {
      if (k % 64 == 0) {
        if (is_cancelled(request_.progress)) return cancelled();
        report(request_.progress, "sampling", static_cast<double>(k) / count);
      }
      Pose pose{source_.local, {}, {}};
      sample_clip(clip_, *source_.skeleton, static_cast<double>(k) / request_.fps, pose);
      const std::vector<Affine3> globals = global_transforms(*source_.skeleton, pose.local);
      const auto motion = [&](std::size_t s) {
        const Quat turn = turned(globals[s]) * rest_inverse[s];
        return match_.to_target * turn * match_.to_target.conjugate();
      };
      for (const Follower& follower : match_.followers) {
        Quat turn = motion(follower.source);
        if (follower.share > 0) turn = slerp_shortest(turn, motion(follower.towards), follower.share);
        frames_[k].turns.push_back(turn);
      }
      track(globals, frames_[k]);
    }
    return {};
  }

  void track(const std::vector<Affine3>& globals, Frame& frame) {
    const auto at = [&](int joint) { return carried(globals[index(joint)].translation()); };
    for (const ComparedBone& bone : match_.bones)
      directions_.push_back((at(bone.source_to) - at(bone.source_from)).normalized());
    if (!human_) {
      sources_.push_back(globals);
      return;
    }
    frame.path = (at(src(H::kLeftUpperLeg)) + at(src(H::kRightUpperLeg))) / 2;
    if (!has_feet()) return;
    for (const int side : {0, 1}) {
      FootTracks& foot = feet_[index(side)];
      foot.ankle.places.push_back(at(src(H::kLeftFoot, side)));
      // Without toes the foot is a stick to the front.
      const int toes = src(H::kLeftToes, side);
      const Affine3& ankle = globals[index(src(H::kLeftFoot, side))];
      const Quat turn = turned(ankle) * source_.turns[index(src(H::kLeftFoot, side))].conjugate();
      foot.toe.places.push_back(
          toes >= 0 ? at(toes) : Vec3(at(src(H::kLeftFoot, side)) + carried(turn * stick(source_, side))));
    }
  }

  bool has_feet() const {
    for (const int side : {0, 1})
      if (src(H::kLeftFoot, side) < 0 || dst(H::kLeftFoot, side) < 0) return false;
    return true;
  }

  // From the ankle to the ball at rest, where there is no joint: a quarter of the leg to the front.
  Vec3 stick(const RestBody& body, int side) const {
    const Humanoid& human = *body.human;
    const int toes = human[on_side(H::kLeftToes, side)], foot = human[on_side(H::kLeftFoot, side)];
    if (toes >= 0) return body.head(toes) - body.head(foot);
    const double leg = (body.head(human[on_side(H::kLeftUpperLeg, side)]) - body.head(foot)).norm();
    return 0.2 * leg * human.axes.col(2) - 0.05 * leg * human.axes.col(1);
  }

  double leg_length() const {
    double sum = 0;
    for (const int side : {0, 1})
      sum += (target_.head(dst(H::kLeftUpperLeg, side)) - target_.head(dst(H::kLeftLowerLeg, side))).norm() +
             (target_.head(dst(H::kLeftLowerLeg, side)) - target_.head(dst(H::kLeftFoot, side))).norm();
    return sum / 2;
  }

  // When the source's feet stand; and how soles lie then, which is how the target's lie at rest.
  void find_feet() {
    if (!has_feet()) return;
    find_contacts(feet_, up_, leg_length(), request_.fps);
    for (const int side : {0, 1})
      for (const H part : {H::kLeftFoot, H::kLeftToes}) {
        const int joint = dst(part, side);
        const int f = joint < 0 ? -1 : follower_of_[index(joint)];
        if (f >= 0) align_sole(side, match_.followers[index(f)], index(f));
      }
  }

  void align_sole(int side, Follower& follower, std::size_t f) {
    const FootTracks& foot = feet_[index(side)];
    const double near = 0.04 * leg_length();
    const Vec3 own = level(stick(target_, side));
    // A sole that lies flat has its ankle as high over the ball as at rest.
    const double over = -carried(stick(source_, side)).dot(up_);
    std::vector<Quat> turns;
    for (std::size_t k = 0; k < frames_.size(); ++k) {
      const auto low = [&](const FootTrack& track) {
        return track.down[k] && track.places[k].dot(up_) < track.level + near;
      };
      const Vec3 heading = level(foot.toe.places[k] - foot.ankle.places[k]);
      const double higher = (foot.ankle.places[k] - foot.toe.places[k]).dot(up_);
      if (!low(foot.ankle) || !low(foot.toe) || !(heading.norm() > 0) || std::abs(higher - over) > 2 * near)
        continue;
      turns.push_back(frames_[k].turns[f].conjugate() * least_rotation(own, heading));
    }
    if (turns.empty()) return;
    const Quat mean = blend_rotations(turns, std::vector<double>(turns.size(), 1.0));
    double spread = 0;
    for (const Quat& turn : turns) spread += log_rotation(turn * mean.conjugate()).norm();
    if (spread / static_cast<double>(turns.size()) < 0.35) follower.align = mean;
  }

  // The pelvis is as high over the ankles that stand as the source's, times the scale of the legs.
  void place_pelvis() {
    const Vec3 pelvis = (target_.head(dst(H::kLeftUpperLeg)) + target_.head(dst(H::kRightUpperLeg))) / 2;
    const Vec3 source_pelvis =
        carried((source_.head(src(H::kLeftUpperLeg)) + source_.head(src(H::kRightUpperLeg))) / 2);
    double rest_level = 0, level_of_source = 0;
    if (has_feet()) {
      rest_level = (target_.head(dst(H::kLeftFoot)) + target_.head(dst(H::kRightFoot))).dot(up_) / 2;
      level_of_source = feet_[0].ankle.level;
    } else {
      rest_level = pelvis.dot(up_);
      level_of_source = source_pelvis.dot(up_);
    }
    for (Frame& frame : frames_)
      frame.path = level(pelvis + frame.path - source_pelvis) +
                   (rest_level + frame.path.dot(up_) - level_of_source) * up_;
  }

  // Local and global transforms from the turns and the path.
  void pose(Frame& frame, std::size_t k) const {
    frame.local = target_.local;
    frame.global.resize(target_.local.size());
    for (const std::size_t j : order_) {
      const int parent = (*target_.skeleton)[j].parent;
      const Affine3 above = parent < 0 ? Affine3::Identity() : frame.global[index(parent)];
      Affine3& local = frame.local[j];
      if (const int f = follower_of_[j]; f >= 0) {
        const Follower& follower = match_.followers[index(f)];
        const Quat wanted = frame.turns[index(f)] * follower.align * target_.turns[j];
        const Mat3 scale = rotation_part(local).transpose() * local.linear();
        local.linear() = (turned(above).conjugate() * wanted).toRotationMatrix() * scale;
        if (tops_[j] && above.linear().determinant() != 0)
          local.translation() = above.inverse() * top_place(frame, follower, wanted, k);
      }
      if (anchors_[j] >= 0 && above.linear().determinant() != 0) {
        const std::size_t a = index(anchors_[j]);
        const Vec3 place =
            frame.global[a] * (target_.global[a].inverse() * target_.head(static_cast<int>(j)));
        local.translation() = above.inverse() * place;
      }
      frame.global[j] = above * local;
    }
  }

  Vec3 top_place(const Frame& frame, const Follower& follower, const Quat& wanted, std::size_t k) const {
    const Vec3 rest = target_.head(static_cast<int>(follower.joint));
    if (!human_)
      return rest + carried(sources_[k][follower.source].translation() -
                            source_.head(static_cast<int>(follower.source)));
    const Vec3 pelvis = (target_.head(dst(H::kLeftUpperLeg)) + target_.head(dst(H::kRightUpperLeg))) / 2;
    return frame.path + wanted * (target_.turns[follower.joint].conjugate() * (rest - pelvis));
  }

  Result<void> pose_frames() {
    for (std::size_t k = 0; k < frames_.size(); ++k) {
      if (k % 64 == 0) {
        if (is_cancelled(request_.progress)) return cancelled();
        report(request_.progress, "posing", static_cast<double>(k) / static_cast<double>(frames_.size()));
      }
      pose(frames_[k], k);
    }
    return {};
  }

  Vec3 place(const Frame& frame, int joint) const { return frame.global[index(joint)].translation(); }
  Vec3 ball(const Frame& frame, int side) const {
    const std::size_t foot = index(dst(H::kLeftFoot, side));
    const Quat turn = turned(frame.global[foot]) * target_.turns[foot].conjugate();
    return frame.global[foot].translation() + turn * stick(target_, side);
  }
  std::vector<Vec3> ankles(int side) const {
    std::vector<Vec3> places;
    for (const Frame& frame : frames_) places.push_back(place(frame, dst(H::kLeftFoot, side)));
    return places;
  }
  std::vector<Vec3> balls(int side) const {
    std::vector<Vec3> places;
    for (const Frame& frame : frames_) places.push_back(ball(frame, side));
    return places;
  }

  bool can_hold() const {
    if (!has_feet()) return false;
    for (const int side : {0, 1})
      for (const H joint : {H::kLeftUpperLeg, H::kLeftLowerLeg, H::kLeftFoot})
        if (follower_of_[index(dst(joint, side))] < 0) return false;
    return true;
  }

  void hold_feet() {
    if (!can_hold()) return;
    std::array<std::vector<Vec3>, 2> goals;
    for (const int side : {0, 1}) {
      const Vec3 ankle = target_.head(dst(H::kLeftFoot, side));
      goals[index(side)] = ankles(side);
      const HeldFoot held = hold_foot(feet_[index(side)], goals[index(side)], balls(side), ankle.dot(up_),
                                      (ankle + stick(target_, side)).dot(up_), up_, request_.fps);
      for (std::size_t k = 0; k < frames_.size(); ++k) goals[index(side)][k] += held.shift[k];
    }
    lower_hips(goals);
    for (std::size_t k = 0; k < frames_.size(); ++k) {
      for (const int side : {0, 1}) reach(frames_[k], side, goals[index(side)][k]);
      pose(frames_[k], k);
    }
  }

  // Legs that are too short for where their feet stand lower the hips, smoothly.
  void lower_hips(const std::array<std::vector<Vec3>, 2>& goals) {
    std::vector<double> drops(frames_.size(), 0);
    for (const int side : {0, 1}) {
      const std::vector<Contact> contacts = contacts_of(feet_[index(side)]);
      const int upper = dst(H::kLeftUpperLeg, side), lower = dst(H::kLeftLowerLeg, side),
                foot = dst(H::kLeftFoot, side);
      const double longest = 0.999 * ((target_.head(upper) - target_.head(lower)).norm() +
                                      (target_.head(lower) - target_.head(foot)).norm());
      for (const Contact& contact : contacts)
        for (std::size_t k = contact.begin; k < contact.end; ++k) {
          const Vec3 way = goals[index(side)][k] - place(frames_[k], upper);
          const double across = level(way).norm(), down = -way.dot(up_);
          if (way.norm() <= longest || across >= longest) continue;
          drops[k] = std::max(drops[k], down - std::sqrt(longest * longest - across * across));
        }
    }
    // The largest nearby, then the mean: never less than is needed.
    const auto reach = static_cast<std::size_t>(std::max(1.0, std::round(0.1 * request_.fps)));
    std::vector<double> most(drops.size());
    for (std::size_t k = 0; k < drops.size(); ++k) {
      const std::size_t begin = k < reach ? 0 : k - reach, end = std::min(drops.size(), k + reach + 1);
      most[k] = *std::max_element(drops.begin() + static_cast<std::ptrdiff_t>(begin),
                                  drops.begin() + static_cast<std::ptrdiff_t>(end));
    }
    for (std::size_t k = 0; k < drops.size(); ++k) {
      const std::size_t begin = k < reach ? 0 : k - reach, end = std::min(drops.size(), k + reach + 1);
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += most[i];
      frames_[k].path -= sum / static_cast<double>(end - begin) * up_;
      pose(frames_[k], k);
    }
  }

  void reach(Frame& frame, int side, const Vec3& goal) const {
    const auto turn_of = [&](H joint) -> Quat& {
      return frame.turns[index(follower_of_[index(dst(joint, side))])];
    };
    const int upper = dst(H::kLeftUpperLeg, side);
    const Quat thigh = turned(frame.global[index(upper)]) * target_.turns[index(upper)].conjugate();
    const TwoBones bones =
        reach_two_bones(place(frame, upper), place(frame, dst(H::kLeftLowerLeg, side)),
                        place(frame, dst(H::kLeftFoot, side)), goal, thigh * target_.human->axes.col(2));
    turn_of(H::kLeftUpperLeg) = bones.upper * turn_of(H::kLeftUpperLeg);
    turn_of(H::kLeftLowerLeg) = bones.lower * turn_of(H::kLeftLowerLeg);
  }

  void measure(RetargetedClip& result) const {
    std::vector<double> sums(match_.bones.size(), 0);
    for (std::size_t k = 0; k < frames_.size(); ++k)
      for (std::size_t b = 0; b < match_.bones.size(); ++b) {
        const ComparedBone& bone = match_.bones[b];
        const Vec3 own = place(frames_[k], bone.target_to) - place(frames_[k], bone.target_from);
        const double cosine = own.normalized().dot(directions_[k * match_.bones.size() + b]);
        sums[b] += std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / kPi / static_cast<double>(frames_.size());
      }
    for (std::size_t b = 0; b < sums.size(); ++b) {
      result.mean_degrees += sums[b] / static_cast<double>(sums.size());
      if (!result.worst_joint.empty() && sums[b] <= result.worst_degrees) continue;
      result.worst_degrees = sums[b];
      result.worst_joint = (*target_.skeleton)[index(match_.bones[b].target_from)].name;
    }
    if (!human_ || !has_feet() || !(target_.height > 0)) return;
    for (const int side : {0, 1})
      for (const double slide : foot_slides(feet_[index(side)], ankles(side), balls(side), up_)) {
        ++result.contacts;
        result.foot_slide += slide / target_.height;
        result.worst_slide = std::max(result.worst_slide, slide / target_.height);
      }
    if (result.contacts > 0) result.foot_slide /= static_cast<double>(result.contacts);
  }

  void write_keys(Clip& clip) const {
    clip.name = clip_.name;
    std::vector<float> times;
    for (std::size_t k = 0; k < frames_.size(); ++k)
      times.push_back(static_cast<float>(static_cast<double>(k) / request_.fps));
    for (std::size_t j = 0; j < target_.local.size(); ++j) {
      const Affine3& rest = (*target_.skeleton)[j].rest_local;
      const bool moved =
          (target_.local[j].matrix() - rest.matrix()).norm() > 0;  // posed apart from its bind pose
      if (follower_of_[j] >= 0 || moved)
        add_channel(clip, j, ChannelPath::kRotation, follower_of_[j] >= 0 ? times : std::vector<float>{0});
      if (tops_[j] || anchors_[j] >= 0 || moved)
        add_channel(clip, j, ChannelPath::kTranslation,
                    tops_[j] || anchors_[j] >= 0 ? times : std::vector<float>{0});
    }
  }

  void add_channel(Clip& clip, std::size_t j, ChannelPath path, const std::vector<float>& times) const {
    Channel channel;
    channel.joint = static_cast<int>(j);
    channel.path = path;
    channel.width = path == ChannelPath::kRotation ? 4 : 3;
    channel.times = times;
    Quat before = Quat::Identity();
    for (std::size_t k = 0; k < times.size(); ++k) {
      const Affine3& local = frames_[k].local[j];
      if (path == ChannelPath::kTranslation) {
        for (int c = 0; c < 3; ++c) channel.values.push_back(static_cast<float>(local.translation()[c]));
        continue;
      }
      Quat turn = turned(local);
      if (turn.dot(before) < 0) turn.coeffs() *= -1;  // the short way between keys
      before = turn;
      for (const double part : {turn.x(), turn.y(), turn.z(), turn.w()})
        channel.values.push_back(static_cast<float>(part));
    }
    clip.channels.push_back(std::move(channel));
  }

  const Clip& clip_;
  const RestBody& source_;
  const RestBody& target_;
  BodyMatch match_;
  const RetargetRequest& request_;
  bool human_ = false;
  Vec3 up_;
  std::vector<int> follower_of_, anchors_;
  std::vector<std::size_t> order_;
  std::vector<bool> tops_;
  std::vector<Frame> frames_;
  std::vector<FootTracks> feet_;               // of the source, in the target's world
  std::vector<Vec3> directions_;               // of the source's compared bones, frame by frame
  std::vector<std::vector<Affine3>> sources_;  // all of the source, where joints are matched by names
};

// "Hips, LeftArm, LeftHand and 12 more".
std::string some_names(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), most); ++k)
    text += (k == 0 ? "" : ", ") + printable(names[k], 40);
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text.empty() ? "none" : text;
}

}  // namespace

Result<RetargetedClip> retarget(const Clip& clip, const Rig& source, const Rig& target,
                                const RetargetRequest& request) {
  if (!(request.fps > 0 && request.fps <= 1000))
    return parameter_error("fps",
                           fmt::format("is {}: give a number above 0 and not above 1000", request.fps));
  const RestBody from = rest_body(source), to = rest_body(target);
  const bool human = from.human && to.human;
  BodyMatch match = human ? match_humans(from, to) : match_names(from, to);
  std::vector<bool> used(source.skeleton.size(), false);
  std::vector<std::string> matched, unmatched;
  for (const Follower& follower : match.followers) {
    used[follower.source] = used[follower.towards] = true;
    matched.push_back(target.skeleton[follower.joint].name);
  }
  for (std::size_t j = 0; j < used.size(); ++j)
    if (!used[j]) unmatched.push_back(source.skeleton[j].name);
  const std::size_t fewest = to.human ? kFewestJoints : 1;
  if (matched.size() < fewest)
    return impossible(
        fmt::format("only {} of the rig's joints match the motion's (at least {} are needed): {}; the motion "
                    "has {}; rename the "
                    "joints of one of them as Mixamo, Unreal, Unity, VRM, Rigify or Godot does",
                    matched.size(), fewest, some_names(matched, 20), some_names(unmatched, 60)));
  SINEW_TRY(RetargetedClip result, Retargeter(clip, from, to, std::move(match), request).run());
  result.unmatched = std::move(unmatched);
  return result;
}

}  // namespace sinew
