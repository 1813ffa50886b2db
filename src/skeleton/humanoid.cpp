// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/humanoid.h"

#include <algorithm>
#include <cmath>

#include "skeleton/humanoid_limbs.h"
#include "skeleton/humanoid_names.h"

namespace sinew {
namespace {

using H = HumanJoint;

int parent_of(const Skeleton& skeleton, int joint) {
  return skeleton[static_cast<std::size_t>(joint)].parent;
}

int depth_of(const Skeleton& skeleton, int joint) {
  int depth = 0;
  for (; joint >= 0; joint = parent_of(skeleton, joint)) ++depth;
  return depth;
}

// The joints between two, the lower one included; empty where `above` does not carry `joint`.
std::vector<int> path_below(const Skeleton& skeleton, int above, int joint) {
  std::vector<int> path;
  if (!is_above(skeleton, above, joint)) return path;
  for (; joint != above; joint = parent_of(skeleton, joint)) path.push_back(joint);
  std::reverse(path.begin(), path.end());
  return path;
}

// What the names of the joints say, joint by joint.
class NamedJoints {
 public:
  explicit NamedJoints(const Skeleton& skeleton) : skeleton_(skeleton) {
    bool controls = false;
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
      words_.push_back(joint_words(skeleton[j].name));
      controls |= words_.back().deform;
    }
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
      // Meshes that hang on a joint often have its name.
      if (!is_bone(skeleton, j) || (controls && !words_[j].deform)) words_[j].word.clear();
    }
  }

  const JointWords& words(int joint) const { return words_[static_cast<std::size_t>(joint)]; }

  // The joint that is most surely called so; of several the one with the lowest number, then the highest in
  // the hierarchy (the first of a limb that is cut in pieces), or the lowest where `deepest`.
  int find(BodyPart part, int side, bool deepest = false, int most_doubt = 9) const {
    int best = -1;
    std::array<int, 4> least = {};
    for (std::size_t j = 0; j < words_.size(); ++j) {
      if (words_[j].side != side) continue;
      for (const PartWord& called : parts_called(words_[j])) {
        if (called.part != part || called.doubt > most_doubt) continue;
        if (words_[j].numbers.size() > 1) continue;
        const int depth = depth_of(skeleton_, static_cast<int>(j));
        const std::array<int, 4> rank = {words_[j].spare, called.doubt,
                                         words_[j].numbers.empty() ? 0 : words_[j].numbers.back(),
                                         deepest ? -depth : depth};
        if (best >= 0 && rank >= least) continue;
        best = static_cast<int>(j);
        least = rank;
      }
    }
    return best;
  }

  // The joints of a finger from the palm on.
  std::vector<int> finger(BodyPart part, int side) const {
    std::vector<int> found;
    for (std::size_t j = 0; j < words_.size(); ++j) {
      if (words_[j].side != side || words_[j].spare) continue;
      const auto parts = parts_called(words_[j]);
      if (!parts.empty() && parts[0].part == part) found.push_back(static_cast<int>(j));
    }
    std::stable_sort(found.begin(), found.end(),
                     [&](int a, int b) { return depth_of(skeleton_, a) < depth_of(skeleton_, b); });
    // Side branches (the end of a chain, a second one of that name) are left out.
    std::vector<int> chain;
    for (const int j : found)
      if (chain.empty() || is_above(skeleton_, chain.back(), j)) chain.push_back(j);
    if (chain.size() > 3) chain.resize(3);
    return chain;
  }

 private:
  const Skeleton& skeleton_;
  std::vector<JointWords> words_;
};

