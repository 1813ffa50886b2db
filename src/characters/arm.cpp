// SPDX-License-Identifier: Apache-2.0
#include "characters/palm.h"

namespace sinew::characters {
namespace {

constexpr double kElbow = .29, kWrist = .55;  // along x; the shoulder is at the origin

std::vector<JointSpec> arm_joints() {
  return {{"UpperArm", "", {0, 0, 0}, {}},
          {"ForeArm", "UpperArm", {kElbow, 0, -.006}, {}},
          {"Hand", "ForeArm", {kWrist, 0, 0}, Vec3(kWrist + .1, 0, 0)}};
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
      ring(-.062, .004, 0, .042, .047, 0),    ring(-.050, .004, 0, .058, .064, 0),
      ring(-.020, .004, 0, .066, .070, 0),    ring(.020, .004, 0, .063, .066, 0),
      ring(.070, .001, .001, .054, .056, 0),  ring(.120, 0, .003, .049, .052, 0),
      ring(.170, 0, .005, .049, .051, 0),     ring(.215, 0, .002, .044, .045, 0),
      ring(.250, 0, -.003, .040, .040, .15),  ring(.275, 0, -.006, .039, .038, .35),
      ring(kElbow, 0, -.007, .039, .038, .5), ring(.305, 0, -.006, .040, .038, .65),
      ring(.330, 0, -.001, .044, .041, .88),  ring(.370, 0, .003, .047, .042, 1),
      ring(.420, 0, .003, .043, .038, 1),     ring(.470, 0, .001, .036, .030, 1.05),
      ring(.510, 0, 0, .031, .024, 1.2),      ring(.540, 0, 0, .0290, .0210, 1.4)};
  Patch start;
  const Tube upper = arm.cage->body(4, 2, Vec3::UnitY(), rings, chain, &start);
  arm.cage->dome(start, .012);
  Affine3 frame = Affine3::Identity();
  frame.translation() = Vec3(kWrist, 0, 0);
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
