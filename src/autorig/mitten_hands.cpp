// SPDX-License-Identifier: Apache-2.0
#include "autorig/mitten_hands.h"

#include <algorithm>

namespace sinew::autorig {
namespace {

// Fingers of a hand: joints on minor parts that hang on one of a limb.
std::vector<std::size_t> fingers_of(const TemplateData& model, std::size_t hand) {
  std::vector<std::size_t> fingers;
  for (std::size_t j = hand + 1; j < model.joints.size(); ++j)
    if (model.joints[j].parent == static_cast<int>(hand) &&
        model.joints[j].anchor.kind == Anchor::Kind::kMinor)
      fingers.push_back(j);
  return fingers;
}

bool shows_fingers(const Match& match, std::size_t limb) {
  return std::any_of(match.parts.minors.begin(), match.parts.minors.end(),
                     [&](const Part& minor) { return minor.parent == static_cast<int>(limb); });
}

}  // namespace

void add_mitten_joints(const Match& match, std::vector<PlacedJoint>& placed) {
  const TemplateData& model = *match.model;
  for (std::size_t hand = 0; hand < model.joints.size(); ++hand) {
    const Anchor& anchor = model.joints[hand].anchor;
    if (anchor.kind != Anchor::Kind::kLimb || !placed[hand].present) continue;
    const std::vector<std::size_t> fingers = fingers_of(model, hand);
    if (fingers.size() < 3 ||  // ears, or the toes of a bird
        std::any_of(fingers.begin(), fingers.end(), [&](std::size_t j) { return placed[j].present; }))
      continue;
    const int image = model.mirror_limbs[anchor.part];
    if (!shows_fingers(match, anchor.part) &&
        (image < 0 || !shows_fingers(match, static_cast<std::size_t>(image))))
      continue;
    const auto reach = [&](std::size_t j) {
      return (model.parts.minors[model.joints[j].anchor.part].tip - model.joints[hand].head).norm();
    };
    const std::size_t longest = *std::max_element(fingers.begin(), fingers.end(),
                                                  [&](auto a, auto b) { return reach(a) < reach(b); });
    const Curve& curve = match.parts.limbs[anchor.part].curve;
    placed[longest].present = true;
    placed[longest].head = curve.at((curve.project(placed[hand].head) + curve.length()) / 2);
    placed[longest].tail = curve.points.back();
  }
}

}  // namespace sinew::autorig
