// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinew {

// What the name of a joint says: "mixamorig:LeftHandIndex2" is left, "handindex", 2.
struct JointWords {
  std::string word;          // lower case, without side, prefixes and numbers
  std::vector<int> numbers;  // in order
  int side = -1;             // 0 left, 1 right
  bool deform = false;       // "DEF-": what moves the skin in a rig of controls
  bool spare = false;        // "__": a joint that only carries another
};
JointWords joint_words(std::string_view name);

// A part of the body that a word means, and how sure that is: 0 most.
enum class BodyPart {
  kHips,
  kNeck,
  kHead,
  kJaw,
  kEye,
  kShoulder,
  kUpperArm,
  kLowerArm,
  kHand,
  kUpperLeg,
  kLowerLeg,
  kFoot,
  kToes,
  kThumb,
  kIndex,
  kMiddle,
  kRing,
  kLittle
};
struct PartWord {
  std::string_view word;
  BodyPart part;
  int doubt;
};
std::vector<PartWord> parts_called(const JointWords& words);

}  // namespace sinew
