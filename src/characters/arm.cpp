// SPDX-License-Identifier: Apache-2.0
#include "characters/palm.h"

namespace sinew::characters {
namespace {

constexpr double kArmElbow = .29, kArmWrist = .55;  // along x; the shoulder is at the origin

std::vector<JointSpec> arm_joints() {
  return {{"UpperArm", "", {0, 0, 0}, {}},
          {"ForeArm", "UpperArm", {kArmElbow, 0, -.006}, {}},
          {"Hand", "ForeArm", {kArmWrist, 0, 0}, Vec3(kArmWrist + .085, 0, 0)}};
}

}  // namespace

// A left arm stretched out sideways, palm down.
Blueprint arm_blueprint() {
  Blueprint arm;
  arm.joints = arm_joints();
  arm.cage.emplace(names_of(arm.joints));
  const Chain chain = {"UpperArm", "ForeArm", "Hand"};
  const auto ring = [](double x, double y, double z, double u, double v, double bone) {
    return Ring{Vec3(x, y, z), u, v, bone};
  };
  const std::vector<Ring> rings = {
      ring(-.066, .004, 0, .040, .046, 0),       ring(-.054, .005, 0, .060, .067, 0),
      ring(-.020, .006, 0, .069, .075, 0),       ring(.020, .004, 0, .064, .069, 0),
      ring(.065, .000, .001, .053, .055, 0),     ring(.105, 0, .004, .048, .050, 0),
      ring(.155, .001, .008, .051, .050, 0),     ring(.205, 0, .004, .045, .043, 0),
      ring(.245, 0, -.003, .038, .036, .15),     ring(.272, 0, -.007, .036, .035, .35),
      ring(kArmElbow, 0, -.009, .037, .035, .5), ring(.308, 0, -.007, .038, .036, .65),
      ring(.335, .001, .000, .045, .040, .88),   ring(.372, .001, .005, .049, .041, 1),
      ring(.420, 0, .005, .044, .036, 1),        ring(.468, 0, .002, .035, .028, 1.05),
      ring(.508, 0, 0, .0295, .0225, 1.2),       ring(.538, 0, 0, .0280, .0200, 1.4)};
  Patch start;
  const Tube upper = arm.cage->body(4, 2, Vec3::UnitY(), rings, chain, &start);
  arm.cage->dome(start, .012);
  Affine3 frame = Affine3::Identity();
  frame.translation() = Vec3(kArmWrist, 0, 0);
  grow_hand(*arm.cage, upper.end, frame, chain, "", true);

  const auto swell = [](double t) { return (1 - cowave(t)) / 2; };
  Clip bend = ClipBuilder("bend", 2, arm.joints)
                  .turn("ForeArm", [&](double t) { return Vec3(0, -110 * swell(t), 0); })
                  .turn("Hand", [&](double t) { return Vec3(0, -25 * swell(t), 0); })
                  .take();
  Clip twist = ClipBuilder("twist", 2, arm.joints)
                   .turn("ForeArm", [](double t) { return Vec3(35 * wave(t), 0, 0); })
                   .turn("Hand", [](double t) { return Vec3(75 * wave(t), 0, 0); })
                   .take();
  arm.clips = {bend, twist};
  return arm;
}

}  // namespace sinew::characters
