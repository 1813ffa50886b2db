// SPDX-License-Identifier: Apache-2.0
#include "characters/palm.h"

#include <array>
#include <cmath>
#include <numbers>

namespace sinew::characters {
namespace {

struct Finger {
  const char* name;
  Vec3 knuckle;     // the first joint
  Vec3 direction;   // of the first bone
  double bones[3];  // lengths
  double radius;
};

// Index to little finger in the order of the palm's columns; curls a little, as a hand at rest does.
const std::array<Finger, 4> kFingers = {{
    {"Index", {.084, .002, .0325}, {1, -.06, .07}, {.043, .026, .022}, .0094},
    {"Middle", {.087, .004, .0108}, {1, -.06, .01}, {.048, .029, .023}, .0096},
    {"Ring", {.083, .003, -.0110}, {1, -.07, -.05}, {.044, .027, .023}, .0092},
    {"Pinky", {.075, .000, -.0315}, {1, -.08, -.13}, {.036, .021, .020}, .0082},
}};
const Finger kThumb = {"Thumb", {.020, -.003, .020}, {.66, -.14, .74}, {.044, .034, .027}, .0112};

// Joints of a finger and its tip. Each bone turns a little further towards the palm.
std::array<Vec3, 4> finger_points(const Finger& finger, const Vec3& axis, double curl) {
  std::array<Vec3, 4> points;
  points[0] = finger.knuckle;
  Vec3 direction = finger.direction.normalized();
  for (std::size_t k = 0; k < 3; ++k) {
    points[k + 1] = points[k] + finger.bones[k] * direction;
    direction = Eigen::AngleAxisd(curl, axis) * direction;
  }
  return points;
}

std::array<Vec3, 4> points_of(const Finger& finger) {
  return &finger == &kThumb ? finger_points(finger, Vec3(-.6, .5, .6).normalized(), .12)
                            : finger_points(finger, -Vec3::UnitZ(), .16);
}

Chain chain_of(const Finger& finger, const Chain& wrist, std::string_view prefix, bool rigid) {
  Chain chain = {wrist.back()};
  for (int k = 1; k <= 3; ++k)
    chain.push_back(rigid ? wrist.back() : std::string(prefix) + finger.name + std::to_string(k));
  return chain;
}

Vec3 between(const std::array<Vec3, 4>& p, double at) {
  const auto k = static_cast<std::size_t>(std::min(2.0, std::floor(at)));
  return p[k] + (at - static_cast<double>(k)) * (p[k + 1] - p[k]);
}

// Rings of a finger: place along its bones, where it lies on the chain, and its share of the radius.
struct FingerRing {
  double at, bone, width;
  double level = 0;  // how far the section is turned to lie flat on the side of the palm
};
constexpr FingerRing kFingerRings[] = {{.52, .85, 1.04}, {.78, 1.0, .97}, {1.0, 1.5, 1.03}, {1.45, 2, .92},
                                       {2.0, 2.5, .94},  {2.45, 3, .86},  {2.85, 3, .66}};
constexpr FingerRing kThumbRings[] = {{.58, .6, 1.22, .8}, {.82, .95, 1.12, .35}, {1.0, 1.5, 1.06},
                                      {1.5, 2, .93},       {2.0, 2.5, 1.02},      {2.45, 3, .95},
                                      {2.86, 3, .66}};

template <std::size_t N>
void grow_finger(Cage& cage, const Patch& patch, const Affine3& frame, const Finger& finger,
                 const FingerRing (&shape)[N], const Vec3& v, const Chain& chain) {
  const std::array<Vec3, 4> points = points_of(finger);
  std::vector<Ring> rings;
  for (const FingerRing& ring : shape) {
    const double r = finger.radius * ring.width;
    rings.push_back({frame * between(points, ring.at), r, r * .95, ring.bone});
    const Vec3 direction = (between(points, ring.at + .1) - between(points, ring.at - .1)).normalized();
    if (ring.level > 0)
      rings.back().along = frame.linear() * ((1 - ring.level) * direction + ring.level * Vec3::UnitZ());
  }
  cage.limb(patch, frame.linear() * v, rings, chain);
}

}  // namespace

std::vector<JointSpec> finger_joints(const Affine3& frame, std::string_view prefix, std::string_view parent) {
  std::vector<JointSpec> joints;
  const auto add = [&](const Finger& finger) {
    const std::array<Vec3, 4> points = points_of(finger);
    std::string before(parent);
    for (std::size_t k = 0; k < 3; ++k) {
      JointSpec joint{
          std::string(prefix) + finger.name + std::to_string(k + 1), before, frame * points[k], {}};
      if (k == 2) joint.tail = frame * between(points, 2.75);  // just under the skin
      before = joint.name;
      joints.push_back(joint);
    }
  };
  add(kThumb);
  for (const Finger& finger : kFingers) add(finger);
  return joints;
}

void grow_hand(Cage& cage, const Patch& patch, const Affine3& frame, const Chain& wrist,
               std::string_view prefix, bool rigid) {
  const double end = static_cast<double>(wrist.size() - 1);
  const auto ring = [&](double x, double y, double z, double width, double height, double bone) {
    return Ring{frame * Vec3(x, y, z), width, height, bone, 2.4};
  };
  const auto slant = [&](double x, double y, double width,
                         double height) {  // the little finger starts further back
    Ring slanted = ring(x, y, .001, width, height, end);
    slanted.along = frame.linear() * Vec3(1, 0, -.2);
    return slanted;
  };
  const std::vector<Ring> rings = {ring(.010, 0, .001, .0290, .0195, end - .15),
                                   ring(.032, -.002, .003, .0345, .0185, end),
                                   ring(.062, -.002, .002, .0405, .0168, end),
                                   slant(.079, .000, .0425, .0150), slant(.092, .001, .0425, .0125)};
  const Tube palm = cage.limb(patch, frame.linear() * Vec3::UnitY(), rings, wrist);
  for (int k = 0; k < 4; ++k)
    grow_finger(cage, palm.end.part(k, 0, 1, 2), frame, kFingers[static_cast<std::size_t>(k)], kFingerRings,
                Vec3::UnitY(), chain_of(kFingers[static_cast<std::size_t>(k)], wrist, prefix, rigid));
  grow_finger(cage, palm.side(1, 2, 6, 2), frame, kThumb, kThumbRings, Vec3::UnitX(),
              chain_of(kThumb, wrist, prefix, rigid));
  // The balls of the thumb and of the little finger, and the hollow between them.
  cage.pull(frame * Vec3(.036, -.018, .014), .028, frame.linear() * Vec3(0, -.004, 0));
  cage.pull(frame * Vec3(.040, -.018, -.024), .030, frame.linear() * Vec3(0, -.004, -.001));
}

}  // namespace sinew::characters
