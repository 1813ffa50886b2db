// SPDX-License-Identifier: Apache-2.0
#include "autorig/features.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autorig/similarity.h"
#include "autorig/tuning.h"

namespace sinew::autorig {

const std::array<const char*, kFeatureCount> kFeatureNames = {
    "lengths",       "asymmetry",    "own_image",   "no_images", "extra_limbs", "head_limbs",   "odd_horn",
    "missing_limbs", "missing_tail", "half_pairs",  "places",    "seam_shift",  "hidden_limbs", "thickness",
    "thin_head",     "upside_down",  "on_its_side", "backwards", "turned",      "constant"};

double score(const Features& weights, const Features& features) {
  double sum = 0;
  for (std::size_t k = 0; k < kFeatureCount; ++k) sum += weights[k] * features[k];
  return sum;
}

namespace {

constexpr double kOnHead = 0.9;  // of the way to where the first limb leaves
constexpr double kSameGround =
    0.05;  // of the size: a limb that ends so near to the lowest is no ear and no horn
constexpr double kStandingLimb = 2;  // times as long counts a limb that a body would stand on without bones
constexpr double kNearImage = 0.05;  // of the diameter: so near to its image a tip is found
constexpr double kBesideMiddle =
    0.05;  // of the diameter: a tip so much nearer to left than to right is no trunk
constexpr double kHeadFrom = 0.03, kHeadTo = 0.15;  // of the trunk: where a head is as thick as it is
constexpr double kTailFrom = 0.6, kTailTo = 0.95;   // of a limb: the same of a tail
constexpr double kLimbSway = 0.5;                   // how much of a limb's direction counts: limbs move
constexpr double kMostLonger = 4;                   // times a limb is longer or shorter than the template's
constexpr double kShinFrom = 0.5, kShinTo = 0.8,
                 kFootFrom = 0.88;  // of a limb, where both are its lower half
// Sines between foot and shin: less is no foot, the template's and the body's.
constexpr double kFootBend = 0.4, kLeastBend = 0.2;
constexpr int kTrunkSamples = 12, kLimbSamples = 8, kRadii = 8;
constexpr double kMostOff = 1.5, kMostThin = 3;  // logarithms

constexpr int kMostUnknowns = 18;  // kinds of limbs and the scale
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostUnknowns, kMostUnknowns>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostUnknowns, 1>;

Eigen::Index index_of(std::size_t i) {
  return static_cast<Eigen::Index>(i);
}

// Where the first limb leaves the tree of these tips, the root's first.
double first_fork(const BodyMap& body, std::span<const std::size_t> tips) {
  double first = body.diameter;
  for (std::size_t i = 1; i < tips.size(); ++i)
    for (std::size_t k = 1; k < i; ++k)
      first = std::min(first, body.gromov_product(tips[0], tips[i], tips[k]));
  return first;
}
// Where another tip leaves it.
double deepest_fork(const BodyMap& body, std::size_t tip, std::span<const std::size_t> tips) {
  double depth = 0;
  for (std::size_t i = 1; i < tips.size(); ++i)
    depth = std::max(depth, body.gromov_product(tips[0], tip, tips[i]));
  return depth;
}

// Whether a tip is not on the middle between left and right, as an elephant's trunk is.
bool is_beside_middle(const BodyMap& body, const TemplateData& model, Partners partners, std::size_t tip) {
  double worst = 0;
  for (std::size_t i = 1; i < partners.size(); ++i) {
    const int image = model.image_of(i);
    if (image < 0 || static_cast<std::size_t>(image) >= partners.size()) continue;
    const int a = partners[i], b = partners[static_cast<std::size_t>(image)];
    if (a < 0 || b < 0) continue;
    worst = std::max(worst, std::abs(body.apart(index_of(tip), a) - body.apart(index_of(tip), b)));
  }
  return worst > kBesideMiddle * body.diameter;
}

void sample_curve(const Curve& curve, int count, std::vector<Vec3>& points, std::vector<double>& radii) {
  for (int k = 0; k < count; ++k) {
    const double s = curve.length() * (k + 0.5) / count;
    points.push_back(curve.at(s));
    radii.push_back(curve.radius_at(s));
  }
}

double mean_radius(const Curve& curve, double from, double to) {
  double sum = 0;
  for (int k = 0; k < kRadii; ++k)
    sum += curve.radius_at(curve.length() * (from + (to - from) * (k + 0.5) / kRadii));
  return sum / kRadii;
}

// How much thicker the head is than the tail, as a logarithm.
double head_over_tail(const Parts& parts, std::size_t tail) {
  return std::log(mean_radius(parts.trunk, kHeadFrom, kHeadTo) /
                  mean_radius(parts.limbs[tail].curve, kTailFrom, kTailTo));
}

// How the end of a limb bends away from it: the direction of a foot beside its shin's; shorter than 1.
Vec3 foot_of(const Curve& curve) {
  const auto way = [&](double from, double to) {
    return (curve.at(to * curve.length()) - curve.at(from * curve.length())).normalized();
  };
  const Vec3 shin = way(kShinFrom, kShinTo), foot = way(kFootFrom, 1);
  return foot - foot.dot(shin) * shin;
}

}  // namespace

void TipSums::add_last(const BodyMap& body, const TemplateData& model, Partners partners) {
  const std::size_t last = partners.size() - 1;
  const int self = static_cast<int>(last), tip = partners[last];
  const auto partner = [&](int of) { return partners[static_cast<std::size_t>(of)]; };
  for (std::size_t i = 0; i < last; ++i) {
    if (partners[i] < 0) continue;
    const double t = model.apart(index_of(i), index_of(last)), m = body.apart(partners[i], tip);
    tm += t * m, mm += m * m, tt += t * t;
  }
  // From the last tip, and from its image, distances to tips and to their images should be the same.
  const int image = model.image_of(last);
  if (image < 0 || image > self || partner(image) < 0) return;
  for (int i = 0; i < self; ++i) {
    const int other = model.image_of(static_cast<std::size_t>(i));
    if (other < 0 || other >= self || (image == self && other <= i)) continue;
    if (partner(i) < 0 || partner(other) < 0) continue;
    const double here = body.apart(tip, partner(i)), there = body.apart(partner(image), partner(other));
    unlike += (here - there) * (here - there);
    alike += (here * here + there * there) / 2;
  }
}

double TipSums::rigid_lengths() const {
  return mm > 0 && tt > 0 ? std::sqrt(std::max(0.0, 1 - tm * tm / (mm * tt))) : 0;
}

double TipSums::asymmetry() const {
  return alike > 0 ? std::sqrt(unlike / alike) : 0;
}

TipSums tip_sums(const BodyMap& body, const TemplateData& model, Partners partners) {
  TipSums sums;
  for (std::size_t i = 1; i < partners.size(); ++i)
    if (partners[i] >= 0) sums.add_last(body, model, partners.first(i + 1));
  return sums;
}

double flexible_lengths(const BodyMap& body, const TemplateData& model, Partners partners, double stiffness) {
  std::vector<int> kind(partners.size());
  for (std::size_t i = 0; i < partners.size(); ++i) {
    const int image = model.image_of(i), self = static_cast<int>(i);
    // All fingers are of one kind, or they could take any length.
    kind[i] = !model.two_sided ? std::min(self, 1) : image >= 0 ? std::min(image, self) : self;
  }
  const Eigen::Index kinds = 1 + *std::max_element(kind.begin(), kind.end());
  SmallMatrix normal = SmallMatrix::Zero(kinds + 1, kinds + 1);
  SmallVector right = SmallVector::Zero(kinds + 1), row(kinds + 1);
  double mm = 0;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    if (partners[i] < 0) continue;
    normal(kind[i], kind[i]) += stiffness * body.diameter * body.diameter;
    for (std::size_t k = 0; k < i; ++k) {
      if (partners[k] < 0) continue;
      row.setZero();
      row(kinds) = model.apart(index_of(i), index_of(k));
      row(kind[i]) += body.diameter, row(kind[k]) += body.diameter;
      normal += row * row.transpose();
      const double m = body.apart(partners[i], partners[k]);
      right += m * row;
      mm += m * m;
    }
  }
  for (Eigen::Index c = 0; c < kinds; ++c)
    if (!(normal(c, c) > 0)) normal(c, c) = 1;
  if (!(mm > 0)) return 0;
  const SmallVector best = normal.ldlt().solve(right);
  // What is left of the sum of squares, stiffness counted.
  return std::sqrt(std::max(0.0, 1 - best.dot(right) / mm));
}

