// SPDX-License-Identifier: Apache-2.0
#include "pipeline/retarget_match.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "sinew/math/quaternion.h"
#include "sinew/math/svd.h"
#include "sinew/skeleton/carry_clip.h"
#include "sinew/skeleton/pose.h"

namespace sinew {
namespace {

using H = HumanJoint;
constexpr double kNoLength = 1e-3;  // of the height: shorter bones have no direction, whatever rounding left
constexpr double kLeaning = 0.35;   // radians: trunks that lean less apart are both upright, as rigged

Quat turn_of(const Affine3& transform) {
  return Quat(rotation_part(transform)).normalized();
}

// The bind pose in the world of the file's own pose.
std::vector<Affine3> bind_in_world(const Rig& rig, std::span<const Affine3> rest) {
  const Skeleton& skeleton = rig.skeleton;
  const std::vector<Affine3> bind = bind_transforms(rig);
  std::vector<Affine3> bound, world;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    if (!skeleton[j].deforms || skeleton[j].helper) continue;
    bound.push_back(bind[j]);
    world.push_back(rest[j]);
  }
  const Affine3 map = common_similarity(bound, world);
  std::vector<Affine3> result(skeleton.size());
  for (const std::uint32_t j : skeleton.order()) {
    const int parent = skeleton[j].parent;
    result[j] = map * bind[j];
    if (!skeleton[j].deforms || skeleton[j].helper || !result[j].matrix().allFinite())
      result[j] = parent < 0 ? skeleton[j].rest_local
                             : result[static_cast<std::size_t>(parent)] * skeleton[j].rest_local;
  }
  return result;
}

// The local transform that brings a joint into its bind pose; the file's own where that is the same. Scale
// stays as the file has it.
Affine3 bind_local(const Affine3& above, const Affine3& bound, const Affine3& own, double size) {
  if (!(std::abs(above.linear().determinant()) > 0)) return own;
  const Affine3 wanted = above.inverse() * bound;
  const double unit = std::cbrt(std::abs(above.linear().determinant()));
  const Quat apart = turn_of(wanted) * turn_of(own).conjugate();
  const bool same = (wanted.translation() - own.translation()).norm() * unit < 1e-4 * size &&
                    log_rotation(apart).norm() < 2e-3;
  if (same || !wanted.matrix().allFinite()) return own;
  Affine3 local = own;
  local.linear() = rotation_part(wanted) * rotation_part(own).transpose() * own.linear();
  local.translation() = wanted.translation();
  return local;
}

class HumanMatcher {
 public:
  HumanMatcher(const RestBody& source, const RestBody& target)
      : source_(source), target_(target), taken_(target.skeleton->size(), false) {
    match_.to_target = Quat(Mat3(target.human->axes * source.human->axes.transpose())).normalized();
    match_.scale = leg_ratio();
    follow(H::kHips, Quat::Identity());
    trunk();
    for (const int side : {0, 1}) {
      arm(side);
      leg(side);
    }
    for (const H joint : {H::kJaw, H::kLeftEye, H::kRightEye}) follow(joint, Quat::Identity());
    namesakes();
  }
  BodyMatch match_;

 private:
  int src(H joint) const { return (*source_.human)[joint]; }
  int dst(H joint) const { return (*target_.human)[joint]; }
  bool both(H joint) const { return src(joint) >= 0 && dst(joint) >= 0; }

  void add(int joint, int source, int towards, double share, const Quat& align) {
    if (joint < 0 || source < 0 || taken_[static_cast<std::size_t>(joint)]) return;
    taken_[static_cast<std::size_t>(joint)] = true;
    match_.followers.push_back({static_cast<std::size_t>(joint), static_cast<std::size_t>(source),
                                static_cast<std::size_t>(towards), share, align});
  }
  void follow(H joint, const Quat& align) { add(dst(joint), src(joint), src(joint), 0, align); }

  // The turn from the target's bone at rest to the source's; nullopt where one has no length.
  std::optional<Quat> bone_turn(int target_from, int target_to, int source_from, int source_to) const {
    if (target_from < 0 || target_to < 0 || source_from < 0 || source_to < 0) return std::nullopt;
    const Vec3 own = target_.head(target_to) - target_.head(target_from);
    const Vec3 other = source_.head(source_to) - source_.head(source_from);
    if (own.norm() < kNoLength * target_.height || other.norm() < kNoLength * source_.height)
      return std::nullopt;
    return least_rotation(own, match_.to_target * other);
  }
  std::optional<Quat> bone_turn(H from, H to) const {
    return bone_turn(dst(from), dst(to), src(from), src(to));
  }
  void compare(H from, H to) {
    if (bone_turn(from, to)) match_.bones.push_back({dst(from), dst(to), src(from), src(to)});
  }

