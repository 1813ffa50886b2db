// SPDX-License-Identifier: Apache-2.0
#include "characters/gait.h"

namespace sinew::characters {
namespace {

std::vector<JointSpec> quadruped_joints() {
  return with_right_side({
      {"Hips", "", {0, .555, -.25}, {}},
      {"Spine", "Hips", {0, .535, -.14}, {}},
      {"Spine1", "Spine", {0, .53, 0}, {}},
      {"Spine2", "Spine1", {0, .52, .13}, {}},
      {"Neck", "Spine2", {0, .54, .305}, {}},
      {"Neck1", "Neck", {0, .635, .377}, {}},
      {"Head", "Neck1", {0, .73, .44}, Vec3(0, .695, .69)},
      {"Tail", "Hips", {0, .57, -.345}, {}},
      {"Tail1", "Tail", {0, .545, -.46}, {}},
      {"Tail2", "Tail1", {0, .47, -.57}, {}},
      {"Tail3", "Tail2", {0, .41, -.64}, Vec3(0, .377, -.695)},
      {"LeftEar", "Head", {.045, .79, .455}, Vec3(.061, .885, .442)},
      {"LeftShoulder", "Spine2", {.06, .465, .19}, {}},
      {"LeftArm", "LeftShoulder", {.085, .43, .215}, {}},
      {"LeftForeArm", "LeftArm", {.092, .33, .165}, {}},
      {"LeftHand", "LeftForeArm", {.092, .12, .176}, Vec3(.092, .03, .22)},
      {"LeftUpLeg", "Hips", {.078, .535, -.26}, {}},
      {"LeftLeg", "LeftUpLeg", {.088, .36, -.192}, {}},
      {"LeftFoot", "LeftLeg", {.088, .21, -.335}, {}},
      {"LeftToeBase", "LeftFoot", {.088, .045, -.315}, Vec3(.088, .025, -.25)},
  });
}

Tube grow_body(Cage& cage, Patch& rump) {
  const auto ring = [](Vec2 top, Vec2 bottom, double half_width, double bone) {
    return profile(0, top, bottom, half_width, bone, Vec3(0, .3, 1));
  };
  const std::vector<Ring> rings = {
      ring({-.408, .575}, {-.402, .510}, .048, 0), ring({-.388, .606}, {-.388, .460}, .084, 0),
      ring({-.310, .630}, {-.310, .400}, .104, 0), ring({-.220, .628}, {-.220, .408}, .102, .3),
      ring({-.130, .616}, {-.120, .425}, .094, 1), ring({-.030, .610}, {-.020, .400}, .098, 1.8),
      ring({.060, .615}, {.060, .365}, .106, 2.5), ring({.130, .628}, {.130, .342}, .110, 3),
      ring({.205, .640}, {.220, .340}, .106, 3),   ring({.262, .655}, {.320, .375}, .092, 3.3),
      ring({.300, .685}, {.385, .455}, .077, 3.9), ring({.335, .725}, {.415, .540}, .066, 4.4),
      ring({.365, .765}, {.440, .615}, .060, 5),   ring({.405, .800}, {.470, .655}, .062, 5.6),
      ring({.465, .812}, {.505, .668}, .068, 6),   ring({.515, .806}, {.535, .664}, .066, 6),
      ring({.560, .780}, {.565, .660}, .051, 6),   ring({.600, .750}, {.598, .656}, .037, 6),
      ring({.645, .736}, {.642, .652}, .032, 6),   ring({.688, .728}, {.680, .654}, .028, 6),
      ring({.708, .718}, {.700, .664}, .021, 6),   ring({.720, .704}, {.716, .682}, .010, 6)};
  return cage.body(4, 4, Vec3::UnitY(), rings, {"Hips", "Spine", "Spine1", "Spine2", "Neck", "Neck1", "Head"},
                   &rump);
}

void grow_tail(Cage& cage, const Patch& patch) {
  const std::vector<Ring> rings = {section(.559, -.434, .035, .035, .6),  section(.547, -.462, .034, .034, 1),
                                   section(.525, -.495, .036, .036, 1.5), section(.500, -.530, .042, .042, 2),
                                   section(.468, -.572, .046, .046, 2.5), section(.440, -.605, .045, .045, 3),
                                   section(.408, -.642, .041, .041, 3.5), section(.385, -.680, .032, .032, 4),
                                   section(.365, -.718, .018, .018, 4)};
  cage.limb(patch, Vec3::UnitY(), rings, {"Hips", "Tail", "Tail1", "Tail2", "Tail3"});
}

Ring leg_ring(double x, double y, double z, double u, double v, double bone, Vec3 along = Vec3::Zero()) {
  return {{x, y, z}, u, v, bone, 2, along};
}

void grow_hind_leg(Cage& cage, const Patch& patch) {
  const std::vector<Ring> rings = {leg_ring(.076, .418, -.285, .052, .090, .6, {.45, -1, -.2}),
                                   leg_ring(.083, .378, -.258, .044, .076, .95, {.2, -1, -.1}),
                                   leg_ring(.086, .342, -.232, .038, .064, 1.5, {0, -1, -.25}),
                                   leg_ring(.087, .298, -.248, .033, .051, 1.95, {0, -1, -.7}),
                                   leg_ring(.089, .250, -.288, .029, .038, 2, {0, -1, -.9}),
                                   leg_ring(.088, .205, -.328, .024, .030, 2.25, {0, -1, -.6}),
                                   leg_ring(.088, .180, -.340, .023, .030, 2.5, {0, -1, 0}),
                                   leg_ring(.088, .145, -.336, .021, .024, 2.9, {0, -1, .2}),
                                   leg_ring(.088, .095, -.327, .020, .021, 3, {0, -1, .2}),
                                   leg_ring(.088, .058, -.318, .024, .027, 3.4, {0, -1, .5}),
                                   leg_ring(.088, .036, -.295, .030, .034, 3.9, {0, -.6, 1}),
                                   leg_ring(.088, .026, -.262, .030, .024, 4, {0, -.2, 1}),
                                   leg_ring(.088, .021, -.242, .022, .015, 4, {0, -.1, 1})};
  cage.limb(patch, Vec3::UnitZ(), rings, {"Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"});
}

void grow_fore_leg(Cage& cage, const Patch& patch) {
  const std::vector<Ring> rings = {leg_ring(.079, .376, .200, .048, .068, .9, {.5, -1, -.15}),
                                   leg_ring(.086, .340, .182, .039, .056, 1.35, {.2, -1, -.2}),
                                   leg_ring(.089, .305, .170, .034, .045, 1.75, {0, -1, 0}),
                                   leg_ring(.092, .270, .168, .031, .038, 2),
                                   leg_ring(.092, .215, .171, .026, .030, 2),
                                   leg_ring(.092, .160, .174, .023, .026, 2.25),
                                   leg_ring(.092, .130, .176, .023, .026, 2.5),
                                   leg_ring(.092, .095, .178, .021, .023, 2.85),
                                   leg_ring(.092, .060, .184, .025, .028, 3, {0, -1, .5}),
                                   leg_ring(.092, .036, .205, .031, .034, 3, {0, -.6, 1}),
                                   leg_ring(.092, .026, .237, .031, .024, 3, {0, -.2, 1}),
                                   leg_ring(.092, .021, .257, .023, .015, 3, {0, -.1, 1})};
  cage.limb(patch, Vec3::UnitZ(), rings, {"LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"});
}

void grow_ear(Cage& cage, const Patch& patch) {
  const std::vector<Ring> rings = {leg_ring(.047, .797, .458, .025, .018, .7, {.6, 1, 0}),
                                   leg_ring(.053, .84, .45, .030, .013, 1, {.25, 1, 0}),
                                   leg_ring(.06, .88, .443, .022, .009, 1),
                                   leg_ring(.066, .912, .437, .008, .005, 1)};
  cage.limb(patch, Vec3::UnitZ(), rings, {"Head", "LeftEar"});
}

Clip quadruped_walk(const std::vector<JointSpec>& joints) {
  ClipBuilder clip("walk", 1.1, joints);
  const auto body = [](double t) { return Vec3(0, -.018 + .006 * cowave(2 * t), 0); };
  const Step hind_step{.30, .62, .04, 0, 26, 16, -.06}, fore_step{.30, .62, .05, 0, 8, 70, -.01};
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "Left" : "Right";
    const double shift = side > 0 ? 0 : .5;
    const Vec3 hind(0, .02, -.30), fore(0, .02, .20);
    add_steps(clip, joints, {name + "UpLeg", name + "Leg", name + "Foot", name + "ToeBase", hind, hind, 1},
              hind_step, shift, body);
    add_steps(clip, joints, {name + "Arm", name + "ForeArm", name + "Hand", "", fore, fore, -1}, fore_step,
              shift - .25, body);
    clip.turn(name + "Ear", [=](double t) { return Vec3(3 * cowave(2 * t - .2), 0, 0); });
  }
  clip.move("Hips", body);
  clip.turn("Spine1", [](double t) { return Vec3(0, 3 * cowave(t), 0); });
  clip.turn("Spine2", [](double t) { return Vec3(0, -3 * cowave(t), 0); });
  clip.turn("Neck", [](double t) { return Vec3(3 * cowave(2 * t + .1), 0, 0); });
  clip.turn("Head", [](double t) { return Vec3(-2 * cowave(2 * t + .1), 0, 0); });
  clip.turn("Tail", [](double t) { return Vec3(0, 10 * wave(t), 0); });
  clip.turn("Tail1", [](double t) { return Vec3(0, 8 * wave(t - .12), 0); });
  clip.turn("Tail2", [](double t) { return Vec3(0, 8 * wave(t - .24), 0); });
  return clip.take();
}

}  // namespace

Blueprint quadruped_blueprint() {
  Blueprint animal;
  animal.joints = quadruped_joints();
  Cage& cage = animal.cage.emplace(names_of(animal.joints));
  Patch rump;
  const Tube body = grow_body(cage, rump);
  const std::size_t trunk = cage.vertex_count();
  cage.paint("LeftShoulder", {.09, .56, .17}, {.1, .43, .21}, .05, .13, .7, 0, trunk);
  grow_tail(cage, rump.part(1, 2, 2, 2));
  grow_hind_leg(cage, body.side(1, 2, 15, 3));
  grow_fore_leg(cage, body.side(7, 2, 15, 3));
  grow_ear(cage, body.side(13, 1, 3, 2));
  cage.pull({.048, .772, .55}, .04, {.006, .004, .004});  // brows
  cage.mirror();
  animal.clips = {quadruped_walk(animal.joints)};
  return animal;
}

}  // namespace sinew::characters
