// SPDX-License-Identifier: Apache-2.0
#include "characters/gait.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sinew::characters {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

double angle_of(const Vec3& v) {
  return std::atan2(v.z(), v.y());
}  // about x
Vec3 turned(const Vec3& v, double angle) {
  return Eigen::AngleAxisd(angle, Vec3::UnitX()) * v;
}
double smooth(double t) {
  return t * t * (3 - 2 * t);
}
double wrapped(double angle) {
  return std::remainder(angle, 2 * std::numbers::pi);
}

struct Contact {
  double forward, up, pitch;  // of the ball, and of the foot about x in radians (positive: heel up)
};

Contact contact_at(const Step& step, double phase) {
  phase -= std::floor(phase);
  if (phase < step.stance) {
    const double t = phase / step.stance;
    const double landing = step.land_pitch * (1 - smooth(std::min(1.0, t / .25)));
    const double leaving = step.leave_pitch * smooth(std::max(0.0, (t - .55) / .45));
    return {step.centre + step.stride * (.5 - t), 0, (landing + leaving) / kDegrees};
  }
  const double t = (phase - step.stance) / (1 - step.stance), bump = std::sin(std::numbers::pi * t);
  const double pitch =
      step.leave_pitch + (step.land_pitch - step.leave_pitch) * smooth(t) + step.swing_pitch * bump * (1 - t);
  // Leaves and lands with the speed of the ground, so that the foot does not jerk.
  const double back =
      -.5 + smooth(t) - .25 * std::sin(2 * std::numbers::pi * t) * (1 - step.stance) / step.stance;
  return {step.centre + step.stride * back, step.lift * bump * bump, pitch / kDegrees};
}

struct Angles {
  double upper, lower, foot, toe;
};

Angles solve(const std::vector<JointSpec>& joints, const Leg& leg, const Contact& contact, const Vec3& body) {
  const Vec3 hip = head_of(joints, leg.upper), knee = head_of(joints, leg.lower),
             ankle = head_of(joints, leg.foot);
  const Vec3 pivot = contact.pitch >= 0 ? leg.ball : leg.heel;
  const Vec3 target = pivot + turned(ankle - pivot, contact.pitch) + Vec3(0, contact.up, contact.forward);
  const Vec3 upper(0, knee.y() - hip.y(), knee.z() - hip.z()),
      lower(0, ankle.y() - knee.y(), ankle.z() - knee.z());
  Vec3 reach = target - hip - body;
  reach.x() = 0;
  const double a = upper.norm(), b = lower.norm(), d = std::min(reach.norm(), .9995 * (a + b));
  const double now = wrapped(angle_of(lower) - angle_of(upper));
  const double wish = leg.bend * std::acos(std::clamp((d * d - a * a - b * b) / (2 * a * b), -1.0, 1.0));
  Angles angles{};
  angles.lower = wrapped(wish - now);
  angles.upper = wrapped(angle_of(reach) - angle_of(upper + turned(lower, angles.lower)));
  angles.foot = wrapped(contact.pitch - angles.upper - angles.lower);
  angles.toe = -std::max(0.0, contact.pitch);
  return angles;
}

}  // namespace

void add_steps(ClipBuilder& clip, const std::vector<JointSpec>& joints, const Leg& leg, const Step& step,
               double shift, const ClipBuilder::Motion& body) {
  const auto turn = [&](const std::string& joint, double Angles::*part) {
    clip.turn(joint, [&, part](double phase) {
      return Vec3(kDegrees * (solve(joints, leg, contact_at(step, phase + shift), body(phase)).*part), 0, 0);
    });
  };
  turn(leg.upper, &Angles::upper);
  turn(leg.lower, &Angles::lower);
  turn(leg.foot, &Angles::foot);
  if (!leg.toe.empty()) turn(leg.toe, &Angles::toe);
}

}  // namespace sinew::characters
