// SPDX-License-Identifier: Apache-2.0
#include "characters/gait.h"
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
      {"LeftFoot", "LeftLeg", {.1, .06, -.018}, {}},
      {"LeftToeBase", "LeftFoot", {.107, .028, .118}, Vec3(.109, .02, .19)},
  };
  for (const JointSpec& joint : finger_joints(wrist_frame(), "LeftHand", "LeftHand")) joints.push_back(joint);
  return with_right_side(std::move(joints));
}

// A level section: how far it reaches forward and back, and its half width.
Ring level(double y, double front, double back, double half_width, double bone, double square = 2.2) {
  return profile(0, {front, y}, {back, y}, half_width, bone, Vec3::UnitY(), square);
}

Tube grow_torso(Cage& cage, Patch& bottom) {
  const std::vector<Ring> rings = {
      level(.885, .095, -.122, .166, 0, 2.3), level(.945, .100, -.128, .172, 0, 2.3),
      level(1.02, .098, -.104, .154, .5),     level(1.095, .090, -.082, .134, 1.2),
      level(1.175, .096, -.086, .142, 2),     level(1.255, .112, -.100, .160, 2.6),
      level(1.335, .110, -.110, .170, 3),     level(1.40, .082, -.106, .164, 3),
      level(1.448, .044, -.090, .126, 3.1)};
  const Tube torso =
      cage.body(4, 4, Vec3::UnitZ(), rings, {"Hips", "Spine", "Spine1", "Spine2", "Neck"}, &bottom);
  cage.pull({0, 1.45, -.035}, .14, {0, .022, 0});  // from the neck down to the shoulders
  for (const double side : {1.0, -1.0}) {
    cage.pull({.085 * side, 1.45, -.03}, .09, {0, .016, 0});
    cage.pull({.072 * side, 1.315, .12}, .085, {0, -.004, .016});
    cage.pull({.075 * side, .90, -.14}, .12, {0, -.004, -.020});
    cage.pull({.085 * side, 1.33, -.12}, .09, {0, 0, -.010});
  }
  return torso;
}

void grow_head(Cage& cage, const Patch& patch) {
  const auto ring = [](Vec2 front, Vec2 back, double half_width, double bone) {
    return profile(0, front, back, half_width, bone, Vec3::UnitY(), 2.1);
  };
  const std::vector<Ring> rings = {
      ring({.036, 1.466}, {-.078, 1.494}, .064, .6),  ring({.036, 1.492}, {-.066, 1.530}, .055, 1),
      ring({.044, 1.516}, {-.066, 1.566}, .053, 1.3), ring({.078, 1.526}, {-.072, 1.592}, .054, 1.65),
      ring({.096, 1.540}, {-.082, 1.614}, .059, 1.9), ring({.099, 1.567}, {-.092, 1.637}, .065, 2),
      ring({.100, 1.595}, {-.098, 1.657}, .070, 2),   ring({.098, 1.626}, {-.101, 1.677}, .074, 2),
      ring({.095, 1.654}, {-.101, 1.697}, .0765, 2),  ring({.097, 1.683}, {-.095, 1.715}, .0765, 2),
      ring({.086, 1.712}, {-.082, 1.735}, .071, 2),   ring({.062, 1.738}, {-.058, 1.748}, .055, 2),
      ring({.030, 1.755}, {-.030, 1.757}, .028, 2)};
  const Tube head = cage.limb(patch, Vec3::UnitZ(), rings, {"Spine2", "Neck", "Head"});
  cage.dome(head.end, .004);
  // Loop vertex 5 faces the front, 4 and 6 lie 30 degrees beside it. Rows: ring k is loop k + 1.
  const auto shift = [&](std::size_t ring_index, int beside, Vec3 by) {
    for (const int sign : {-1, 1}) {
      if (beside == 0 && sign > 0) continue;
      cage.position(head.loops[ring_index + 1][static_cast<std::size_t>(5 + sign * beside)]) += by;
    }
  };
  shift(4, 0, {0, -.004, .008});  // chin
  shift(5, 0, {0, 0, .002});
  shift(6, 0, {0, .000, .030});  // nose
  shift(7, 0, {0, -.010, .036});
  shift(8, 0, {0, -.004, .006});
  shift(6, 1, {0, 0, -.007});
  shift(7, 1, {0, 0, -.009});
  shift(8, 1, {0, 0, -.011});     // eyes
  shift(9, 1, {0, -.004, .002});  // brow
  const std::vector<Ring> ear = {{{.079, 1.640, -.012}, .010, .026, 2},
                                 {{.090, 1.645, -.024}, .015, .031, 2}};
  cage.limb(head.side(7, 2, 8, 1), Vec3::UnitY(), ear, {"Spine2", "Neck", "Head"});
}