void find_named_limbs(const Skeleton& skeleton, const NamedJoints& names, Humanoid& body) {
  for (const int side : {0, 1}) {
    int& upper_arm = body[on_side(H::kLeftUpperArm, side)];
    int& shoulder = body[on_side(H::kLeftShoulder, side)];
    upper_arm = names.find(BodyPart::kUpperArm, side);
    shoulder = names.find(BodyPart::kShoulder, side);
    // "collar, shoulder, elbow": there the shoulder is the upper arm.
    if (shoulder == upper_arm) shoulder = names.find(BodyPart::kShoulder, side, false, 0);
    body[on_side(H::kLeftLowerArm, side)] = names.find(BodyPart::kLowerArm, side);
    body[on_side(H::kLeftHand, side)] = names.find(BodyPart::kHand, side);
    body[on_side(H::kLeftUpperLeg, side)] = names.find(BodyPart::kUpperLeg, side);
    body[on_side(H::kLeftLowerLeg, side)] = names.find(BodyPart::kLowerLeg, side);
    int& foot = body[on_side(H::kLeftFoot, side)];
    int& toes = body[on_side(H::kLeftToes, side)];
    foot = names.find(BodyPart::kFoot, side);
    toes = names.find(BodyPart::kToes, side);
    // "ankle, foot": there the foot is the toes.
    if (foot >= 0 && toes < 0)
      for (const std::uint32_t child : skeleton.children(static_cast<std::size_t>(foot)))
        if (names.words(static_cast<int>(child)).word == "foot") toes = static_cast<int>(child);
    body[on_side(H::kLeftEye, side)] = names.find(BodyPart::kEye, side);
    constexpr std::array<BodyPart, 5> kFingers = {BodyPart::kThumb, BodyPart::kIndex, BodyPart::kMiddle,
                                                  BodyPart::kRing, BodyPart::kLittle};
    for (int finger = 0; finger < 5; ++finger) {
      const std::vector<int> chain = names.finger(kFingers[static_cast<std::size_t>(finger)], side);
      for (std::size_t bone = 0; bone < chain.size(); ++bone)
        body[finger_joint(side, finger, static_cast<int>(bone))] = chain[bone];
    }
  }
  body[H::kNeck] = names.find(BodyPart::kNeck, -1);
  body[H::kHead] = names.find(BodyPart::kHead, -1, true);
  body[H::kHips] = names.find(BodyPart::kHips, -1);
  body[H::kJaw] = names.find(BodyPart::kJaw, -1);
}

bool has_limbs(const Humanoid& body) {
  for (const H joint : {H::kLeftUpperLeg, H::kLeftLowerLeg, H::kLeftUpperArm, H::kLeftLowerArm})
    for (const int side : {0, 1})
      if (body[on_side(joint, side)] < 0) return false;
  return true;
}

// Which of two chains is the left one: as their names say, else as the feet point.
int left_chain(const NamedJoints& names, const LimbPair& pair, const Vec3& left,
               std::span<const Affine3> globals) {
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
    for (const int joint : pair.chains[k])
      if (names.words(joint).side >= 0)
        return names.words(joint).side == 0 ? static_cast<int>(k) : 1 - static_cast<int>(k);
  const auto middle = [&](const std::vector<int>& chain) {
    return Vec3(globals[static_cast<std::size_t>(chain[chain.size() / 2])].translation());
  };
  return left.dot(middle(pair.chains[0]) - middle(pair.chains[1])) >= 0 ? 0 : 1;
}

Vec3 left_by_feet(const BodyLimbs& limbs, std::span<const Affine3> globals, const Vec3& up) {
  Vec3 front = Vec3::Zero();
  for (const std::vector<int>& chain : limbs.legs.chains) {
    const int upper = longest_two(chain, globals);
    if (upper < 0 || static_cast<std::size_t>(upper) + 3 >= chain.size()) continue;
    const auto at = [&](std::size_t k) {
      return Vec3(globals[static_cast<std::size_t>(chain[k])].translation());
    };
    Vec3 foot = at(static_cast<std::size_t>(upper) + 3) - at(static_cast<std::size_t>(upper) + 2);
    foot -= foot.dot(up) * up;
    front += foot;
  }
  if (front.norm() < 1e-9) front = up.y() > 0.5 ? Vec3::UnitZ() : Vec3(-Vec3::UnitY());
  return up.cross(front.normalized());
}

