// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/conventions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "sinew/core/text.h"

namespace sinew {
namespace {

using H = HumanJoint;

constexpr std::array<const char*, 7> kConventions = {"mixamo", "mixamorig", "unreal", "unity",
                                                     "godot",  "vrm",       "rigify"};
enum Column { kMixamo, kUnreal, kUnity, kRigify };  // Godot and VRM call limbs as Unity does

struct LimbName {
  H left;
  std::array<std::string_view, 4> names;  // without the side
};
constexpr std::array<LimbName, 9> kLimbNames = {
    {{H::kLeftShoulder, {"Shoulder", "clavicle", "Shoulder", "shoulder"}},
     {H::kLeftUpperArm, {"Arm", "upperarm", "UpperArm", "upper_arm"}},
     {H::kLeftLowerArm, {"ForeArm", "lowerarm", "LowerArm", "forearm"}},
     {H::kLeftHand, {"Hand", "hand", "Hand", "hand"}},
     {H::kLeftUpperLeg, {"UpLeg", "thigh", "UpperLeg", "thigh"}},
     {H::kLeftLowerLeg, {"Leg", "calf", "LowerLeg", "shin"}},
     {H::kLeftFoot, {"Foot", "foot", "Foot", "foot"}},
     {H::kLeftToes, {"ToeBase", "ball", "Toes", "toe"}},
     {H::kLeftEye, {"Eye", "eye", "Eye", "eye"}}}};
constexpr std::array<std::array<std::string_view, 4>, 5> kFingerWords = {
    {{"HandThumb", "thumb", "Thumb", "thumb"},
     {"HandIndex", "index", "Index", "f_index"},
     {"HandMiddle", "middle", "Middle", "f_middle"},
     {"HandRing", "ring", "Ring", "f_ring"},
     {"HandPinky", "pinky", "Little", "f_pinky"}}};

class Convention {
 public:
  explicit Convention(std::string_view name) : name_(name) {
    column_ = name.substr(0, 6) == "mixamo" ? kMixamo
              : name == "unreal"            ? kUnreal
              : name == "rigify"            ? kRigify
                                            : kUnity;
    prefix_ = name == "mixamorig" ? "mixamorig:" : "";
  }

  std::string limb(const LimbName& limb, int side) const {
    return sided(std::string(limb.names[column_]), side);
  }

  std::string finger(int side, int finger, int bone) const {
    const std::string word(kFingerWords[static_cast<std::size_t>(finger)][column_]);
    switch (column_) {
      case kMixamo:
        return sided(fmt::format("{}{}", word, bone + 1), side);
      case kUnreal:
        return sided(fmt::format("{}_{:02}", word, bone + 1), side);
      case kRigify:
        return sided(fmt::format("{}.{:02}", word, bone + 1), side);
      case kUnity:
        break;
    }
    constexpr std::array<const char*, 3> kBones = {"Proximal", "Intermediate", "Distal"};
    constexpr std::array<const char*, 3> kThumb = {"Metacarpal", "Proximal", "Distal"};
    const bool metacarpal = finger == 0 && name_ != "unity";
    return sided(word + (metacarpal ? kThumb : kBones)[static_cast<std::size_t>(bone)], side);
  }

  // Joint k of n between hips and neck; empty where the convention has none.
  std::string spine(std::size_t k, std::size_t n) const {
    switch (column_) {
      case kMixamo:
        return prefix_ + (k == 0 ? "Spine" : fmt::format("Spine{}", k));
      case kUnreal:
        return fmt::format("spine_{:02}", k + 1);
      case kRigify:
        return fmt::format("spine.{:03}", k + 1);
      case kUnity:
        break;
    }
    if (k == 0) return cased("Spine");
    if (k == (n > 3 ? n / 2 : 1)) return cased("Chest");
    return k + 1 == n ? cased("UpperChest") : "";
  }
  std::string neck(std::size_t k, std::size_t spines) const {
    switch (column_) {
      case kMixamo:
        return prefix_ + (k == 0 ? "Neck" : fmt::format("Neck{}", k));
      case kUnreal:
        return fmt::format("neck_{:02}", k + 1);
      case kRigify:
        return fmt::format("spine.{:03}", spines + k + 1);
      case kUnity:
        break;
    }
    return k == 0 ? cased("Neck") : "";
  }
  std::string head(std::size_t below) const {
    if (column_ == kRigify) return fmt::format("spine.{:03}", below + 1);
    return column_ == kUnreal ? "head" : cased("Head");
  }
  std::string hips() const {
    if (column_ == kRigify) return "spine";
    return column_ == kUnreal ? "pelvis" : cased("Hips");
  }
  std::string jaw() const { return column_ == kRigify || column_ == kUnreal ? "jaw" : cased("Jaw"); }

