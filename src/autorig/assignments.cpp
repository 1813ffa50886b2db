// SPDX-License-Identifier: Apache-2.0
#include "autorig/assignments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

namespace sinew::autorig {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// What is left over, times the tip's share of the diameter.
constexpr double kExtraTip = 0.45, kMissingTip = 0.6;
constexpr double kMissingTail = 0.3;  // tails are short, or none
constexpr double kHeadTip = 0.12;     // ears, horns, a trunk: they leave before the first limb does
constexpr double kOnHead = 0.9;       // of the way to where the first limb leaves
// What is left over, as it is.
constexpr double kHalfPair = 0.1;  // one leg of two
constexpr double kOddHorn = 0.05;
constexpr double kBeside = 0.05;  // of the diameter: a tip so much nearer to left than to right is no trunk
constexpr int kMostMissing = 2;
constexpr double kMissingSoFar = 0.03;
constexpr double kStiff = 0.15;  // how much limbs resist being made longer
constexpr double kRigid = 0.4;   // how much lengths count before they are
constexpr std::size_t kBeginnings = 3000, kRingBeginnings = 96;
constexpr double kHopeless = 0.45;  // a beginning that costs so much by rings, which must fit well
constexpr std::size_t kMostTips = 16;
constexpr std::size_t kLookAt = 48;  // assignments per template that are weighed in full

Eigen::Index at(std::size_t i) {
  return static_cast<Eigen::Index>(i);
}

constexpr int kMostKinds = static_cast<int>(kMostTips) + 1;
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostKinds, kMostKinds>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostKinds, 1>;

// Ways to give the template's tips partners, one limb after the other; of all beginnings the best are kept.
class Assignments {
 public:
  Assignments(const BodyMap& body, const TemplateData& model)
      : body_(body),
        model_(model),
        keep_(body.graph.rings ? kRingBeginnings : kBeginnings),
        give_up_(body.graph.rings ? kHopeless : kNever),
        rigid_(body.graph.rings ? 1 : kRigid) {
    for (std::size_t tip = 0; tip < tip_count(); ++tip) {
      const int image = model.image_of(tip);
      const int self = static_cast<int>(tip);
      images_.push_back(image);
      // All fingers are of one kind, or they could take any length.
      kinds_.push_back(!model.two_sided ? std::min(self, 1) : image >= 0 ? std::min(image, self) : self);
    }
  }

  std::vector<Candidate> cheapest() const {
    std::vector<Beginning> now, kept;
    std::vector<Extension> longer;
    for (std::size_t root = 0; root < body_.major.size(); ++root)
      if (model_.two_sided || !body_.major[root].middle) now.push_back(begun(root));
    for (std::size_t limb = 1; limb < tip_count(); ++limb) {
      longer.clear();
      const auto consider = [&](std::size_t from, int tip) {
        longer.push_back(
            {sums_with(now[from], limb, tip).cost(rigid_), static_cast<std::uint32_t>(from), tip});
      };
      for (std::size_t from = 0; from < now.size(); ++from) {
        for (std::size_t tip = 0; tip < body_.major.size(); ++tip)
          if (!now[from].uses(tip) && !body_.major[tip].middle) {
            consider(from, static_cast<int>(tip));
            if (longer.back().cost > give_up_) longer.pop_back();
          }
        if (now[from].sums.missing < kMostMissing && tip_count() > 2) consider(from, -1);
      }
      // Those that come first stay first among equals.
      const auto cheaper = [](const Extension& a, const Extension& b) {
        return std::tie(a.cost, a.from, a.tip) < std::tie(b.cost, b.from, b.tip);
      };
      const auto end = longer.begin() + static_cast<std::ptrdiff_t>(std::min(keep_, longer.size()));
      std::partial_sort(longer.begin(), end, longer.end(), cheaper);
      kept.clear();
      for (auto one = longer.begin(); one != end; ++one) kept.push_back(with(now[one->from], limb, one->tip));
      std::swap(now, kept);
    }
    std::vector<Candidate> all;
    for (const Beginning& one : now)
      if (one.sums.mm > 0) all.push_back(finish(one));
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    if (all.size() > kLookAt) all.resize(kLookAt);
    return all;
  }

  // What any other way would cost.
  Candidate weighed(std::size_t root, std::span<const int> tips) const {
    Beginning one = begun(root);
    for (std::size_t limb = 1; limb < tip_count(); ++limb) one = with(one, limb, tips[limb - 1]);
    return finish(one);
  }