double no_images(const BodyMap& body, const TemplateData& model, Partners partners) {
  double least = body.mirrors.empty() || !model.two_sided ? 0 : body.diameter;
  for (const Mirror& mirror : body.mirrors) {
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < partners.size(); ++i) {
      const int image = model.image_of(i);
      if (image < 0 || static_cast<std::size_t>(image) >= partners.size()) continue;
      const int one = partners[i], other = partners[static_cast<std::size_t>(image)];
      if (one < 0 || other < 0) continue;
      const auto place = [&](int tip) {
        return body.graph.positions[body.major[static_cast<std::size_t>(tip)].point];
      };
      sum += (mirror(place(one)) - place(other)).norm();
      ++count;
    }
    if (count > 0) least = std::min(least, sum / count);
  }
  return std::max(0.0, least / body.diameter - kNearImage);
}

Features tip_features(const BodyMap& body, const TemplateData& model, Partners partners) {
  const Tuning& table = tuning(model.rings);
  const TipSums sums = tip_sums(body, model, partners);
  Features features{};
  features[kConstant] = 1;
  features[kLengths] =
      table.flexible ? flexible_lengths(body, model, partners, table.stiffness) : sums.rigid_lengths();
  features[kAsymmetry] = sums.asymmetry();
  features[kOwnImage] = !model.two_sided && model.parts.limbs.size() > 1 && !body.mirrors.empty();
  features[kNoImages] = no_images(body, model, partners);
  std::vector<std::size_t> of_body, of_template;
  for (std::size_t i = 0; i < partners.size(); ++i)
    if (partners[i] >= 0) of_template.push_back(i), of_body.push_back(static_cast<std::size_t>(partners[i]));

  double ground = std::numeric_limits<double>::infinity();
  for (const Tip& tip : body.major) ground = std::min(ground, body.graph.positions[tip.point].y());
  const bool upright = table.upright && model.parts.limbs.size() > 1;  // a chain lies
  const auto stands = [&](std::size_t tip) {
    return upright &&
           body.graph.positions[body.major[tip].point].y() < ground + kSameGround * body.graph.size;
  };
  int horns = 0;
  const double first = model.two_sided ? first_fork(body, of_body) : 0;
  for (std::size_t tip = 0; tip < body.major.size(); ++tip) {
    if (body.major[tip].middle || std::find(of_body.begin(), of_body.end(), tip) != of_body.end()) continue;
    const bool on_head = deepest_fork(body, tip, of_body) < kOnHead * first && !stands(tip);
    features[on_head ? kHeadLimbs : kExtraLimbs] +=
        (stands(tip) ? kStandingLimb : 1) * protrusion(body.apart, tip, of_body) / body.diameter;
    horns += on_head && is_beside_middle(body, model, partners, tip);
  }
  features[kExtraLimbs] = std::max(0.0, features[kExtraLimbs] - model.spare / table.limbs[kExtraLimbs]);
  features[kOddHorn] = horns % 2 == 1 && !body.major[of_body[0]].middle;

  for (std::size_t i = 1; i < partners.size(); ++i) {
    if (partners[i] >= 0) continue;
    const int image = model.image_of(i);
    if (image >= 0 && static_cast<std::size_t>(image) < partners.size() &&
        partners[static_cast<std::size_t>(image)] >= 0)
      ++features[kHalfPairs];
    features[image == static_cast<int>(i) ? kMissingTail : kMissingLimbs] +=
        protrusion(model.apart, i, of_template) / model.diameter;
  }
  return features;
}

