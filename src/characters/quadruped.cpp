// SPDX-License-Identifier: Apache-2.0
#include "characters/blueprint.h"

namespace sinew::characters {
namespace {

std::vector<JointSpec> quadruped_joints() {
  return with_right_side({
      {"Hips", "", {0, .53, -.27}, {}},
      {"Spine", "Hips", {0, .535, -.14}, {}},
      {"Spine1", "Spine", {0, .53, 0}, {}},
      {"Spine2", "Spine1", {0, .52, .13}, {}},
      {"Neck", "Spine2", {0, .55, .29}, {}},
      {"Neck1", "Neck", {0, .64, .37}, {}},
      {"Head", "Neck1", {0, .73, .43}, Vec3(0, .69, .69)},
      {"Tail", "Hips", {0, .56, -.40}, {}},
      {"Tail1", "Tail", {0, .53, -.49}, {}},
      {"Tail2", "Tail1", {0, .47, -.57}, {}},
      {"Tail3", "Tail2", {0, .41, -.64}, Vec3(0, .36, -.73)},
      {"LeftEar", "Head", {.045, .79, .44}, Vec3(.065, .89, .425)},
      {"LeftShoulder", "Spine2", {.05, .56, .17}, {}},
      {"LeftArm", "LeftShoulder", {.085, .43, .23}, {}},
      {"LeftForeArm", "LeftArm", {.092, .33, .165}, {}},
      {"LeftHand", "LeftForeArm", {.092, .13, .175}, Vec3(.092, .03, .22)},
      {"LeftUpLeg", "Hips", {.075, .50, -.28}, {}},
      {"LeftLeg", "LeftUpLeg", {.092, .345, -.20}, {}},
      {"LeftFoot", "LeftLeg", {.088, .185, -.345}, {}},
      {"LeftToeBase", "LeftFoot", {.088, .045, -.315}, Vec3(.088, .025, -.25)},
  });
}

Ring section(double y, double z, double u, double v, double bone, Vec3 along = Vec3::Zero(),
             double square = 2) {
  return {{0, y, z}, u, v, bone, square, along};
}

Tube grow_body(Cage& cage, Patch& rump) {
  const std::vector<Ring> rings = {section(.525, -.410, .055, .070, 0),
                                   section(.515, -.380, .090, .105, 0),
                                   section(.505, -.310, .108, .122, 0),
                                   section(.510, -.220, .108, .115, .3),
                                   section(.520, -.130, .100, .105, 1),
                                   section(.510, -.030, .105, .115, 1.8),
                                   section(.495, .060, .114, .132, 2.5),
                                   section(.485, .130, .118, .146, 3),
                                   section(.485, .210, .112, .148, 3),
                                   section(.505, .285, .096, .130, 3.2, {0, .25, 1}),
                                   section(.555, .335, .078, .105, 3.8, {0, .6, .8}),
                                   section(.61, .370, .066, .084, 4.3, {0, .8, .6}),
                                   section(.67, .405, .060, .072, 4.9, {0, .8, .6}),
                                   section(.715, .440, .062, .070, 5.5, {0, .55, .85}),
                                   section(.735, .480, .068, .070, 6, {0, .1, 1}),
                                   section(.735, .520, .068, .066, 6, {0, -.15, 1}),
                                   section(.722, .560, .054, .055, 6, {0, -.2, 1}),
                                   section(.705, .595, .038, .042, 6, {0, -.2, 1}),
                                   section(.695, .640, .031, .034, 6, {0, -.15, 1}),
                                   section(.688, .680, .026, .028, 6, {0, -.15, 1}),
                                   section(.684, .705, .016, .017, 6, {0, -.15, 1})};
  return cage.body(4, 4, Vec3::UnitY(), rings, {"Hips", "Spine", "Spine1", "Spine2", "Neck", "Neck1", "Head"},
                   &rump);
}

void grow_tail(Cage& cage, const Patch& patch) {
  const std::vector<Ring> rings = {section(.560, -.425, .030, .030, .6),  section(.550, -.455, .030, .030, 1),
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
  const std::vector<Ring> rings = {leg_ring(.088, .435, -.265, .060, .095, .6, {0, -1, .2}),
                                   leg_ring(.092, .385, -.235, .052, .080, .95, {0, -1, .2}),
                                   leg_ring(.092, .345, -.215, .044, .066, 1.5, {0, -1, -.25}),
                                   leg_ring(.090, .300, -.240, .037, .052, 1.95, {0, -1, -.7}),
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
  const std::vector<Ring> rings = {leg_ring(.092, .405, .195, .050, .078, .9, {0, -1, -.2}),
                                   leg_ring(.093, .360, .178, .042, .060, 1.35, {0, -1, -.2}),
                                   leg_ring(.093, .320, .168, .036, .047, 1.75, {0, -1, 0}),
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
  const std::vector<Ring> rings = {
      leg_ring(.044, .795, .455, .026, .016, .7), leg_ring(.052, .83, .45, .026, .011, 1),
      leg_ring(.06, .865, .443, .018, .008, 1), leg_ring(.066, .893, .437, .007, .004, 1)};
  cage.limb(patch, Vec3::UnitZ(), rings, {"Head", "LeftEar"});
}

Clip walk(const std::vector<JointSpec>& joints) {
  ClipBuilder clip("walk", 1.2, joints);
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "Left" : "Right";
    const double hind = side > 0 ? 0 : .5, fore = hind + .25;
    clip.turn(name + "UpLeg", [=](double t) { return Vec3(-20 * cowave(t + hind), 0, 0); });
    clip.turn(name + "Arm", [=](double t) { return Vec3(-20 * cowave(t + fore), 0, 0); });
  }
  clip.turn("Tail", [](double t) { return Vec3(0, 12 * wave(t), 0); });
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
  grow_fore_leg(cage, body.side(6, 2, 15, 3));
  grow_ear(cage, body.side(13, 1, 3, 2));
  cage.mirror();
  animal.clips = {walk(animal.joints)};
  return animal;
}

}  // namespace sinew::characters
