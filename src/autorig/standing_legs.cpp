// SPDX-License-Identifier: Apache-2.0
#include "autorig/standing_legs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "sinew/math/svd.h"

namespace sinew::autorig {
namespace {

constexpr double kSameGround = 0.05;  // of the body's size: tips so much higher than the lowest stand, too
constexpr double kUpright = 0.85;     // cosine between a leg that stands and the vertical
constexpr double kBentKnee = 0.15;    // of the way from hip to ankle: so far beside it a knee is bent
constexpr double kByTriangle = 0.5;   // of the way to the template's triangle a bent knee goes
constexpr double kSteepShin = 0.5;    // cosine: of a shin that lies flatter nothing follows for the hip
constexpr double kInsideShin = 0.75;  // times as far from the middle as the line of the shin, at least

struct Leg {
  std::size_t hip, knee, ankle;  // joints
};

// The first joint below another that lies on a limb, or on that limb.
int child_on_limb(const TemplateData& model, const std::vector<PlacedJoint>& placed, std::size_t joint,
                  std::optional<std::size_t> limb = {}) {
  for (std::size_t j = joint + 1; j < model.joints.size(); ++j) {
    const TemplateJoint& one = model.joints[j];
    if (one.parent == static_cast<int>(joint) && one.anchor.kind == Anchor::Kind::kLimb &&
        one.anchor.part == limb.value_or(one.anchor.part) && placed[j].present)
      return static_cast<int>(j);
  }
  return -1;
}

bool stands(const Match& match, std::size_t limb, const Vec3& hip) {
  const Vec3 up = match.rotation.col(1);
  double ground = std::numeric_limits<double>::infinity();
  for (const Part& one : match.parts.limbs)
    if (!one.curve.empty()) ground = std::min(ground, one.curve.points.back().dot(up));
  const Vec3& tip = match.parts.limbs[limb].curve.points.back();
  return tip.dot(up) < ground + kSameGround * match.scale * match.model->diameter &&
         (hip - tip).dot(up) > kUpright * (hip - tip).norm();
}

// Hips hang on the first joint, which shoulders do not.
std::vector<Leg> legs_of(const Match& match, const std::vector<PlacedJoint>& placed) {
  const TemplateData& model = *match.model;
  std::vector<Leg> legs;
  for (std::size_t hip = 1; hip < model.joints.size(); ++hip) {
    const TemplateJoint& joint = model.joints[hip];
    if (joint.parent != 0 || joint.mirror < 0 || joint.mirror == static_cast<int>(hip) ||
        !placed[hip].present)
      continue;
    const int knee = child_on_limb(model, placed, hip);
    if (knee < 0) continue;
    const auto k = static_cast<std::size_t>(knee);
    const std::size_t limb = model.joints[k].anchor.part;
    const int ankle = child_on_limb(model, placed, k, limb);
    if (ankle < 0 || !stands(match, limb, placed[hip].head)) continue;
    legs.push_back({hip, k, static_cast<std::size_t>(ankle)});
  }
  return legs;
}

// The template's knee in the body, if hip, knee and ankle form the same triangle.
void bend_knee(const Match& match, const Leg& leg, std::vector<PlacedJoint>& placed) {
  const auto& joints = match.model->joints;
  const Vec3 of_template = joints[leg.ankle].head - joints[leg.hip].head,
             of_body = placed[leg.ankle].head - placed[leg.hip].head;
  if (!(of_template.norm() > 0) || !(of_body.norm() > 0)) return;
  const Vec3 way = joints[leg.knee].head - joints[leg.hip].head;
  const Vec3 along = of_template.normalized();
  if ((way - way.dot(along) * along).norm() < kBentKnee * of_template.norm()) return;
  const Mat3 turn = shortest_arc(match.rotation * of_template, of_body).toRotationMatrix() * match.rotation;
  const Vec3 knee = placed[leg.hip].head + of_body.norm() / of_template.norm() * (turn * way);
  placed[leg.knee].head += kByTriangle * (knee - placed[leg.knee].head);
}

void widen_hip(const Match& match, const Leg& leg, std::vector<PlacedJoint>& placed) {
  const Vec3 left = match.rotation.col(0), up = match.rotation.col(1);
  const Vec3 shin = placed[leg.knee].head - placed[leg.ankle].head;
  if (shin.dot(up) < kSteepShin * shin.norm()) return;
  Vec3& hip = placed[leg.hip].head;
  const Vec3 on_line = placed[leg.knee].head + (hip - placed[leg.knee].head).dot(up) / shin.dot(up) * shin;
  const double own = (hip - placed[0].head).dot(left),
               least = kInsideShin * (on_line - placed[0].head).dot(left);
  if (own * least < least * least) hip += (least - own) * left;
}

}  // namespace

void place_standing_legs(const Match& match, std::vector<PlacedJoint>& placed) {
  for (const Leg& leg : legs_of(match, placed)) {
    bend_knee(match, leg, placed);
    widen_hip(match, leg, placed);
  }
}

}  // namespace sinew::autorig
