// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "characters/blueprint.h"

namespace sinew::characters {

// A leg in the side view (y, z): three joints and the points it stands on. All at rest, world space.
struct Leg {
  std::string upper, lower, foot, toe;  // joint names; no toe: empty
  Vec3 heel, ball;                      // touch the ground; digitigrade animals: the same point
  double bend = 1;  // +1: the middle joint points forward (a knee), -1: backward (an elbow)
};

// How a leg steps. Phase 0: the foot lands in front; at `stance` it leaves the ground behind.
struct Step {
  double stride = .5;       // from landing to leaving, metres
  double stance = .6;       // part of the cycle on the ground
  double lift = .06;        // highest point of the ball's way back
  double land_pitch = -15;  // degrees, toes up, when the foot lands
  double leave_pitch = 35;  // heel up, when it leaves
  double swing_pitch = 20;  // most that is added in the air
  double centre = 0;        // the middle of the stride before (+) or behind the rest position
};

// Turns the joints of a leg so that its foot walks on the ground while the body is offset by body(phase).
void add_steps(ClipBuilder& clip, const std::vector<JointSpec>& joints, const Leg& leg, const Step& step,
               double shift, const ClipBuilder::Motion& body);

}  // namespace sinew::characters
