// SPDX-License-Identifier: Apache-2.0
#include "characters/palm.h"

namespace sinew::characters {
namespace {

// A raised left hand: fingers up, palm to the front.
Affine3 hand_frame() {
  Affine3 frame = Affine3::Identity();
  frame.linear().col(0) = Vec3::UnitY();
  frame.linear().col(1) = -Vec3::UnitZ();
  frame.linear().col(2) = -Vec3::UnitX();
  frame.translation() = Vec3(0, .07, 0);
  return frame;
}

std::vector<JointSpec> hand_joints() {
  const Affine3 frame = hand_frame();
  std::vector<JointSpec> joints = {{"ForeArm", "", frame * Vec3(-.065, 0, 0), {}},
                                   {"Hand", "ForeArm", frame * Vec3::Zero(), {}}};
  for (const JointSpec& joint : finger_joints(frame, "", "Hand")) joints.push_back(joint);
  return joints;
}

Clip grip(const std::vector<JointSpec>& joints) {
  ClipBuilder clip("grip", 2, joints);
  const auto close = [](double t, double late) {
    return (1 - cowave(t)) / 2 * (1 - late * (1 + cowave(t)) / 2);
  };
  const char* names[] = {"Index", "Middle", "Ring", "Pinky"};
  for (int f = 0; f < 4; ++f)
    for (int k = 1; k <= 3; ++k)
      clip.turn(names[f] + std::to_string(k),
                [=](double t) { return Vec3((k == 2 ? 85 : 68) * close(t, .12 * f), 0, 0); });
  const Vec3 across(.45, .59, -.54);  // carries the thumb over the palm
  clip.spin("Thumb1", across, [=](double t) { return 42 * close(t, .3); });
  clip.spin("Thumb2", across, [=](double t) { return 30 * close(t, .3); });
  clip.spin("Thumb3", across, [=](double t) { return 45 * close(t, .3); });
  return clip.take();
}

}  // namespace

Blueprint hand_blueprint() {
  Blueprint hand;
  hand.joints = hand_joints();
  hand.cage.emplace(names_of(hand.joints));
  const Affine3 frame = hand_frame();
  const auto ring = [&](double x, double u, double v, double bone) {
    return Ring{frame * Vec3(x, 0, 0), u, v, bone};
  };
  const Chain chain = {"ForeArm", "Hand"};
  Patch start;
  const std::vector<Ring> rings = {ring(-.072, .030, .023, 0), ring(-.064, .0345, .0265, 0),
                                   ring(-.045, .0335, .025, 0), ring(-.025, .0305, .0225, .15),
                                   ring(-.006, .0285, .0205, .5)};
  const Tube wrist = hand.cage->body(4, 2, frame.linear() * Vec3::UnitY(), rings, chain, &start);
  hand.cage->dome(start, .006);
  grow_hand(*hand.cage, wrist.end, frame, chain, "", false);
  hand.clips = {grip(hand.joints)};
  return hand;
}

}  // namespace sinew::characters