bool overlay_features(Overlay& overlay, Features& features) {
  const Parts &of_template = overlay.model->parts, &of_body = *overlay.parts;
  const bool chain = of_template.limbs.size() < 2, flexible = tuning(overlay.model->rings).flexible;
  const Curve &trunk = of_template.trunk, &body_trunk = of_body.trunk;
  std::vector<Vec3> from, to;
  std::vector<double> from_radii, to_radii;
  double shift = 0;
  int limbs = 0;
  sample_curve(trunk, kTrunkSamples, from, from_radii);
  sample_curve(body_trunk, kTrunkSamples, to, to_radii);
  features[kHiddenLimbs] = 0;
  for (std::size_t i = 0; i < of_template.limbs.size(); ++i) {
    const Curve &a = of_template.limbs[i].curve, &b = of_body.limbs[i].curve;
    if (a.empty()) continue;
    if (b.empty()) {
      features[kHiddenLimbs] += overlay.tips[i] >= 0;
      continue;
    }
    const std::size_t begin = from.size();
    sample_curve(a, kLimbSamples, from, from_radii);
    sample_curve(b, kLimbSamples, to, to_radii);
    if (!flexible || !overlay.model->two_sided) continue;
    // As long as the body's limb, and leaving the trunk where it does: directions are compared.
    const double longer = b.length() / a.length() * trunk.length() / body_trunk.length();
    const double seam = trunk.at_level(of_template.limbs[i].seam);
    const double body_seam = body_trunk.at_level(of_body.limbs[i].seam) / body_trunk.length();
    const Vec3 start = a.points.front() + trunk.at(body_seam * trunk.length()) - trunk.at(seam);
    for (std::size_t k = begin; k < from.size(); ++k) {
      from[k] =
          start + kLimbSway * std::clamp(longer, 1 / kMostLonger, kMostLonger) * (from[k] - a.points.front());
      to[k] = b.points.front() + kLimbSway * (to[k] - b.points.front());
    }
    shift += std::pow(body_seam - seam / trunk.length(), 2);
    ++limbs;
  }
  features[kSeamShift] = limbs > 0 ? std::sqrt(shift / limbs) : 0;
  const Similarity fit = fit_similarity(from, to);
  overlay.scale = fit.scale;
  if (!(fit.scale > 0)) return false;
  overlay.rotation = fit.rotation;
  features[kPlaces] = chain ? 0 : fit.error;

  const double scale = chain ? body_trunk.length() / trunk.length() : fit.scale;
  double sum = 0;
  int count = 0;
  for (std::size_t k = 0; k < from_radii.size(); ++k) {
    if (!(from_radii[k] > 0) || !(to_radii[k] > 0)) continue;
    // Level sets shrink on the lid of a tube, at one end or the other.
    if (chain && (k == 0 || k + 1 == from_radii.size())) continue;
    const double off = std::clamp(std::log(to_radii[k] / (from_radii[k] * scale)), -kMostOff, kMostOff);
    sum += off * off;
    ++count;
  }
  features[kThickness] = count > 0 ? std::sqrt(sum / count) : 1;
  return true;
}

