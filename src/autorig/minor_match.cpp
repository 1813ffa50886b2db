// SPDX-License-Identifier: Apache-2.0
#include "autorig/minor_match.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autorig/similarity.h"
#include "sinew/math/svd.h"

namespace sinew::autorig {
namespace {

constexpr std::size_t kMost = 7;
constexpr double kUnlike =
    0.4;  // relative distances between fingers that differ so much are not the template's
constexpr double kTwisted = 0.15;  // times the share of half a turn

std::vector<std::size_t> grown_on(const std::vector<Part>& minors, int limb) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < minors.size() && found.size() < kMost; ++i)
    if (minors[i].parent == limb) found.push_back(i);
  return found;
}

// Where the limb stands before its minors part: three points that fix the turn where tips are few.
void add_stem(const Curve& limb, const std::vector<Part>& minors, const std::vector<std::size_t>& group,
              std::vector<Vec3>& points) {
  double seam = std::numeric_limits<double>::infinity(), length = 0;
  for (const std::size_t i : group) {
    seam = std::min(seam, minors[i].seam);
    length = std::max(length, minors[i].curve.length());
  }
  const double s = limb.at_level(seam);
  points.push_back(limb.at(s));
  points.push_back(limb.at(s - 0.5 * length));
}

struct Fit {
  double error = std::numeric_limits<double>::infinity();
  Mat3 rotation = Mat3::Identity();
  double scale = 1;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;  // template, body
};

class Group {
 public:
  Group(const Match& match, int limb)
      : template_parts_(match.model->parts.minors),
        body_parts_(match.parts.minors),
        a_(grown_on(template_parts_, limb)),
        b_(grown_on(body_parts_, limb)) {
    if (a_.empty() || b_.empty() || (a_.size() > 2 && b_.size() < 2)) return;
    const Curve& one =
        limb < 0 ? match.model->parts.trunk : match.model->parts.limbs[static_cast<std::size_t>(limb)].curve;
    const Curve& other =
        limb < 0 ? match.parts.trunk : match.parts.limbs[static_cast<std::size_t>(limb)].curve;
    if (one.empty() || other.empty()) return;
    add_stem(one, template_parts_, a_, from_);
    add_stem(other, body_parts_, b_, to_);
    // As the limb itself is turned, before any twist.
    expected_ = shortest_arc(match.rotation * (from_[0] - from_[1]), to_[0] - to_[1]).toRotationMatrix() *
                match.rotation;
    used_.assign(b_.size(), 0);
    want_ = std::min(a_.size(), b_.size());
    if (want_ * 2 < a_.size()) return;
    extend(0, 0);
  }
  const Fit& fit() const { return best_; }

 private:
  void extend(std::size_t next, std::size_t paired) {
    if (a_.size() - next + paired < want_) return;
    if (next == a_.size()) {
      if (paired == want_) score();
      return;
    }
    for (std::size_t k = 0; k < b_.size(); ++k) {
      if (used_[k]) continue;
      used_[k] = 1;
      pair(a_[next], b_[k]);
      extend(next + 1, paired + 1);
      now_.pop_back();
      from_.resize(from_.size() - 2);
      to_.resize(to_.size() - 2);
      used_[k] = 0;
    }
    extend(next + 1, paired);
  }

  void pair(std::size_t i, std::size_t j) {
    now_.push_back({i, j});
    from_.push_back(template_parts_[i].curve.points.front()),
        to_.push_back(body_parts_[j].curve.points.front());
    from_.push_back(template_parts_[i].tip), to_.push_back(body_parts_[j].tip);
  }

  void score() {
    const Similarity fit = fit_similarity(from_, to_);
    // Two ears fit as well upside down.
    const double twisted = (3 - (expected_.transpose() * fit.rotation).trace()) / 4;
    const double error = fit.error + kTwisted * twisted;
    if (!(fit.scale > 0) || !(error < best_.error)) return;
    best_ = {error, fit.rotation, fit.scale, now_};
  }

  const std::vector<Part>&template_parts_, &body_parts_;
  std::vector<std::size_t> a_, b_;
  std::vector<Vec3> from_, to_;  // the stem, then a root and a tip for each pair
  std::vector<std::uint8_t> used_;
  std::vector<std::pair<std::size_t, std::size_t>> now_;
  std::size_t want_ = 0;
  Mat3 expected_ = Mat3::Identity();
  Fit best_;
};

// One ear alone is none: what grows on the trunk where the template has a pair of them is a jaw or a horn.
void drop_halves(const Match& match, std::vector<MinorPartner>& partners) {
  const TemplateData& model = *match.model;
  const std::vector<MinorPartner> found = partners;
  for (const TemplateJoint& joint : model.joints) {
    if (joint.anchor.kind != Anchor::Kind::kMinor || joint.mirror < 0) continue;
    const Anchor& other = model.joints[static_cast<std::size_t>(joint.mirror)].anchor;
    if (other.kind == Anchor::Kind::kMinor && other.part != joint.anchor.part &&
        model.parts.minors[joint.anchor.part].parent < 0 && found[other.part].minor < 0)
      partners[joint.anchor.part].minor = -1;
  }
}

}  // namespace

std::vector<MinorPartner> match_minors(const Match& match) {
  std::vector<MinorPartner> partners(match.model->parts.minors.size());
  for (int limb = -1; limb < static_cast<int>(match.tips.size()); ++limb) {
    const Group group(match, limb);
    const Fit& fit = group.fit();
    if (fit.error > kUnlike) continue;
    for (const auto& [i, j] : fit.pairs) partners[i] = {static_cast<int>(j), fit.rotation, fit.scale};
  }
  drop_halves(match, partners);
  return partners;
}

}  // namespace sinew::autorig
