// SPDX-License-Identifier: Apache-2.0
#include "autorig/mitten_hands.h"

#include <algorithm>
#include <span>

namespace sinew::autorig {
namespace {

constexpr double kFingerBones[] = {0.5, 0.75};        // of the way from the wrist to the end of the hand
constexpr double kThumbBones[] = {1.0 / 3, 2.0 / 3};  // of the way from the wrist to the tip of the thumb

// Fingers of a hand: joints on minor parts that hang on one of a limb.
std::vector<std::size_t> fingers_of(const TemplateData& model, std::size_t hand) {
  std::vector<std::size_t> fingers;
  for (std::size_t j = hand + 1; j < model.joints.size(); ++j)
    if (model.joints[j].parent == static_cast<int>(hand) &&
        model.joints[j].anchor.kind == Anchor::Kind::kMinor)
      fingers.push_back(j);
  return fingers;
}

// From the wrist to the tip that the template shows for a finger.
Vec3 reach_of(const TemplateData& model, std::size_t hand, std::size_t finger) {
  return model.parts.minors[model.joints[finger].anchor.part].tip - model.joints[hand].head;
}

std::size_t longest_of(const TemplateData& model, std::size_t hand, const std::vector<std::size_t>& fingers) {
  return *std::max_element(fingers.begin(), fingers.end(), [&](std::size_t a, std::size_t b) {
    return reach_of(model, hand, a).norm() < reach_of(model, hand, b).norm();
  });
}

// The finger that points farthest away from the longest one.
std::size_t thumb_of(const TemplateData& model, std::size_t hand, const std::vector<std::size_t>& fingers,
                     std::size_t longest) {
  const Vec3 ahead = reach_of(model, hand, longest).normalized();
  return *std::min_element(fingers.begin(), fingers.end(), [&](std::size_t a, std::size_t b) {
    return reach_of(model, hand, a).normalized().dot(ahead) <
           reach_of(model, hand, b).normalized().dot(ahead);
  });
}

bool shows_fingers(const Match& match, std::size_t limb) {
  return std::any_of(match.parts.minors.begin(), match.parts.minors.end(),
                     [&](const Part& minor) { return minor.parent == static_cast<int>(limb); });
}

// Of what grows on the hand, what stands farthest off the line from the wrist to the hand's end.
const Part* thumb_in(const Match& match, std::size_t limb, const Vec3& wrist, const Vec3& end) {
  const Vec3 ahead = (end - wrist).normalized();
  const Part* best = nullptr;
  double most = 0;
  for (const Part& minor : match.parts.minors) {
    if (minor.parent != static_cast<int>(limb)) continue;
    const Vec3 way = minor.tip - wrist;
    const double off = (way - way.dot(ahead) * ahead).norm();
    if (off > most) most = off, best = &minor;
  }
  return best;
}

// The joints of a finger, from its first outwards, as long as there is one for each share.
template <class PlaceAt>
void place_bones(const TemplateData& model, std::size_t first, std::span<const double> shares,
                 const Vec3& tip, PlaceAt&& place_at, std::vector<PlacedJoint>& placed) {
  std::size_t last = first;
  for (std::size_t j = first, k = 0; k < shares.size(); ++k) {
    placed[j].present = true;
    placed[j].head = place_at(shares[k]);
    last = j;
    const auto child =
        std::find_if(model.joints.begin() + static_cast<std::ptrdiff_t>(j), model.joints.end(),
                     [&](const TemplateJoint& joint) { return joint.parent == static_cast<int>(j); });
    if (child == model.joints.end()) break;
    j = static_cast<std::size_t>(child - model.joints.begin());
  }
  placed[last].tail = tip;
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
    const Curve& curve = match.parts.limbs[anchor.part].curve;
    const Vec3 &wrist = placed[hand].head, &end = curve.points.back();
    const double from = curve.project(wrist);
    const std::size_t longest = longest_of(model, hand, fingers);
    place_bones(
        model, longest, kFingerBones, end,
        [&](double share) { return curve.at(from + share * (curve.length() - from)); }, placed);
    // Where this hand hides its thumb, the other one shows it: it is made its image.
    if (const Part* thumb = thumb_in(match, anchor.part, wrist, end))
      place_bones(
          model, thumb_of(model, hand, fingers, longest), kThumbBones, thumb->tip,
          [&](double share) { return Vec3(wrist + share * (thumb->tip - wrist)); }, placed);
  }
}

}  // namespace sinew::autorig
