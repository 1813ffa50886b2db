// SPDX-License-Identifier: Apache-2.0
#include "skeleton/humanoid_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sinew {
namespace {

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_number(char c) {
  return c >= '0' && c <= '9';
}

// "LeftUpLeg", "LHipJoint", "upper_arm.L" and "index_01_l" in parts: letters in lower case, or digits.
std::vector<std::string> name_parts(std::string_view name) {
  std::vector<std::string> parts;
  bool fresh = true;
  for (std::size_t k = 0; k < name.size(); ++k) {
    const char c = name[k];
    if (!is_upper(c) && !is_lower(c) && !is_number(c)) {
      fresh = true;
      continue;
    }
    if (k > 0 && !fresh) {
      const char before = name[k - 1];
      const bool next_lower = k + 1 < name.size() && is_lower(name[k + 1]);
      fresh = is_number(c) != is_number(before) || (is_upper(c) && (is_lower(before) || next_lower));
    }
    if (fresh) parts.emplace_back();
    parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    fresh = false;
  }
  return parts;
}

// What programs write around the name of the part.
constexpr std::array<std::string_view, 27> kFillers = {
    "mixamorig", "bip",   "armature", "def", "org",      "skeleton",     "joint",  "jnt",        "bone",
    "bn",        "cc",    "base",     "j",   "c",        "valve",        "biped",  "rig",        "character",
    "sk",        "human", "f",        "bvh", "proximal", "intermediate", "distal", "metacarpal", "b"};

constexpr std::array<PartWord, 62> kWords = {{{"hips", BodyPart::kHips, 0},
                                              {"pelvis", BodyPart::kHips, 0},
                                              {"hip", BodyPart::kHips, 1},
                                              {"neck", BodyPart::kNeck, 0},
                                              {"head", BodyPart::kHead, 0},
                                              {"jaw", BodyPart::kJaw, 0},
                                              {"eye", BodyPart::kEye, 0},
                                              {"clavicle", BodyPart::kShoulder, 0},
                                              {"clav", BodyPart::kShoulder, 0},
                                              {"collar", BodyPart::kShoulder, 0},
                                              {"collarbone", BodyPart::kShoulder, 0},
                                              {"shoulder", BodyPart::kShoulder, 1},
                                              {"upperarm", BodyPart::kUpperArm, 0},
                                              {"uparm", BodyPart::kUpperArm, 0},
                                              {"armupper", BodyPart::kUpperArm, 0},
                                              {"humerus", BodyPart::kUpperArm, 0},
                                              {"arm", BodyPart::kUpperArm, 1},
                                              {"shoulder", BodyPart::kUpperArm, 3},
                                              {"forearm", BodyPart::kLowerArm, 0},
                                              {"lowerarm", BodyPart::kLowerArm, 0},
                                              {"loarm", BodyPart::kLowerArm, 0},
                                              {"lowarm", BodyPart::kLowerArm, 0},
                                              {"armlower", BodyPart::kLowerArm, 0},
                                              {"elbow", BodyPart::kLowerArm, 1},
                                              {"hand", BodyPart::kHand, 0},
                                              {"wrist", BodyPart::kHand, 1},
                                              {"palm", BodyPart::kHand, 2},
                                              {"upperleg", BodyPart::kUpperLeg, 0},
                                              {"upleg", BodyPart::kUpperLeg, 0},
                                              {"legupper", BodyPart::kUpperLeg, 0},
                                              {"thigh", BodyPart::kUpperLeg, 0},
                                              {"femur", BodyPart::kUpperLeg, 0},
                                              {"hip", BodyPart::kUpperLeg, 3},
                                              {"lowerleg", BodyPart::kLowerLeg, 0},
                                              {"loleg", BodyPart::kLowerLeg, 0},
                                              {"lowleg", BodyPart::kLowerLeg, 0},
                                              {"leglower", BodyPart::kLowerLeg, 0},
                                              {"shin", BodyPart::kLowerLeg, 0},
                                              {"calf", BodyPart::kLowerLeg, 0},
                                              {"tibia", BodyPart::kLowerLeg, 0},
                                              {"knee", BodyPart::kLowerLeg, 1},
                                              {"leg", BodyPart::kLowerLeg, 2},
                                              {"ankle", BodyPart::kFoot, 0},
                                              {"foot", BodyPart::kFoot, 1},
                                              {"toes", BodyPart::kToes, 0},
                                              {"toe", BodyPart::kToes, 0},
                                              {"ball", BodyPart::kToes, 1},
                                              {"thumb", BodyPart::kThumb, 0},
                                              {"handthumb", BodyPart::kThumb, 0},
                                              {"index", BodyPart::kIndex, 0},
                                              {"handindex", BodyPart::kIndex, 0},
                                              {"indexfinger", BodyPart::kIndex, 0},
                                              {"middle", BodyPart::kMiddle, 0},
                                              {"mid", BodyPart::kMiddle, 0},
                                              {"handmiddle", BodyPart::kMiddle, 0},
                                              {"middlefinger", BodyPart::kMiddle, 0},
                                              {"ring", BodyPart::kRing, 0},
                                              {"handring", BodyPart::kRing, 0},
                                              {"ringfinger", BodyPart::kRing, 0},
                                              {"pinky", BodyPart::kLittle, 0},
                                              {"handpinky", BodyPart::kLittle, 0},
                                              {"little", BodyPart::kLittle, 0}}};

}  // namespace

JointWords joint_words(std::string_view name) {
  JointWords words;
  if (const std::size_t cut = name.find_last_of(":|"); cut != std::string_view::npos)
    name.remove_prefix(cut + 1);
  words.spare = name.substr(0, 2) == "__";
  bool metacarpal = false, numbered_prefix = false;  // "Bip01"
  for (const std::string& part : name_parts(name)) {
    if (is_number(part[0])) {
      if (!numbered_prefix) words.numbers.push_back(part.size() > 6 ? 999999 : std::stoi(part));
      numbered_prefix = false;
      continue;
    }
    numbered_prefix = part == "bip";
    if (part == "l" || part == "left") {
      words.side = 0;
    } else if (part == "r" || part == "right") {
      words.side = 1;
    } else {
      words.deform |= part == "def";
      metacarpal |= part == "metacarpal";
      if (std::find(kFillers.begin(), kFillers.end(), part) == kFillers.end()) words.word += part;
    }
  }
  // A thumb's metacarpal is its first joint; those of the fingers lie in the palm.
  if (metacarpal && words.word != "thumb") words.word += "metacarpal";
  return words;
}

std::vector<PartWord> parts_called(const JointWords& words) {
  std::vector<PartWord> parts;
  // "finger2-1": the first joint of the second.
  if (words.word == "finger" && words.numbers.size() == 2 && words.numbers[0] >= 1 && words.numbers[0] <= 5) {
    constexpr std::array<BodyPart, 5> kFingers = {BodyPart::kThumb, BodyPart::kIndex, BodyPart::kMiddle,
                                                  BodyPart::kRing, BodyPart::kLittle};
    parts.push_back({"finger", kFingers[static_cast<std::size_t>(words.numbers[0] - 1)], 0});
    return parts;
  }
  for (const PartWord& known : kWords)
    if (known.word == words.word) parts.push_back(known);
  return parts;
}

}  // namespace sinew