void grow_arm(Cage& cage, const Patch& patch) {
  const auto ring = [](double x, double y, double z, double u, double v, double bone) {
    return Ring{Vec3(x, y, z), u, v, bone};
  };
  const std::vector<Ring> rings = {
      ring(.186, 1.405, -.014, .066, .066, .5),   ring(.222, 1.410, -.013, .059, .060, .9),
      ring(.270, 1.416, -.012, .050, .050, 1),    ring(.330, 1.420, -.008, .049, .048, 1),
      ring(.385, 1.420, -.013, .043, .040, 1.08), ring(.425, 1.418, -.019, .037, .035, 1.28),
      ring(.450, 1.418, -.021, .036, .034, 1.5),  ring(.475, 1.418, -.018, .039, .036, 1.72),
      ring(.512, 1.420, -.011, .045, .039, 1.95), ring(.560, 1.42, -.009, .042, .035, 2),
      ring(.612, 1.42, -.010, .034, .028, 2.05),  ring(.655, 1.42, -.010, .029, .0225, 2.2),
      ring(.687, 1.42, -.010, .0275, .0200, 2.45)};
  const Chain chain = {"LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"};
  const Tube arm = cage.limb(patch, Vec3::UnitY(), rings, chain);
  grow_hand(cage, arm.end, wrist_frame(), chain, "LeftHand", false);
}

void grow_human_leg(Cage& cage, const Patch& patch) {
  const auto ring = [](double x, Vec2 front, Vec2 back, double half_width, double bone) {
    return profile(x, front, back, half_width, bone, front.y() > .11 ? Vec3(0, -1, 0) : Vec3(0, -.7, 1));
  };
  const auto flat = [&](double x, double y, double front, double back, double half_width, double bone) {
    return ring(x, {front, y}, {back, y}, half_width, bone);
  };
  const std::vector<Ring> rings = {flat(.095, .800, .088, -.104, .081, .75),
                                   flat(.097, .735, .088, -.092, .077, 1),
                                   flat(.098, .655, .084, -.078, .068, 1),
                                   flat(.098, .580, .075, -.064, .057, 1.05),
                                   flat(.097, .528, .066, -.056, .050, 1.25),
                                   flat(.097, .490, .062, -.050, .048, 1.5),
                                   flat(.097, .452, .055, -.054, .047, 1.75),
                                   flat(.099, .395, .044, -.070, .053, 1.97),
                                   flat(.100, .330, .038, -.078, .054, 2),
                                   flat(.101, .255, .030, -.066, .043, 2),
                                   flat(.101, .180, .024, -.054, .033, 2.05),
                                   ring(.101, {.024, .128}, {-.052, .118}, .030, 2.3),
                                   ring(.101, {.034, .104}, {-.064, .072}, .032, 2.7),
                                   ring(.102, {.056, .088}, {-.068, .016}, .036, 3),
                                   ring(.104, {.084, .072}, {-.030, .001}, .038, 3),
                                   ring(.108, {.112, .055}, {.050, .001}, .043, 3.3),
                                   ring(.111, {.142, .045}, {.120, .001}, .049, 3.75),
                                   ring(.112, {.174, .037}, {.168, .001}, .047, 4),
                                   ring(.112, {.194, .029}, {.194, .004}, .035, 4)};
  cage.limb(patch, Vec3::UnitZ(), rings, {"Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"});
}

Clip biped_walk(const std::vector<JointSpec>& joints) {
  ClipBuilder clip("walk", 1.1, joints);
  const auto body = [](double t) { return Vec3(0, -.030 - .016 * cowave(2 * t - .12), 0); };
  const Step step{.62, .6, .05, -18, 38, 12, .02};
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "Left" : "Right";
    const double shift = side > 0 ? 0 : .5;
    const Leg leg{
        name + "UpLeg", name + "Leg", name + "Foot", name + "ToeBase", {0, 0, -.06}, {0, 0, .12}, 1};
    add_steps(clip, joints, leg, step, shift, body);
    // The arm swings against the leg of its side, lowered from the T pose.
    clip.turn(name + "Shoulder", [=](double) { return Vec3(0, 0, -6 * side); });
    clip.turn(name + "Arm",
              [=](double t) { return Vec3(0, side * (4 + 24 * cowave(t + shift)), -70 * side); });
    clip.turn(name + "ForeArm",
              [=](double t) { return Vec3(0, side * (-24 + 14 * cowave(t + shift - .06)), 0); });
    for (const char* finger : {"Index", "Middle", "Ring", "Pinky"})
      for (const char* bone : {"1", "2"})
        clip.turn(name + "Hand" + finger + bone, [=](double) { return Vec3(0, 0, -16 * side); });
  }
  clip.move("Hips", [=](double t) { return Vec3(.012 * wave(t - .05), body(t).y(), 0); });
  clip.turn("Spine", [](double t) { return Vec3(2, 4 * cowave(t), 0); });
  clip.turn("Spine2", [](double t) { return Vec3(1, 4 * cowave(t), 0); });
  clip.turn("Neck", [](double t) { return Vec3(-1, -5 * cowave(t), 0); });
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
  grow_human_leg(cage, bottom.part(2, 0, 2, 4));
  cage.mirror();
  biped.clips = {biped_walk(biped.joints)};
  return biped;
}

}  // namespace sinew::characters