 private:
  struct Sums {
    double tm = 0, mm = 0, tt = 0;  // distances in the template and in the body, multiplied
    double unlike = 0, alike = 0;   // squares: by how much left and right differ, and what was compared
    int missing = 0;
    double lengths() const {
      return mm > 0 && tt > 0 ? std::sqrt(std::max(0.0, 1 - tm * tm / (mm * tt))) : 0;
    }
    double asymmetry() const { return alike > 0 ? std::sqrt(unlike / alike) : 0; }
    double cost(double rigid) const {
      return rigid * lengths() + kAsymmetry * asymmetry() + kMissingSoFar * missing;
    }
  };
  struct Beginning {
    Sums sums;
    std::array<std::int8_t, kMostTips>
        partners;            // per tip of the template so far: the root's, then the limbs'
    std::uint32_t used = 0;  // a bit for each tip of the body
    bool uses(std::size_t tip) const { return (used >> tip & 1) != 0; }
  };
  struct Extension {
    double cost;
    std::uint32_t from;
    int tip;
  };

  std::size_t tip_count() const { return std::min(model_.parts.limbs.size() + 1, kMostTips); }

  static Beginning begun(std::size_t root) {
    Beginning one;
    one.partners[0] = static_cast<std::int8_t>(root);
    one.used = 1u << root;
    return one;
  }

  Beginning with(const Beginning& one, std::size_t limb, int tip) const {
    Beginning more = one;
    more.sums = sums_with(one, limb, tip);
    more.partners[limb] = static_cast<std::int8_t>(tip);
    if (tip >= 0) more.used |= 1u << tip;
    return more;
  }

  Sums sums_with(const Beginning& one, std::size_t limb, int tip) const {
    Sums sums = one.sums;
    if (tip < 0) {
      ++sums.missing;
      return sums;
    }
    const double* const of_template = model_.apart.col(at(limb)).data();
    const double* const of_body = body_.apart.col(tip).data();
    for (std::size_t i = 0; i < limb; ++i) {
      if (one.partners[i] < 0) continue;
      const double t = of_template[i], m = of_body[one.partners[i]];
      sums.tm += t * m, sums.mm += m * m, sums.tt += t * t;
    }
    compare_sides(one, limb, tip, sums);
    return sums;
  }

  // From the last tip given a partner, and from its image, distances to tips and to their images should be
  // the same.
  void compare_sides(const Beginning& one, std::size_t last, int tip, Sums& sums) const {
    const int self = static_cast<int>(last), image = images_[last];
    const auto partner = [&](int of) {
      return of == self ? tip : one.partners[static_cast<std::size_t>(of)];
    };
    if (image < 0 || image > self || partner(image) < 0) return;
    const int b = partner(image);
    for (int i = 0; i < self; ++i) {
      const int other = images_[static_cast<std::size_t>(i)];
      if (other < 0 || other >= self || (image == self && other <= i)) continue;
      const int c = partner(i), d = partner(other);
      if (c < 0 || d < 0) continue;
      const double here = body_.apart(tip, c), there = body_.apart(b, d);
      sums.unlike += (here - there) * (here - there);
      sums.alike += (here * here + there * there) / 2;
    }
  }

  // Limbs are longer or shorter than the template's, left and right ones alike: what distances still differ
  // by when a length is added for each kind of limb, and these lengths.
  double flexible_lengths(const Beginning& one) const {
    const auto kinds =
        static_cast<Eigen::Index>(kinds_.empty() ? 0 : 1 + *std::max_element(kinds_.begin(), kinds_.end()));
    SmallMatrix normal = SmallMatrix::Zero(kinds + 1, kinds + 1);
    SmallVector right = SmallVector::Zero(kinds + 1), row(kinds + 1);
    for (std::size_t i = 0; i < tip_count(); ++i) {
      if (one.partners[i] < 0) continue;
      normal(kinds_[i], kinds_[i]) += kStiff * body_.diameter * body_.diameter;
      for (std::size_t k = 0; k < i; ++k) {
        if (one.partners[k] < 0) continue;
        row.setZero();
        row(kinds) = model_.apart(at(i), at(k));
        row(kinds_[i]) += body_.diameter, row(kinds_[k]) += body_.diameter;
        normal += row * row.transpose();
        right += body_.apart(one.partners[i], one.partners[k]) * row;
      }
    }
    for (Eigen::Index c = 0; c < kinds; ++c)
      if (!(normal(c, c) > 0)) normal(c, c) = 1;
    if (!(one.sums.mm > 0)) return 0;
    const SmallVector best = normal.ldlt().solve(right);
    // What is left of the sum of squares, stiffness counted.
    return std::sqrt(std::max(0.0, 1 - best.dot(right) / one.sums.mm));
  }

