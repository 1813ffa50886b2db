// SPDX-License-Identifier: Apache-2.0
#include "characters/palm.h"

namespace sinew::characters {
namespace {

const Vec3 kWrist(.700, 1.42, -.010);

Affine3 wrist_frame() {
  Affine3 frame = Affine3::Identity();
  frame.translation() = kWrist;
  return frame;
}

std::vector<JointSpec> biped_joints() {
  std::vector<JointSpec> joints = {
      {"Hips", "", {0, .95, -.005}, {}},
      {"Spine", "Hips", {0, 1.045, -.008}, {}},
      {"Spine1", "Spine", {0, 1.16, -.005}, {}},
      {"Spine2", "Spine1", {0, 1.285, -.008}, {}},
      {"Neck", "Spine2", {0, 1.465, -.018}, {}},
      {"Head", "Neck", {0, 1.555, .002}, Vec3(0, 1.74, .002)},
      {"LeftShoulder", "Spine2", {.035, 1.415, -.012}, {}},
      {"LeftArm", "LeftShoulder", {.178, 1.415, -.015}, {}},
      {"LeftForeArm", "LeftArm", {.45, 1.418, -.018}, {}},
      {"LeftHand", "LeftForeArm", kWrist, {}},
      {"LeftUpLeg", "Hips", {.092, .905, -.002}, {}},
      {"LeftLeg", "LeftUpLeg", {.096, .49, .002}, {}},
      {"LeftFoot", "LeftLeg", {.1, .09, -.018}, {}},
      {"LeftToeBase", "LeftFoot", {.107, .028, .118}, Vec3(.109, .02, .19)},
  };
  for (const JointSpec& joint : finger_joints(wrist_frame(), "LeftHand", "LeftHand")) joints.push_back(joint);
  return with_right_side(std::move(joints));
}

Ring level(double y, double z, double u, double v, double bone, double square = 2) {
  return {{0, y, z}, u, v, bone, square};
}

Tube grow_torso(Cage& cage, Patch& bottom) {
  const std::vector<Ring> rings = {
      level(.885, -.012, .168, .112, 0, 2.3),   level(.945, -.014, .172, .116, 0, 2.3),
      level(1.02, -.010, .153, .102, .5, 2.2),  level(1.095, -.002, .134, .088, 1.2, 2.2),
      level(1.175, .000, .140, .093, 2, 2.2),   level(1.255, .002, .157, .106, 2.6, 2.2),
      level(1.335, .000, .166, .108, 3, 2.2),   level(1.40, -.008, .158, .094, 3, 2.2),
      level(1.448, -.016, .122, .074, 3.1, 2.2)};
  return cage.body(4, 4, Vec3::UnitZ(), rings, {"Hips", "Spine", "Spine1", "Spine2", "Neck"}, &bottom);
}

void grow_head(Cage& cage, const Patch& patch) {
  const std::vector<Ring> rings = {
      level(1.475, -.016, .060, .060, .7),    level(1.51, -.008, .055, .058, 1),
      level(1.538, .006, .056, .068, 1.4),    level(1.552, .018, .060, .084, 1.8),
      level(1.578, .018, .066, .092, 2, 2.2), level(1.61, .012, .071, .098, 2, 2.2),
      level(1.645, .006, .075, .101, 2),      level(1.685, .000, .077, .103, 2),
      level(1.72, -.006, .070, .092, 2),      level(1.742, -.010, .050, .066, 2)};
  const Tube head = cage.limb(patch, Vec3::UnitZ(), rings, {"Spine2", "Neck", "Head"});
  cage.dome(head.end, .012);
}

void grow_arm(Cage& cage, const Patch& patch) {
  const auto ring = [](double x, double y, double z, double u, double v, double bone) {
    return Ring{Vec3(x, y, z), u, v, bone};
  };
  const std::vector<Ring> rings = {
      ring(.190, 1.408, -.014, .062, .062, .5),   ring(.230, 1.412, -.014, .055, .056, .9),
      ring(.285, 1.417, -.013, .049, .050, 1),    ring(.345, 1.419, -.012, .047, .048, 1),
      ring(.395, 1.419, -.015, .042, .042, 1.08), ring(.428, 1.418, -.017, .039, .039, 1.28),
      ring(.450, 1.418, -.018, .038, .038, 1.5),  ring(.472, 1.418, -.017, .039, .038, 1.72),
      ring(.510, 1.419, -.013, .043, .040, 1.95), ring(.560, 1.42, -.011, .041, .038, 2),
      ring(.615, 1.42, -.010, .034, .031, 2.05),  ring(.658, 1.42, -.010, .029, .024, 2.2),
      ring(.688, 1.42, -.010, .0275, .0205, 2.45)};
  const Chain chain = {"LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"};
  const Tube arm = cage.limb(patch, Vec3::UnitY(), rings, chain);
  grow_hand(cage, arm.end, wrist_frame(), chain, "LeftHand", false);
}

void grow_leg(Cage& cage, const Patch& patch) {
  const auto ring = [](double x, double y, double z, double u, double v, double bone,
                       Vec3 along = Vec3::Zero()) { return Ring{Vec3(x, y, z), u, v, bone, 2, along}; };
  const std::vector<Ring> rings = {ring(.093, .800, -.006, .082, .093, .75),
                                   ring(.095, .735, -.002, .078, .087, 1),
                                   ring(.096, .655, .002, .071, .079, 1),
                                   ring(.096, .580, .004, .062, .069, 1.05),
                                   ring(.096, .528, .004, .055, .061, 1.25),
                                   ring(.096, .490, .004, .052, .057, 1.5),
                                   ring(.096, .452, .000, .050, .054, 1.75),
                                   ring(.097, .395, -.012, .053, .057, 1.97),
                                   ring(.098, .330, -.020, .053, .058, 2),
                                   ring(.099, .250, -.020, .044, .048, 2),
                                   ring(.100, .170, -.018, .035, .039, 2.05),
                                   ring(.100, .118, -.017, .032, .040, 2.3),
                                   ring(.100, .080, -.012, .034, .054, 2.7, {0, -1, .35}),
                                   ring(.101, .052, .000, .037, .078, 3, {0, -.72, .7}),
                                   ring(.103, .045, .055, .040, .042, 3, {0, -.2, 1}),
                                   ring(.106, .034, .098, .045, .032, 3.3, {0, -.12, 1}),
                                   ring(.108, .026, .132, .047, .024, 3.75, {0, -.05, 1}),
                                   ring(.109, .022, .168, .043, .020, 4),
                                   ring(.109, .020, .192, .032, .015, 4)};
  cage.limb(patch, Vec3::UnitZ(), rings, {"Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"});
}

Clip walk(const std::vector<JointSpec>& joints) {
  ClipBuilder clip("walk", 1.1, joints);
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "Left" : "Right";
    const double shift = side > 0 ? 0 : .5;
    clip.turn(name + "UpLeg", [=](double t) { return Vec3(-28 * cowave(t + shift), 0, 0); });
    clip.turn(name + "Leg", [=](double t) { return Vec3(22 - 28 * wave(t + shift - .1), 0, 0); });
    clip.turn(name + "Arm", [=](double t) { return Vec3(25 * cowave(t + shift), 0, -72 * side); });
  }
  clip.move("Hips", [](double t) { return Vec3(0, -.03 + .015 * cowave(2 * t), 0); });
  return clip.take();
}

}  // namespace

Blueprint biped_blueprint() {
  Blueprint biped;
  biped.joints = biped_joints();
  Cage& cage = biped.cage.emplace(names_of(biped.joints));
  Patch bottom;
  const Tube torso = grow_torso(cage, bottom);
  const std::size_t body = cage.vertex_count();
  cage.paint("LeftShoulder", {.06, 1.42, -.012}, {.17, 1.42, -.015}, .05, .12, .8, 0, body);
  grow_head(cage, torso.end.part(1, 0, 2, 4));
  grow_arm(cage, torso.side(6, 2, 8, 4));
  grow_leg(cage, bottom.part(2, 0, 2, 4));
  cage.mirror();
  biped.clips = {walk(biped.joints)};
  return biped;
}

}  // namespace sinew::characters
