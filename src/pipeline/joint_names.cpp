// SPDX-License-Identifier: Apache-2.0
#include "pipeline/joint_names.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "sinew/core/text.h"

namespace sinew {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr std::array<Pair, 6> kMiddle = {{{"Hips", "hips"},
                                          {"Spine", "spine"},
                                          {"Spine1", "chest"},
                                          {"Spine2", "upperChest"},
                                          {"Neck", "neck"},
                                          {"Head", "head"}}};
// Behind "Left" and "Right".
constexpr std::array<Pair, 8> kSide = {{{"Shoulder", "Shoulder"},
                                        {"Arm", "UpperArm"},
                                        {"ForeArm", "LowerArm"},
                                        {"Hand", "Hand"},
                                        {"UpLeg", "UpperLeg"},
                                        {"Leg", "LowerLeg"},
                                        {"Foot", "Foot"},
                                        {"ToeBase", "Toes"}}};
constexpr std::array<Pair, 5> kFingers = {
    {{"Thumb", "Thumb"}, {"Index", "Index"}, {"Middle", "Middle"}, {"Ring", "Ring"}, {"Pinky", "Little"}}};

std::string side_name(std::string_view side, std::string_view rest) {
  for (const auto& [from, to] : kSide)
    if (rest == from) return fmt::format("{}{}", side, to);
  if (!rest.starts_with("Hand")) return {};
  rest.remove_prefix(4);
  for (const auto& [from, to] : kFingers) {
    if (!rest.starts_with(from) || rest.size() != from.size() + 1) continue;
    const int bone = rest.back() - '1';
    if (bone < 0 || bone > 2) return {};
    constexpr std::array<const char*, 3> kThumb = {"Metacarpal", "Proximal", "Distal"};
    constexpr std::array<const char*, 3> kOther = {"Proximal", "Intermediate", "Distal"};
    return fmt::format("{}{}{}", side, to,
                       (from == "Thumb" ? kThumb : kOther)[static_cast<std::size_t>(bone)]);
  }
  return {};
}

std::string vrm_name(std::string_view name) {
  for (const auto& [from, to] : kMiddle)
    if (name == from) return std::string(to);
  if (name.starts_with("Left")) return side_name("left", name.substr(4));
  if (name.starts_with("Right")) return side_name("right", name.substr(5));
  return {};
}

}  // namespace

Result<Skeleton> with_names(const Skeleton& skeleton, const std::string& style) {
  if (style == "mixamo") return skeleton;
  if (style != "vrm" && style != "mixamorig")
    return parameter_error("names", fmt::format("is '{}': give mixamo, mixamorig or vrm", printable(style)));
  std::vector<Joint> joints(skeleton.joints().begin(), skeleton.joints().end());
  for (Joint& joint : joints) {
    const std::string other = vrm_name(joint.name);
    if (!other.empty()) joint.name = style == "vrm" ? other : "mixamorig:" + joint.name;
  }
  return Skeleton::create(std::move(joints));
}

}  // namespace sinew
