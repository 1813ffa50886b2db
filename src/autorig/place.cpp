// SPDX-License-Identifier: Apache-2.0
// Joints lie on the body's curves where they lie on the template's: between the same landmarks (tips, seams,
// neck, bends) at the same share of the arc length, and as far beside them in terms of length and thickness.
#include "autorig/place.h"

#include <algorithm>
#include <cmath>

#include "autorig/minor_match.h"

namespace sinew::autorig {
namespace {

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
Knots tidy(Knots knots, double least_theirs, double least_ours) {
  std::sort(knots.begin(), knots.end());
  Knots out;
  std::vector<int> merged;
  for (const auto& [a, b] : knots) {
    if (!out.empty() && a - out.back().first < least_theirs) {
      const double n = merged.back()++;
      out.back() = {(out.back().first * n + a) / (n + 1), (out.back().second * n + b) / (n + 1)};
    } else {
      out.push_back({a, b});
      merged.push_back(1);
    }
  }
  Knots rising;
  for (const auto& knot : out)
    if (rising.empty() || knot.second - rising.back().second > least_ours) rising.push_back(knot);
  return rising;
}

Knots trunk_knots(const Match& match) {
  const Curve &theirs = match.model->parts.trunk, &ours = match.parts.trunk;
  Knots inner;
  double first_theirs = theirs.length(), first_ours = ours.length();
  for (std::size_t i = 0; i < match.tips.size(); ++i) {
    if (match.parts.limbs[i].curve.empty()) continue;
    const double a = theirs.at_level(match.model->parts.limbs[i].seam),
                 b = ours.at_level(match.parts.limbs[i].seam);
    inner.push_back({a, b});
    first_theirs = std::min(first_theirs, a);
    first_ours = std::min(first_ours, b);
  }
  if (const auto a = find_neck(theirs, first_theirs), b = find_neck(ours, first_ours);
      a && b && match.tips.size() > 1)
    inner.push_back({*a, *b});
  inner = tidy(std::move(inner), 0.04 * theirs.length(), 0.02 * ours.length());
  Knots knots = {{0, 0}};
  for (const auto& knot : inner)
    if (knot.first > 0.02 * theirs.length() && knot.first < 0.96 * theirs.length() &&
        knot.second > 0.02 * ours.length() && knot.second < 0.98 * ours.length())
      knots.push_back(knot);
  knots.push_back({theirs.length(), ours.length()});
  return knots;
}

Mat3 turned(const Vec3& from, const Vec3& to) {
  return Quat::FromTwoVectors(from, to).toRotationMatrix();
}

// The bend nearest to s, no farther than `reach`.
std::optional<Bend> bend_near(const std::vector<Bend>& bends, double s, double reach) {
  std::optional<Bend> best;
  for (const Bend& bend : bends)
    if (std::abs(bend.s - s) < reach && (!best || std::abs(bend.s - s) < std::abs(best->s - s))) best = bend;
  return best;
}

class Placer {
 public:
  explicit Placer(const Match& match)
      : match_(match), trunk_(trunk_knots(match)), minors_(match_minors(match)) {
    for (std::size_t i = 0; i < match.tips.size(); ++i) {
      limbs_.push_back({{0, 0}, {theirs(i).length(), ours(i).length()}});
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
        if (ours(anchor.part).empty()) return std::nullopt;
        const double along = ours(anchor.part).length() / theirs(anchor.part).length();
        const double beside = ours(anchor.part).middle_radius() / theirs(anchor.part).middle_radius();
        return on(ours(anchor.part), through(limbs_[anchor.part], anchor.s), anchor, match_.rotation,
                  std::sqrt(along * beside), beside);
      }
      case Anchor::Kind::kMinor: {
        const MinorPartner& partner = minors_[anchor.part];
        if (partner.minor < 0) return std::nullopt;
        const Curve& a = match_.model->parts.minors[anchor.part].curve;
        const Curve& b = match_.parts.minors[static_cast<std::size_t>(partner.minor)].curve;
        // Measured from the tip: the seam of a short ear is anywhere.
        const double ratio = std::clamp(b.length() / a.length(), 0.75 * partner.scale, 1.33 * partner.scale);
        return on(b, b.length() - (a.length() - anchor.s) * ratio, anchor, partner.rotation, ratio, ratio);
      }
    }
    return std::nullopt;
  }