  double leg_ratio() const {
    const auto length = [](const RestBody& body, bool feet) {
      double sum = 0;
      for (const int side : {0, 1}) {
        const auto at = [&](H joint) { return body.head((*body.human)[on_side(joint, side)]); };
        sum += (at(H::kLeftUpperLeg) - at(H::kLeftLowerLeg)).norm();
        if (feet) sum += (at(H::kLeftLowerLeg) - at(H::kLeftFoot)).norm();
      }
      return sum;
    };
    const bool feet = both(H::kLeftFoot) && both(H::kRightFoot);
    const double own = length(target_, feet), other = length(source_, feet);
    return own > 0 && other > 0 ? own / other : 1;
  }

  // Joints of a chain follow those of another by their share of the way: joint k the place (k + first) / parts
  // in `from`.
  void follow_chain(const std::vector<int>& chain, const std::vector<int>& from, double first, double parts,
                    const Quat& align) {
    for (std::size_t k = 0; k < chain.size(); ++k) {
      const double at = (static_cast<double>(k) + first) * static_cast<double>(from.size() - 1) / parts;
      const auto i = std::min(static_cast<std::size_t>(at + 1e-9), from.size() - 1);
      const double share = std::max(0.0, at - static_cast<double>(i));
      add(chain[k], from[i], from[std::min(i + 1, from.size() - 1)], share < 1e-6 ? 0 : share, align);
    }
  }

  void trunk() {
    const auto top = [](const RestBody& body) {
      const Humanoid& human = *body.human;
      return !human.neck.empty() ? human.neck.front() : human[H::kHead];
    };
    const auto upright = [&](const std::optional<Quat>& turn) {
      return turn && log_rotation(*turn).norm() > kLeaning ? *turn : Quat::Identity();
    };
    const Quat lean = upright(bone_turn(dst(H::kHips), top(target_), src(H::kHips), top(source_)));
    std::vector<int> spine = {src(H::kHips)};
    spine.insert(spine.end(), source_.human->spine.begin(), source_.human->spine.end());
    const auto joints = static_cast<double>(target_.human->spine.size());
    follow_chain(target_.human->spine, spine, 1, joints, lean);
    std::vector<int> neck = source_.human->neck;
    const bool none = neck.empty();
    if (none) neck.push_back(spine.back());
    neck.push_back(src(H::kHead));
    const auto parts = static_cast<double>(target_.human->neck.size());
    const Quat nod = upright(bone_turn(top(target_), dst(H::kHead), top(source_), src(H::kHead)));
    follow_chain(target_.human->neck, neck, none ? 1 : 0, none ? parts + 1 : parts, nod);
    follow(H::kHead, Quat::Identity());
  }

  void arm(int side) {
    const auto on = [&](H joint) { return on_side(joint, side); };
    follow(on(H::kLeftShoulder), Quat::Identity());
    const Quat upper = bone_turn(on(H::kLeftUpperArm), on(H::kLeftLowerArm)).value_or(Quat::Identity());
    const Quat lower = bone_turn(on(H::kLeftLowerArm), on(H::kLeftHand)).value_or(upper);
    follow(on(H::kLeftUpperArm), upper);
    follow(on(H::kLeftLowerArm), lower);
    compare(on(H::kLeftUpperArm), on(H::kLeftLowerArm));
    compare(on(H::kLeftLowerArm), on(H::kLeftHand));
    // A hand points to its fingers where both have them, else it goes on as the forearm does.
    std::optional<Quat> hand;
    int fingers = 0;
    for (const int finger : {2, 1, 3}) {
      if (!both(finger_joint(side, finger, 0))) continue;
      if (!hand) hand = bone_turn(on(H::kLeftHand), finger_joint(side, finger, 0));
    }
    for (int finger = 0; finger < 5; ++finger) fingers += src(finger_joint(side, finger, 0)) >= 0;
    follow(on(H::kLeftHand), hand.value_or(lower));
    // Of one or two fingers alone a hand learns nothing: they stand for all of them.
    if (fingers < 3) return;
    for (int finger = 0; finger < 5; ++finger) {
      Quat turn = hand.value_or(lower);
      for (int bone = 0; bone < 3; ++bone) {
        if (bone < 2)
          turn = bone_turn(finger_joint(side, finger, bone), finger_joint(side, finger, bone + 1))
                     .value_or(turn);
        follow(finger_joint(side, finger, bone), turn);
      }
    }
  }