// Limbs that no name told, from the longest bones of a pair of chains.
void fill_limbs(const NamedJoints& names, const BodyLimbs& limbs, std::span<const Affine3> globals,
                const Vec3& up, Humanoid& body) {
  const Vec3 left = left_by_feet(limbs, globals, up);
  const auto fill = [&](const LimbPair& pair, std::array<H, 4> joints, std::optional<H> before) {
    const int first = left_chain(names, pair, left, globals);
    const auto known = [&](H joint) { return body[joint] >= 0 && body[on_side(joint, 1)] >= 0; };
    if (known(joints[0]) && known(joints[1])) return;
    for (const int side : {0, 1}) {
      const std::vector<int>& chain = pair.chains[static_cast<std::size_t>(side == 0 ? first : 1 - first)];
      int upper = longest_two(chain, globals);
      if (upper < 0) upper = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t at = static_cast<std::size_t>(upper) + k;
        body[on_side(joints[k], side)] =
            at < chain.size() && (k < 3 || before == std::nullopt) ? chain[at] : -1;
      }
      if (before) body[on_side(*before, side)] = upper > 0 ? chain[static_cast<std::size_t>(upper) - 1] : -1;
    }
  };
  fill(limbs.legs, {H::kLeftUpperLeg, H::kLeftLowerLeg, H::kLeftFoot, H::kLeftToes}, std::nullopt);
  fill(limbs.arms, {H::kLeftUpperArm, H::kLeftLowerArm, H::kLeftHand, H::kLeftThumb1}, H::kLeftShoulder);
}

// The joint at the top of the body above `chest`, away from the arms.
int topmost(const Skeleton& skeleton, std::span<const Affine3> globals, int chest, const Humanoid& body,
            const Vec3& up) {
  int best = -1;
  double highest = up.dot(globals[static_cast<std::size_t>(chest)].translation());
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const int joint = static_cast<int>(j);
    if (joint == chest || !is_bone(skeleton, j) || !is_above(skeleton, chest, joint)) continue;
    bool in_arm = false;
    for (const int side : {0, 1})
      for (const H part : {H::kLeftShoulder, H::kLeftUpperArm}) {
        const int arm = body[on_side(part, side)];
        in_arm |= arm >= 0 && is_above(skeleton, arm, joint);
      }
    if (in_arm || up.dot(globals[j].translation()) <= highest) continue;
    highest = up.dot(globals[j].translation());
    best = joint;
  }
  return best;
}

// Hips, spine, neck and head, between the limbs.
bool find_trunk(const Skeleton& skeleton, std::span<const Affine3> globals, const Vec3& up, Humanoid& body) {
  const int arms = common_joint(skeleton, body[H::kLeftUpperArm], body[H::kRightUpperArm]);
  if (arms < 0) return false;
  const int legs = common_joint(skeleton, body[H::kLeftUpperLeg], body[H::kRightUpperLeg]);
  int& hips = body[H::kHips];
  // What carries legs and arms, whatever it is called: "Root" may hold both "Hips" and "Spine". Where no joint
  // does, since controls lead the legs, the name counts.
  const int common = legs < 0 ? -1 : common_joint(skeleton, legs, arms);
  if (common >= 0 && skeleton[static_cast<std::size_t>(common)].deforms) hips = common;
  if (hips < 0 || !is_above(skeleton, hips, arms)) return false;
  int& head = body[H::kHead];
  if (head >= 0 && !is_above(skeleton, hips, head)) head = -1;
  if (head < 0) head = topmost(skeleton, globals, arms, body, up);
  int chest = arms;
  if (head >= 0) chest = common_joint(skeleton, arms, head);
  if (chest < 0 || !is_above(skeleton, hips, chest)) return false;
  body.spine = path_below(skeleton, hips, arms);
  if (head >= 0) {
    const int start = is_above(skeleton, arms, head) ? arms : chest;
    body.neck = path_below(skeleton, start, head);
    if (!body.neck.empty()) body.neck.pop_back();
  }
  const auto spare = [&](int joint) {
    return joint_words(skeleton[static_cast<std::size_t>(joint)].name).spare;
  };
  body.neck.erase(std::remove_if(body.neck.begin(), body.neck.end(), spare), body.neck.end());
  // A neck that arms hang on as well ("Neck" above the shoulders) is a part of the spine.
  body[H::kNeck] = body.neck.empty() ? -1 : body.neck.front();
  constexpr std::array<H, 3> kSpine = {H::kSpine, H::kChest, H::kUpperChest};
  for (std::size_t k = 0; k < 3; ++k) body[kSpine[k]] = k < body.spine.size() ? body.spine[k] : -1;
  if (const std::size_t n = body.spine.size(); n > 3) {
    body[H::kChest] = body.spine[n / 2];
    body[H::kUpperChest] = body.spine[n - 1];
  }
  return true;
}

