// SPDX-License-Identifier: Apache-2.0
// Joints lie on the body's curves where they lie on the template's: between the same landmarks (tips, seams,
// neck, bends) at the same share of the arc length, and as far beside them in terms of length and thickness.
#include "autorig/place.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autorig/minor_match.h"
#include "autorig/standing_legs.h"
#include "sinew/math/svd.h"

namespace sinew::autorig {
namespace {

constexpr double kFarBend = 0.13, kNearBend = 0.09;  // of a limb's length
constexpr double kSameTurn = 0.25;                   // the same, of a bend that turns the same way
constexpr double kTurnsAlike = 0.6;                  // cosine between the ways that two bends turn
constexpr double kKnotsApart = 0.04,
                 kBodyKnotsApart = 0.02;  // of a trunk, the template's and the body's: landmarks
constexpr double kWrist = 1.03;           // times as thick as the thinnest ring a wrist is, at most
constexpr double kFirstKnot = 0.02, kLastKnot = 0.96,
                 kLastBodyKnot = 0.98;  // of a trunk: those nearer to its ends are these
constexpr int kRadiiBeside = 4;         // to either side: so many radii are averaged to a thickness
constexpr double kAtBend = 0.03;        // of a limb's length: a joint so near to a bend is in it
constexpr double kOuterFrom = 0.12, kOuterTo = 0.95;  // of a limb: its joints between these may go to a bend
constexpr double kShorterFinger = 0.75, kLongerFinger = 1.33;  // times the group's scale
constexpr double kLowHip = 1.7;      // times as far below the trunk's joint as in the template
constexpr double kInsideLimb = 1.2;  // radii: a joint farther beside a limb's curve is not in it

using Knots = std::vector<std::pair<double, double>>;  // arc length on the template's curve and on the body's

double through(const Knots& knots, double s) {
  for (std::size_t k = 0; k + 1 < knots.size(); ++k)
    if (s <= knots[k + 1].first || k + 2 == knots.size()) {
      const double width = knots[k + 1].first - knots[k].first;
      const double t = width > 0 ? (s - knots[k].first) / width : 0;
      return knots[k].second + t * (knots[k + 1].second - knots[k].second);
    }
  return s;
}

// Keeps the knots rising on both sides; those nearer together than `least` become one.
Knots tidy(Knots knots, double template_step, double body_step) {
  std::sort(knots.begin(), knots.end());
  Knots out;
  std::vector<int> merged;
  for (const auto& [a, b] : knots) {
    if (!out.empty() && a - out.back().first < template_step) {
      const double n = merged.back()++;
      out.back() = {(out.back().first * n + a) / (n + 1), (out.back().second * n + b) / (n + 1)};
    } else {
      out.push_back({a, b});
      merged.push_back(1);
    }
  }
  Knots rising;
  for (const auto& knot : out)
    if (rising.empty() || knot.second - rising.back().second > body_step) rising.push_back(knot);
  return rising;
}

// A wrist: the last ring before the fingers part that is about as thin as the thinnest. The arm may be cut there, so that
// nothing thicker is behind it, as is behind a neck.
double narrowest(const Curve& trunk, double before) {
  double least = std::numeric_limits<double>::infinity(), at = 0;
  for (std::size_t k = 1; k < trunk.points.size() && trunk.along[k] < before; ++k)
    least = std::min(least, trunk.radii[k]);
  for (std::size_t k = 1; k < trunk.points.size() && trunk.along[k] < before; ++k)
    if (trunk.radii[k] < kWrist * least) at = trunk.along[k];
  return at;
}

Knots trunk_knots(const Match& match) {
  const Curve &of_template = match.model->parts.trunk, &of_body = match.parts.trunk;
  Knots inner;
  double first_of_template = of_template.length(), first_of_body = of_body.length();
  for (std::size_t i = 0; i < match.tips.size(); ++i) {
    if (match.parts.limbs[i].curve.empty()) continue;
    const double a = of_template.at_level(match.model->parts.limbs[i].seam),
                 b = of_body.at_level(match.parts.limbs[i].seam);
    inner.push_back({a, b});
    first_of_template = std::min(first_of_template, a);
    first_of_body = std::min(first_of_body, b);
  }
  if (const auto a = find_neck(of_template, first_of_template), b = find_neck(of_body, first_of_body);
      a && b && match.tips.size() > 1)
    inner.push_back({*a, *b});
  if (!match.model->two_sided && match.tips.size() > 1)
    inner.push_back({narrowest(of_template, first_of_template), narrowest(of_body, first_of_body)});
  inner = tidy(std::move(inner), kKnotsApart * of_template.length(), kBodyKnotsApart * of_body.length());
  Knots knots = {{0, 0}};
  for (const auto& knot : inner)
    if (knot.first > kFirstKnot * of_template.length() && knot.first < kLastKnot * of_template.length() &&
        knot.second > kFirstKnot * of_body.length() && knot.second < kLastBodyKnot * of_body.length())
      knots.push_back(knot);
  knots.push_back({of_template.length(), of_body.length()});
  return knots;
}

Mat3 turned(const Vec3& from, const Vec3& to) {
  return shortest_arc(from, to).toRotationMatrix();
}

// The bend nearest to s, no farther than `reach`.
std::optional<Bend> bend_near(const std::vector<Bend>& bends, double s, double reach) {
  std::optional<Bend> best;
  for (const Bend& bend : bends)
    if (std::abs(bend.s - s) < reach && (!best || std::abs(bend.s - s) < std::abs(best->s - s))) best = bend;
  return best;
}

// How the direction of a curve changes at s.
Vec3 turn_at(const Curve& curve, double s) {
  const double window = direction_window(curve);
  return (curve.at(s + window) - curve.at(s)).normalized() -
         (curve.at(s) - curve.at(s - window)).normalized();
}

// Mean radius about s.
double thickness(const Curve& curve, double s) {
  const double window = direction_window(curve);
  double sum = 0;
  for (int k = -kRadiiBeside; k <= kRadiiBeside; ++k) sum += curve.radius_at(s + window * k / kRadiiBeside);
  return sum / (2 * kRadiiBeside + 1);
}

class Placer {
 public:
  explicit Placer(const Match& match)
      : match_(match), trunk_(trunk_knots(match)), bends_(match.tips.size()), minors_(match_minors(match)) {
    for (std::size_t i = 0; i < match.tips.size(); ++i) {
      limbs_.push_back({{0, 0}, {of_template(i).length(), of_body(i).length()}});
      find_bends(i);
    }
  }