  void leg(int side) {
    const auto on = [&](H joint) { return on_side(joint, side); };
    const Quat upper = bone_turn(on(H::kLeftUpperLeg), on(H::kLeftLowerLeg)).value_or(Quat::Identity());
    const Quat lower = bone_turn(on(H::kLeftLowerLeg), on(H::kLeftFoot)).value_or(upper);
    follow(on(H::kLeftUpperLeg), upper);
    follow(on(H::kLeftLowerLeg), lower);
    compare(on(H::kLeftUpperLeg), on(H::kLeftLowerLeg));
    compare(on(H::kLeftLowerLeg), on(H::kLeftFoot));
    const Quat foot = bone_turn(on(H::kLeftFoot), on(H::kLeftToes)).value_or(Quat::Identity());
    follow(on(H::kLeftFoot), foot);
    follow(on(H::kLeftToes), foot);
  }

  // Joints that only these two have: tails, ears, slots for swords.
  void namesakes() {
    const std::vector<int> same = joints_by_name(*source_.skeleton, *target_.skeleton);
    std::vector<bool> used(source_.skeleton->size(), false);
    for (const Follower& follower : match_.followers) used[follower.source] = true;
    for (const int joint : target_.human->joints)
      if (joint >= 0) taken_[static_cast<std::size_t>(joint)] = true;  // left out above for a reason
    for (std::size_t j = 0; j < same.size(); ++j)
      if (same[j] >= 0 && !used[static_cast<std::size_t>(same[j])])
        add(static_cast<int>(j), same[j], same[j], 0, Quat::Identity());
  }

  const RestBody& source_;
  const RestBody& target_;
  std::vector<bool> taken_;
};

// Of the turns by right angles the one that brings the namesakes of one body to those of the other.
Quat facing_turn(const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
  Vec3 from_middle = Vec3::Zero(), to_middle = Vec3::Zero();
  for (std::size_t k = 0; k < from.size(); ++k) {
    from_middle += from[k] / static_cast<double>(from.size());
    to_middle += to[k] / static_cast<double>(to.size());
  }
  Mat3 best = Mat3::Identity();
  double most = 0;
  const auto agreement = [&](const Mat3& turn) {
    double sum = 0;
    for (std::size_t k = 0; k < from.size(); ++k)
      sum += (to[k] - to_middle).dot(turn * (from[k] - from_middle));
    return sum;
  };
  most = agreement(best) + 0.05 * std::abs(agreement(best));
  for (int x = 0; x < 6; ++x)
    for (int y = 0; y < 6; ++y) {
      if (x / 2 == y / 2) continue;
      const Vec3 first = (x % 2 ? -1.0 : 1.0) * Vec3::Unit(x / 2),
                 second = (y % 2 ? -1.0 : 1.0) * Vec3::Unit(y / 2);
      Mat3 turn;
      turn << first, second, first.cross(second);
      const double sum = agreement(turn);
      if (sum <= most) continue;
      most = sum;
      best = turn;
    }
  return Quat(best);
}

// How much longer the target's bones are, between joints that both have.
double length_ratio(const RestBody& source, const RestBody& target, const std::vector<int>& same) {
  double own = 0, other = 0;
  for (std::size_t j = 0; j < same.size(); ++j) {
    const int parent = (*target.skeleton)[j].parent;
    if (same[j] < 0 || parent < 0 || same[static_cast<std::size_t>(parent)] < 0) continue;
    own += (target.head(static_cast<int>(j)) - target.head(parent)).norm();
    other += (source.head(same[j]) - source.head(same[static_cast<std::size_t>(parent)])).norm();
  }
  if (own > 0 && other > 0) return own / other;
  return source.height > 0 && target.height > 0 ? target.height / source.height : 1;
}

std::vector<Vec3> bone_directions(const RestBody& body) {
  std::vector<Vec3> directions(body.skeleton->size(), Vec3::Zero());
  for (const Bone& bone : bones_of(*body.skeleton, body.global)) {
    const Vec3 along = bone.tail - bone.head;
    if (along.norm() > kNoLength * body.height) directions[bone.joint] = along.normalized();
  }
  return directions;
}

}  // namespace