 private:
  // VRM begins with a small letter.
  std::string cased(std::string name) const {
    if (name_ == "vrm") name[0] = static_cast<char>(name[0] + ('a' - 'A'));
    return prefix_ + name;
  }
  std::string sided(std::string name, int side) const {
    if (column_ == kUnreal) return name + (side == 0 ? "_l" : "_r");
    if (column_ == kRigify) return name + (side == 0 ? ".L" : ".R");
    return cased((side == 0 ? "Left" : "Right") + name);
  }

  std::string name_, prefix_;
  Column column_;
};

}  // namespace

std::span<const char* const> convention_names() {
  return kConventions;
}

std::string convention_list() {
  std::string list;
  for (std::size_t k = 0; k < kConventions.size(); ++k)
    list += std::string(k == 0 ? "" : k + 1 == kConventions.size() ? " or " : ", ") + kConventions[k];
  return list;
}

Result<void> check_convention(std::string_view name) {
  if (std::find(kConventions.begin(), kConventions.end(), name) != kConventions.end()) return {};
  return parameter_error("names", fmt::format("is '{}': give {}", printable(name), convention_list()));
}

std::string vrm_bone_name(HumanJoint joint) {
  const Convention vrm("vrm");
  switch (joint) {
    case H::kHips:
      return vrm.hips();
    case H::kSpine:
      return vrm.spine(0, 3);
    case H::kChest:
      return vrm.spine(1, 3);
    case H::kUpperChest:
      return vrm.spine(2, 3);
    case H::kNeck:
      return vrm.neck(0, 3);
    case H::kHead:
      return vrm.head(4);
    case H::kJaw:
      return vrm.jaw();
    default:
      break;
  }
  for (int side = 0; side < 2; ++side) {
    for (const LimbName& limb : kLimbNames)
      if (on_side(limb.left, side) == joint) return vrm.limb(limb, side);
    for (int finger = 0; finger < 5; ++finger)
      for (int bone = 0; bone < 3; ++bone)
        if (finger_joint(side, finger, bone) == joint) return vrm.finger(side, finger, bone);
  }
  return {};
}

Result<JointNames> joint_names(const Skeleton& skeleton, const Humanoid& human, std::string_view convention) {
  SINEW_CHECK(check_convention(convention));
  const Convention words(convention);
  JointNames result;
  result.names.assign(skeleton.size(), "");
  const auto call = [&](int joint, std::string name) {
    if (joint >= 0) result.names[static_cast<std::size_t>(joint)] = std::move(name);
  };
  call(human[H::kHips], words.hips());
  call(human[H::kJaw], words.jaw());
  for (std::size_t k = 0; k < human.spine.size(); ++k)
    call(human.spine[k], words.spine(k, human.spine.size()));
  for (std::size_t k = 0; k < human.neck.size(); ++k) call(human.neck[k], words.neck(k, human.spine.size()));
  call(human[H::kHead], words.head(human.spine.size() + human.neck.size()));
  for (int side = 0; side < 2; ++side) {
    for (const LimbName& limb : kLimbNames) call(human[on_side(limb.left, side)], words.limb(limb, side));
    for (int finger = 0; finger < 5; ++finger)
      for (int bone = 0; bone < 3; ++bone)
        call(human[finger_joint(side, finger, bone)], words.finger(side, finger, bone));
  }
  std::set<std::string> taken(result.names.begin(), result.names.end());
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    if (!result.names[j].empty()) {
      ++result.matched;
      continue;
    }
    result.names[j] = skeleton[j].name;
    while (!skeleton[j].name.empty() && taken.contains(result.names[j])) result.names[j] += "_";
    if (skeleton[j].deforms && !skeleton[j].helper) result.unmatched.push_back(skeleton[j].name);
  }
  return result;
}

Result<JointNames> rename_joints(Skeleton& skeleton, std::span<const Affine3> globals,
                                 std::string_view convention) {
  const auto human = find_humanoid(skeleton, globals);
  SINEW_TRY(JointNames result, joint_names(skeleton, human.value_or(Humanoid()), convention));
  std::vector<Joint> joints(skeleton.joints().begin(), skeleton.joints().end());
  for (std::size_t j = 0; j < joints.size(); ++j) joints[j].name = result.names[j];
  SINEW_TRY(skeleton, Skeleton::create(std::move(joints)));
  return result;
}

}  // namespace sinew