  std::optional<Vec3> place(const Anchor& anchor) const {
    switch (anchor.kind) {
      case Anchor::Kind::kTrunk: {
        const double scale = match_.parts.trunk.length() / match_.model->parts.trunk.length();
        return on(match_.parts.trunk, through(trunk_, anchor.s), anchor, match_.rotation, scale, scale);
      }
      case Anchor::Kind::kLimb: {
        if (of_body(anchor.part).empty()) return std::nullopt;
        const double along = of_body(anchor.part).length() / of_template(anchor.part).length();
        const double s = through(limbs_[anchor.part], anchor.s);
        const double here =
            thickness(of_body(anchor.part), s) / thickness(of_template(anchor.part), anchor.s);
        const double middle = of_body(anchor.part).middle_radius() / of_template(anchor.part).middle_radius();
        const double beside = std::clamp(here, 0.5 * middle, 2 * middle);
        return on(of_body(anchor.part), s, anchor, match_.rotation, std::sqrt(along * beside), beside);
      }
      case Anchor::Kind::kMinor: {
        const MinorPartner& partner = minors_[anchor.part];
        if (partner.minor < 0) return std::nullopt;
        const Curve& a = match_.model->parts.minors[anchor.part].curve;
        const Curve& b = match_.parts.minors[static_cast<std::size_t>(partner.minor)].curve;
        // Measured from the tip: the seam of a short ear is anywhere.
        const double ratio = std::clamp(b.length() / a.length(), kShorterFinger * partner.scale,
                                        kLongerFinger * partner.scale);
        return on(b, b.length() - (a.length() - anchor.s) * ratio, anchor, partner.rotation, ratio, ratio);
      }
    }
    return std::nullopt;
  }

  double degrees(const Anchor& anchor) const {
    if (anchor.kind != Anchor::Kind::kLimb || of_body(anchor.part).empty()) return 0;
    const Curve& curve = of_body(anchor.part);
    const auto bend =
        bend_near(bends_[anchor.part], through(limbs_[anchor.part], anchor.s), kAtBend * curve.length());
    return bend ? bend->degrees : 0;
  }