RestBody rest_body(const Rig& rig) {
  RestBody body;
  body.skeleton = &rig.skeleton;
  const Skeleton& skeleton = rig.skeleton;
  std::vector<Affine3> rest = global_transforms(skeleton, rest_pose(skeleton).local);
  Box3 box;
  for (const Affine3& global : rest) box.extend(Vec3(global.translation()));
  const double size = box.isEmpty() ? 1 : box.sizes().maxCoeff();
  const std::vector<Affine3> bound = bind_in_world(rig, rest);
  body.local.resize(skeleton.size());
  body.global.resize(skeleton.size());
  for (const std::uint32_t j : skeleton.order()) {
    const int parent = skeleton[j].parent;
    const Affine3 above = parent < 0 ? Affine3::Identity() : body.global[static_cast<std::size_t>(parent)];
    body.local[j] = bind_local(above, bound[j], skeleton[j].rest_local, size);
    body.global[j] = above * body.local[j];
  }
  for (const Affine3& global : body.global) body.turns.push_back(turn_of(global));
  body.human = find_humanoid(skeleton, body.global);
  Box3 heads;
  for (std::size_t j = 0; j < skeleton.size(); ++j)
    if (skeleton[j].deforms) heads.extend(Vec3(body.global[j].translation()));
  if (heads.isEmpty()) return body;
  body.height =
      body.human ? std::abs(heads.sizes().dot(body.human->axes.col(1).cwiseAbs())) : heads.sizes().maxCoeff();
  return body;
}

std::vector<int> detached_joints(const RestBody& body) {
  std::vector<int> anchors(body.skeleton->size(), -1);
  if (!body.human) return anchors;
  const Humanoid& human = *body.human;
  const auto hangs = [&](int joint, int above) {
    for (int j = joint; j >= 0; j = (*body.skeleton)[static_cast<std::size_t>(j)].parent)
      if (j == above) return true;
    return false;
  };
  const auto anchor = [&](int joint, int above) {
    if (joint >= 0 && above >= 0 && !hangs(joint, above) && !hangs(above, joint))
      anchors[static_cast<std::size_t>(joint)] = above;
  };
  const int chest = human.spine.empty() ? human[H::kHips] : human.spine.back();
  for (const int side : {0, 1}) {
    const auto on = [&](H joint) { return human[on_side(joint, side)]; };
    anchor(on(H::kLeftUpperLeg), human[H::kHips]);
    anchor(on(H::kLeftLowerLeg), on(H::kLeftUpperLeg));
    anchor(on(H::kLeftFoot), on(H::kLeftLowerLeg));
    anchor(on(H::kLeftToes), on(H::kLeftFoot));
    anchor(on(H::kLeftUpperArm), on(H::kLeftShoulder) >= 0 ? on(H::kLeftShoulder) : chest);
    anchor(on(H::kLeftLowerArm), on(H::kLeftUpperArm));
    anchor(on(H::kLeftHand), on(H::kLeftLowerArm));
  }
  anchor(human[H::kHead], human.neck.empty() ? chest : human.neck.back());
  return anchors;
}

BodyMatch match_humans(const RestBody& source, const RestBody& target) {
  return HumanMatcher(source, target).match_;
}

BodyMatch match_names(const RestBody& source, const RestBody& target) {
  BodyMatch match;
  const std::vector<int> same = joints_by_name(*source.skeleton, *target.skeleton);
  std::vector<Vec3> from, to;
  for (std::size_t j = 0; j < same.size(); ++j) {
    if (same[j] < 0) continue;
    from.push_back(source.head(same[j]));
    to.push_back(target.head(static_cast<int>(j)));
  }
  match.to_target = facing_turn(from, to);
  match.scale = length_ratio(source, target, same);
  const std::vector<Vec3> own = bone_directions(target), other = bone_directions(source);
  for (std::size_t j = 0; j < same.size(); ++j) {
    if (same[j] < 0) continue;
    const auto s = static_cast<std::size_t>(same[j]);
    bool top = true;  // a root points wherever the rigger liked
    for (int above = (*target.skeleton)[j].parent; above >= 0;
         above = (*target.skeleton)[static_cast<std::size_t>(above)].parent)
      top &= same[static_cast<std::size_t>(above)] < 0;
    const bool turns = !top && own[j].norm() > 0 && other[s].norm() > 0;
    match.followers.push_back(
        {j, s, s, 0, turns ? least_rotation(own[j], match.to_target * other[s]) : Quat::Identity()});
  }
  return match;
}

}  // namespace sinew