  // Where the first limb leaves the tree of these tips, the root's first.
  double first_fork(std::span<const std::size_t> tips) const {
    double first = body_.diameter;
    for (std::size_t i = 1; i < tips.size(); ++i)
      for (std::size_t k = 1; k < i; ++k)
        first = std::min(first, body_.gromov_product(tips[0], tips[i], tips[k]));
    return first;
  }
  // Where another tip leaves it.
  double deepest(std::size_t tip, std::span<const std::size_t> tips) const {
    double depth = 0;
    for (std::size_t i = 1; i < tips.size(); ++i)
      depth = std::max(depth, body_.gromov_product(tips[0], tip, tips[i]));
    return depth;
  }

  // Whether a tip is not on the middle between left and right, as an elephant's trunk is.
  bool is_beside(const Beginning& one, std::size_t tip) const {
    double worst = 0;
    for (std::size_t i = 1; i < tip_count(); ++i) {
      const int image = model_.image_of(i);
      if (image < 0 || one.partners[i] < 0 || one.partners[static_cast<std::size_t>(image)] < 0) continue;
      worst = std::max(worst, std::abs(body_.apart(at(tip), one.partners[i]) -
                                       body_.apart(at(tip), one.partners[static_cast<std::size_t>(image)])));
    }
    return worst > kBeside * body_.diameter;
  }

  Candidate finish(const Beginning& one) const {
    Candidate made;
    made.root = static_cast<std::size_t>(one.partners[0]);
    made.tips.assign(model_.parts.limbs.size(), -1);
    made.lengths = model_.rings ? one.sums.lengths() : flexible_lengths(one);
    made.asymmetry = one.sums.asymmetry();
    std::vector<std::size_t> of_body, of_template;
    for (std::size_t i = 0; i < tip_count(); ++i) {
      if (i > 0) made.tips[i - 1] = one.partners[i];
      if (one.partners[i] >= 0)
        of_template.push_back(i), of_body.push_back(static_cast<std::size_t>(one.partners[i]));
    }
    int horns = 0;
    const double first = model_.two_sided ? first_fork(of_body) : 0;
    for (std::size_t i = 0; i < body_.major.size(); ++i) {
      if (one.uses(i) || body_.major[i].middle) continue;
      const bool on_head = deepest(i, of_body) < kOnHead * first;
      made.left_over += (on_head ? kHeadTip / kExtraTip : 1) * cost_of_extra_tip(body_, i, of_body);
      horns += on_head && is_beside(one, i);
    }
    // One horn alone: the root is at the other.
    if (horns % 2 == 1 && !body_.major[made.root].middle) made.left_over += kOddHorn;
    made.left_over = std::max(0.0, made.left_over - model_.spare);
    for (std::size_t i = 1; i < tip_count(); ++i) {
      if (one.partners[i] >= 0) continue;
      const int image = model_.image_of(i);
      if (image >= 0 && one.partners[static_cast<std::size_t>(image)] >= 0) made.left_over += kHalfPair;
      made.left_over += (image == static_cast<int>(i) ? kMissingTail : kMissingTip) *
                        protrusion(model_.apart, i, of_template) / model_.diameter;
    }
    made.cost = made.lengths + kAsymmetry * made.asymmetry + made.left_over;
    return made;
  }

  const BodyMap& body_;
  const TemplateData& model_;
  std::size_t keep_;
  double give_up_;
  double rigid_;
  std::vector<int> images_;  // per tip of the template: left's is right
  std::vector<int> kinds_;   // per tip of the template: the same for left and right
};

}  // namespace

double cost_of_extra_tip(const BodyMap& body, std::size_t tip, std::span<const std::size_t> seen) {
  return kExtraTip * protrusion(body.apart, tip, seen) / body.diameter;
}

std::vector<Candidate> cheapest_assignments(const BodyMap& body, const TemplateData& model) {
  return Assignments(body, model).cheapest();
}

Candidate weighed_assignment(const BodyMap& body, const TemplateData& model, std::size_t root,
                             std::span<const int> tips) {
  return Assignments(body, model).weighed(root, tips);
}

}  // namespace sinew::autorig