 private:
  const Curve& of_template(std::size_t i) const { return match_.model->parts.limbs[i].curve; }
  const Curve& of_body(std::size_t i) const { return match_.parts.limbs[i].curve; }

  static Vec3 on(const Curve& curve, double s, const Anchor& anchor, const Mat3& rotation, double along,
                 double beside) {
    const Vec3 tangent = curve.direction(s, direction_window(curve));
    const Mat3 turn = turned(rotation * anchor.tangent, tangent) * rotation;
    const double ahead = anchor.offset.dot(anchor.tangent);
    const Vec3 side = anchor.offset - ahead * anchor.tangent;
    return curve.at(s) + (along * ahead + std::min(s, 0.0)) * tangent + beside * (turn * side);
  }

  // Bends of the template and of the body that lie alike are one, from the tip inwards. A joint of a limb
  // that is straight in the template goes to a bend of the body that none of these accounts for.
  void find_bends(std::size_t limb) {
    if (of_body(limb).empty() || of_template(limb).empty()) return;
    std::vector<Bend> bends = bends_[limb] = own_bends(match_.parts.limbs[limb]);
    const std::vector<Bend>& shown = match_.model->bends[limb];
    Knots& knots = limbs_[limb];
    const auto turns_alike = [&](double s, const Bend& bend) {
      const Vec3 in_template = match_.rotation * turn_at(of_template(limb), s),
                 in_body = turn_at(of_body(limb), bend.s);
      return in_template.dot(in_body) > kTurnsAlike * in_template.norm() * in_body.norm();
    };
    // Draws the curve at s to the bend nearest to where it would be.
    const auto draw = [&](double s, double reach, double reach_of_same = 0) {
      auto bend = bend_near(bends, through(knots, s), reach * of_body(limb).length());
      if (!bend && reach_of_same > 0) {
        std::vector<Bend> same = bends;
        std::erase_if(same, [&](const Bend& one) { return !turns_alike(s, one); });
        bend = bend_near(same, through(knots, s), reach_of_same * of_body(limb).length());
      }
      if (!bend || !std::all_of(knots.begin(), knots.end(),
                                [&](const auto& k) { return (s - k.first) * (bend->s - k.second) > 0; }))
        return;
      knots.push_back({s, bend->s});
      std::sort(knots.begin(), knots.end());
      std::erase_if(bends, [&](const Bend& one) { return one.s == bend->s; });
    };
    for (std::size_t k = shown.size(); k-- > 0;) draw(shown[k].s, kNearBend, kSameTurn);
    std::vector<double> joints;
    for (const TemplateJoint& joint : match_.model->joints)
      if (joint.anchor.kind == Anchor::Kind::kLimb && joint.anchor.part == limb &&
          joint.anchor.s > kOuterFrom * of_template(limb).length() &&
          joint.anchor.s < kOuterTo * of_template(limb).length())
        joints.push_back(joint.anchor.s);
    std::sort(joints.rbegin(), joints.rend());
    for (const double s : joints)
      if (!bend_near(shown, s, kFarBend * of_template(limb).length())) draw(s, kFarBend);
  }

  const Match& match_;
  Knots trunk_;
  std::vector<Knots> limbs_;
  std::vector<std::vector<Bend>> bends_;  // of the body's limbs
  std::vector<MinorPartner> minors_;
};

// Eq. 1 and Eq. 2 of [bian2018]: where two limbs, left and right, hang on one joint of the trunk, the three
// form a triangle like the template's, turned as the body is. On a straight line between the two it is Eq. 1.
void match_triangles(const Match& match, std::vector<PlacedJoint>& placed) {
  const auto& joints = match.model->joints;
  const auto on_limb = [&](std::size_t j) { return joints[j].anchor.kind == Anchor::Kind::kLimb; };
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].anchor.kind != Anchor::Kind::kTrunk || !placed[j].present) continue;
    for (std::size_t a = j + 1; a < joints.size(); ++a) {
      const int other = joints[a].mirror;
      if (joints[a].parent != static_cast<int>(j) || other <= static_cast<int>(a) || !on_limb(a)) continue;
      const auto b = static_cast<std::size_t>(other);
      if (joints[b].parent != static_cast<int>(j) || !on_limb(b) || !placed[a].present || !placed[b].present)
        continue;
      const Vec3 of_template = joints[b].head - joints[a].head, of_body = placed[b].head - placed[a].head;
      if (!(of_template.norm() > 0) || !(of_body.norm() > 0)) continue;
      const Mat3 turn = turned(match.rotation * of_template, of_body) * match.rotation;
      const Vec3 beside = joints[j].head - (joints[a].head + joints[b].head) / 2;
      placed[j].head =
          (placed[a].head + placed[b].head) / 2 + of_body.norm() / of_template.norm() * (turn * beside);
      break;
    }
  }
}

