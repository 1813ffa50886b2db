// SPDX-License-Identifier: Apache-2.0
#include "characters/blueprint.h"

namespace sinew::characters {
namespace {

std::vector<JointSpec> bird_joints() {
  return with_right_side({
      {"Hips", "", {0, .205, -.04}, {}},
      {"Spine", "Hips", {0, .22, .03}, {}},
      {"Neck", "Spine", {0, .255, .10}, {}},
      {"Neck1", "Neck", {0, .29, .13}, {}},
      {"Head", "Neck1", {0, .325, .15}, Vec3(0, .318, .225)},
      {"Tail", "Hips", {0, .20, -.12}, Vec3(0, .18, -.29)},
      {"LeftArm", "Spine", {.055, .25, .05}, {}},
      {"LeftForeArm", "LeftArm", {.17, .268, .03}, {}},
      {"LeftHand", "LeftForeArm", {.315, .276, .05}, Vec3(.55, .276, .0227)},
      {"LeftUpLeg", "Hips", {.04, .182, -.010}, {}},
      {"LeftLeg", "LeftUpLeg", {.045, .132, .006}, {}},
      {"LeftFoot", "LeftLeg", {.046, .075, -.025}, {}},
      {"LeftToeBase", "LeftFoot", {.046, .012, -.005}, Vec3(.046, .008, .055)},
  });
}

Tube grow_body(Cage& cage) {
  const std::vector<Ring> rings = {section(.178, -.300, .070, .005, 0, Vec3::Zero(), 3),
                                   section(.180, -.285, .080, .007, 0, Vec3::Zero(), 3),
                                   section(.186, -.230, .066, .010, 0),
                                   section(.194, -.170, .048, .018, .2),
                                   section(.200, -.125, .044, .034, .6),
                                   section(.202, -.080, .054, .052, 1),
                                   section(.204, -.030, .064, .064, 1.1),
                                   section(.212, .020, .068, .070, 1.5),
                                   section(.224, .070, .060, .066, 2, {0, .3, 1}),
                                   section(.248, .106, .046, .053, 2.6, {0, .8, 1}),
                                   section(.278, .125, .035, .040, 3.3, {0, 1, .5}),
                                   section(.305, .140, .032, .036, 4.1, {0, 1, .7}),
                                   section(.325, .158, .034, .036, 4.75, {0, .4, 1}),
                                   section(.330, .180, .031, .031, 5, {0, -.1, 1}),
                                   section(.325, .198, .022, .021, 5, {0, -.2, 1}),
                                   section(.320, .212, .012, .012, 5, {0, -.2, 1}),
                                   section(.315, .232, .008, .008, 5, {0, -.3, 1}),
                                   section(.308, .248, .003, .003, 5, {0, -.5, 1})};
  return cage.body(4, 4, Vec3::UnitY(), rings, {"Tail", "Hips", "Spine", "Neck", "Neck1", "Head"});
}

void grow_wing(Cage& cage, const Patch& patch) {
  const auto ring = [](double x, double y, double z, double thick, double chord, double bone) {
    return Ring{Vec3(x, y, z), thick, chord, bone, 2, Vec3(1, 0, 0)};
  };
  const std::vector<Ring> rings = {
      ring(.082, .250, .002, .020, .074, .6),    ring(.115, .258, -.006, .015, .082, 1),
      ring(.150, .266, -.010, .012, .088, 1.25), ring(.170, .269, -.010, .011, .090, 1.5),
      ring(.195, .272, -.006, .010, .089, 1.75), ring(.245, .276, .008, .009, .084, 2),
      ring(.290, .277, .018, .008, .077, 2.25),  ring(.315, .277, .020, .0075, .074, 2.5),
      ring(.345, .276, .016, .007, .070, 2.85),  ring(.385, .274, .006, .006, .063, 3)};
  const Chain chain = {"Spine", "LeftArm", "LeftForeArm", "LeftHand"};
  const Tube wing = cage.limb(patch, Vec3::UnitZ(), rings, chain);
  for (int k = 0; k < 3; ++k) {  // three primaries, the foremost longest
    const Vec3 root(.392, .273, -.036 + .042 * k);
    const Vec3 tip = root + Vec3(.085 + .055 * k, -.004 + .004 * k, -.075 + .022 * k);
    std::vector<Ring> feather;
    for (const auto& [at, chord] : {std::pair{.12, .021}, {.45, .021}, {.8, .016}, {1.0, .006}})
      feather.push_back({root + at * (tip - root), .0035, chord, 3});
    cage.limb(wing.end.part(0, k, 2, 1), Vec3::UnitZ(), feather, chain);
  }
}

void grow_bird_leg(Cage& cage, const Patch& patch) {
  const auto ring = [](double y, double z, double u, double v, double bone, Vec3 along) {
    return Ring{Vec3(.045, y, z), u, v, bone, 2, along};
  };
  const std::vector<Ring> rings = {
      ring(.152, -.004, .026, .030, .7, {.5, -1, .1}),   ring(.130, .004, .021, .025, 1.5, {.1, -1, -.1}),
      ring(.108, -.006, .014, .017, 2, {0, -1, -.6}),    ring(.082, -.021, .008, .009, 2.4, {0, -1, -.4}),
      ring(.068, -.023, .0068, .0075, 2.7, {0, -1, .2}), ring(.040, -.015, .006, .006, 3, {0, -1, .3}),
      ring(.020, -.008, .008, .008, 3.5, {0, -1, .4}),   ring(.010, .004, .012, .008, 4, {0, -.3, 1})};
  const Chain chain = {"Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"};
  const Tube leg = cage.limb(patch, Vec3::UnitZ(), rings, chain);
  for (int k = 0; k < 3; ++k) {
    const Vec3 root(.045 + .009 * (k - 1), .009, .006);
    const Vec3 tip = root + Vec3(.026 * (k - 1), -.003, k == 1 ? .055 : .045);
    std::vector<Ring> toe;
    for (const auto& [at, radius] : {std::pair{.2, .0055}, {.6, .005}, {.9, .0035}, {1.0, .0015}})
      toe.push_back({root + at * (tip - root), radius, radius, 4});
    cage.limb(leg.end.part(k, 0, 1, 1), Vec3::UnitY(), toe, chain);
  }
  std::vector<Ring> hallux;
  for (const auto& [z, radius] : {std::pair{-.020, .0055}, {-.032, .0045}, {-.042, .003}, {-.046, .0015}})
    hallux.push_back({Vec3(.045, .008 + .1 * (z + .046), z), radius, radius, 4});
  cage.limb(leg.side(6, 1, 6, 1), -Vec3::UnitY(), hallux, chain);
}

Clip flap(const std::vector<JointSpec>& joints) {
  ClipBuilder clip("flap", .8, joints);
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "Left" : "Right";
    clip.turn(name + "Arm", [=](double t) { return Vec3(0, 0, side * (8 + 38 * cowave(t))); });
    clip.turn(name + "ForeArm", [=](double t) { return Vec3(0, 0, side * (22 * cowave(t - .12) - 8)); });
    clip.turn(name + "Hand", [=](double t) { return Vec3(0, 0, side * (25 * cowave(t - .24) - 5)); });
  }
  for (const std::string name : {"Left", "Right"}) {  // legs trail behind
    clip.turn(name + "UpLeg", [](double t) { return Vec3(38 + 3 * cowave(t), 0, 0); });
    clip.turn(name + "Foot", [](double t) { return Vec3(25 + 5 * cowave(t - .1), 0, 0); });
    clip.turn(name + "ToeBase", [](double) { return Vec3(30, 0, 0); });
  }
  clip.turn("Tail", [](double t) { return Vec3(6 * cowave(t + .1), 0, 0); });
  clip.move("Hips", [](double t) { return Vec3(0, .03 - .02 * cowave(t - .1), 0); });
  return clip.take();
}

}  // namespace

Blueprint bird_blueprint() {
  Blueprint bird;
  bird.joints = bird_joints();
  Cage& cage = bird.cage.emplace(names_of(bird.joints));
  const Tube body = grow_body(cage);
  grow_wing(cage, body.side(5, 3, 2, 2));
  grow_bird_leg(cage, body.side(6, 1, 15, 3));
  cage.mirror();
  bird.clips = {flap(bird.joints)};
  return bird;
}

}  // namespace sinew::characters