double thin_head(const TemplateData& model, const Parts& parts) {
  for (std::size_t i = 0; i < parts.limbs.size(); ++i) {
    if (model.mirror_limbs[i] != static_cast<int>(i) || parts.limbs[i].curve.points.size() < 3) continue;
    const double off = head_over_tail(parts, i) - head_over_tail(model.parts, i);
    return std::isfinite(off) ? std::clamp(-off, 0.0, kMostThin) : 0;
  }
  return 0;
}

double backwards(const TemplateData& model, const Parts& parts, const Mat3& rotation) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < parts.limbs.size() && model.two_sided; ++i) {
    const Curve &a = model.parts.limbs[i].curve, &b = parts.limbs[i].curve;
    if (model.mirror_limbs[i] == static_cast<int>(i) || a.points.size() < 3 || b.points.size() < 3) continue;
    const Vec3 wanted = rotation * foot_of(a);
    Vec3 foot = foot_of(b);
    if (!(wanted.norm() > kFootBend && foot.norm() > kLeastBend)) continue;
    // A leg that is hardly more than its foot may end bent back, in front of where it begins.
    if ((b.points.back() - b.at(kShinFrom * b.length())).dot(wanted) > 0) foot = wanted;
    sum += std::max(0.0, -wanted.dot(foot) / (wanted.norm() * foot.norm()));
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

double upside_down(const TemplateData& model, const Mat3& rotation) {
  return model.two_sided ? std::max(0.0, -rotation.col(1).y()) : 0;
}

double on_its_side(const TemplateData& model, const Mat3& rotation) {
  return model.two_sided ? std::abs(rotation.col(0).y()) : 0;
}

double turn_from_template(const TemplateData& model, const Parts& parts, const Mat3& rotation) {
  if (model.parts.limbs.size() > 1) return (3 - rotation.trace()) / 4;
  const Curve &a = model.parts.trunk, &b = parts.trunk;
  const Vec3 u = a.points.back() - a.points.front(), v = b.points.back() - b.points.front();
  return u.norm() > 0 && v.norm() > 0 ? (1 - u.normalized().dot(v.normalized())) / 2 : 0;
}

}  // namespace sinew::autorig