  double degrees(const Anchor& anchor) const {
    if (anchor.kind != Anchor::Kind::kLimb || ours(anchor.part).empty()) return 0;
    const Curve& curve = ours(anchor.part);
    const auto bend =
        bend_near(bends_of(curve), through(limbs_[anchor.part], anchor.s), 0.03 * curve.length());
    return bend ? bend->degrees : 0;
  }

 private:
  const Curve& theirs(std::size_t i) const { return match_.model->parts.limbs[i].curve; }
  const Curve& ours(std::size_t i) const { return match_.parts.limbs[i].curve; }

  static Vec3 on(const Curve& curve, double s, const Anchor& anchor, const Mat3& rotation, double along,
                 double beside) {
    const Vec3 tangent = curve.direction(s, direction_window(curve));
    const Mat3 turn = turned(rotation * anchor.tangent, tangent) * rotation;
    const double ahead = anchor.offset.dot(anchor.tangent);
    const Vec3 side = anchor.offset - ahead * anchor.tangent;
    return curve.at(s) + (along * ahead + std::min(s, 0.0)) * tangent + beside * (turn * side);
  }

  // From the tip inwards, each joint that lies at a bend of the body's limb draws the curve there with it.
  void find_bends(std::size_t limb) {
    if (ours(limb).empty() || theirs(limb).empty()) return;
    const std::vector<Bend> bends = bends_of(ours(limb)), shown = bends_of(theirs(limb));
    std::vector<double> joints;
    for (const TemplateJoint& joint : match_.model->joints)
      if (joint.anchor.kind == Anchor::Kind::kLimb && joint.anchor.part == limb &&
          joint.anchor.s > 0.12 * theirs(limb).length() && joint.anchor.s < 0.95 * theirs(limb).length())
        joints.push_back(joint.anchor.s);
    std::sort(joints.rbegin(), joints.rend());
    Knots& knots = limbs_[limb];
    for (const double s : joints) {
      const double at = through(knots, s);
      const auto bend = bend_near(bends, at, 0.13 * ours(limb).length());
      if (!bend) continue;
      // Where the template bends near its joint, bend goes to bend; else the joint itself goes there.
      const auto own = bend_near(shown, s, 0.13 * theirs(limb).length());
      const std::pair<double, double> knot = {own ? own->s : s, bend->s};
      const bool fits = std::all_of(knots.begin(), knots.end(), [&](const auto& k) {
        return (knot.first - k.first) * (knot.second - k.second) > 0;
      });
      if (!fits) continue;
      knots.push_back(knot);
      std::sort(knots.begin(), knots.end());
    }
  }

  const Match& match_;
  Knots trunk_;
  std::vector<Knots> limbs_;
  std::vector<MinorPartner> minors_;
};

}  // namespace

std::vector<PlacedJoint> place_joints(const Match& match) {
  const Placer placer(match);
  std::vector<PlacedJoint> placed;
  for (const TemplateJoint& joint : match.model->joints) {
    PlacedJoint out;
    const auto head = placer.place(joint.anchor);
    out.there =
        head.has_value() && (joint.parent < 0 || placed[static_cast<std::size_t>(joint.parent)].there);
    if (head) out.head = *head;
    if (joint.tail && out.there) out.tail = placer.place(*joint.tail);
    out.degrees = placer.degrees(joint.anchor);
    placed.push_back(out);
  }
  return placed;
}

}  // namespace sinew::autorig