Vec3 along_axis(const Vec3& v, double cosine) {
  Eigen::Index axis = 0;
  v.cwiseAbs().maxCoeff(&axis);
  Vec3 unit = Vec3::Zero();
  unit[axis] = v[axis] < 0 ? -1 : 1;
  return unit.dot(v) >= cosine * v.norm() ? unit : Vec3(v.normalized());
}

// Whether the legs hang down: what stands on four of them is no humanoid.
bool stands(std::span<const Affine3> globals, const Humanoid& body) {
  double down = 0;
  for (const int side : {0, 1}) {
    const auto at = [&](H joint) {
      return Vec3(globals[static_cast<std::size_t>(body[on_side(joint, side)])].translation());
    };
    const H end = body[on_side(H::kLeftFoot, side)] < 0 ? H::kLeftLowerLeg : H::kLeftFoot;
    down += (at(H::kLeftUpperLeg) - at(end)).normalized().dot(body.axes.col(1)) / 2;
  }
  return down > 0.7;
}

bool find_axes(std::span<const Affine3> globals, Humanoid& body) {
  const auto at = [&](H joint) { return Vec3(globals[static_cast<std::size_t>(body[joint])].translation()); };
  const Vec3 legs = at(H::kLeftUpperLeg) - at(H::kRightUpperLeg);
  const Vec3 arms = at(H::kLeftUpperArm) - at(H::kRightUpperArm);
  Vec3 up = (at(H::kLeftUpperArm) + at(H::kRightUpperArm) - at(H::kLeftUpperLeg) - at(H::kRightUpperLeg)) / 2;
  if (body[H::kHead] >= 0) up += at(H::kHead) - (at(H::kLeftUpperArm) + at(H::kRightUpperArm)) / 2;
  if (!(up.norm() > 0)) return false;
  up = along_axis(up, std::cos(0.6));
  Vec3 left = legs + arms;
  left -= left.dot(up) * up;
  if (!(left.norm() > 0)) return false;
  left = along_axis(left, std::cos(0.26));
  left = (left - left.dot(up) * up).normalized();
  body.axes.col(0) = left;
  body.axes.col(1) = up;
  body.axes.col(2) = left.cross(up);
  return true;
}

}  // namespace

HumanJoint on_side(HumanJoint left, int side) {
  const auto index = static_cast<std::size_t>(left);
  const std::size_t step = left >= H::kLeftThumb1 ? 15 : 1;
  return static_cast<HumanJoint>(index + (side == 0 ? 0 : step));
}

HumanJoint finger_joint(int side, int finger, int bone) {
  const auto first = static_cast<int>(side == 0 ? H::kLeftThumb1 : H::kRightThumb1);
  return static_cast<HumanJoint>(first + 3 * finger + bone);
}

std::size_t Humanoid::count() const {
  return static_cast<std::size_t>(std::count_if(joints.begin(), joints.end(), [](int j) { return j >= 0; }));
}

std::optional<Humanoid> find_humanoid(const Skeleton& skeleton, std::span<const Affine3> globals) {
  const NamedJoints names(skeleton);
  Humanoid body;
  find_named_limbs(skeleton, names, body);
  body.by_name = body.count();
  for (const Vec3& up : {Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())}) {
    Humanoid tried = body;
    if (!has_limbs(tried))
      if (const auto limbs = find_limbs(skeleton, globals, up)) fill_limbs(names, *limbs, globals, up, tried);
    if (!has_limbs(tried) || !find_trunk(skeleton, globals, up, tried) || !find_axes(globals, tried) ||
        !stands(globals, tried))
      continue;
    if (tried[H::kHead] < 0 || tried.axes.col(1).dot(up) < 0.7) {
      // A head that only the wrong up direction hides is looked for along the other.
      if (up.y() > 0.5) continue;
      if (tried[H::kHead] < 0) return std::nullopt;
    }
    return tried;
  }
  return std::nullopt;
}

}  // namespace sinew