// Hips and shoulders lie in the trunk, behind the seam, where the limb's curve leans forward or back with the seam: they
// are as far in front of the trunk's joint that they hang on as in the template. A skirt, or armour, lets the leg
// that is seen begin far below the hip, which is not much lower under that joint than in the template.
void place_girdles(const Match& match, std::vector<PlacedJoint>& placed) {
  const auto& joints = match.model->joints;
  const Curve& trunk = match.model->parts.trunk;
  const Vec3 forward = match.rotation.col(2), up = match.rotation.col(1);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Anchor& anchor = joints[j].anchor;
    if (anchor.kind != Anchor::Kind::kLimb || anchor.s > 0 || joints[j].parent < 0 || !placed[j].present)
      continue;
    const auto above = static_cast<std::size_t>(joints[j].parent);
    const double s = trunk.project(joints[j].head);
    if (joints[above].anchor.kind != Anchor::Kind::kTrunk ||
        (trunk.at(s) - joints[j].head).norm() > trunk.radius_at(s))
      continue;
    const double wanted = match.scale * (joints[j].head - joints[above].head).z();
    placed[j].head += (wanted - (placed[j].head - placed[above].head).dot(forward)) * forward;
    const double lowest = kLowHip * match.scale * (joints[j].head - joints[above].head).y();
    const double height = (placed[j].head - placed[above].head).dot(up);
    if (lowest < 0 && height < lowest) placed[j].head += (lowest - height) * up;
  }
}

// The first joint of a limb may lie in the trunk, beside the limb's curve, as a tail's does: it forms a triangle with
// the joints before and behind it, like the template's, turned as the body is.
void place_inside_trunk(const Match& match, std::vector<PlacedJoint>& placed) {
  const auto& joints = match.model->joints;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Anchor& anchor = joints[j].anchor;
    if (anchor.kind != Anchor::Kind::kLimb || joints[j].parent < 0 || !placed[j].present) continue;
    const Curve& curve = match.model->parts.limbs[anchor.part].curve;
    const Vec3 side = anchor.offset - anchor.offset.dot(anchor.tangent) * anchor.tangent;
    if (side.norm() < kInsideLimb * thickness(curve, anchor.s)) continue;
    const auto above = static_cast<std::size_t>(joints[j].parent);
    for (std::size_t child = j + 1; child < joints.size(); ++child) {
      if (joints[child].parent != static_cast<int>(j) || !placed[child].present) continue;
      const Vec3 of_template = joints[child].head - joints[above].head,
                 of_body = placed[child].head - placed[above].head;
      if (!(of_template.norm() > 0) || !(of_body.norm() > 0)) continue;
      const Mat3 turn = turned(match.rotation * of_template, of_body) * match.rotation;
      placed[j].head = placed[above].head +
                       of_body.norm() / of_template.norm() * (turn * (joints[j].head - joints[above].head));
      break;
    }
  }
}

}  // namespace

std::vector<PlacedJoint> place_joints(const Match& match) {
  const Placer placer(match);
  std::vector<PlacedJoint> placed;
  for (const TemplateJoint& joint : match.model->joints) {
    PlacedJoint out;
    const auto head = placer.place(joint.anchor);
    out.present =
        head.has_value() && (joint.parent < 0 || placed[static_cast<std::size_t>(joint.parent)].present);
    if (head) out.head = *head;
    if (joint.tail && out.present) out.tail = placer.place(*joint.tail);
    out.degrees = placer.degrees(joint.anchor);
    placed.push_back(out);
  }
  if (match.model->rings) {
    match_triangles(match, placed);
  } else if (match.model->two_sided) {
    place_girdles(match, placed);
    place_inside_trunk(match, placed);
    place_standing_legs(match, placed);
  }
  return placed;
}

}  // namespace sinew::autorig
