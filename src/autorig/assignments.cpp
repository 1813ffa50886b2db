// SPDX-License-Identifier: Apache-2.0
#include "autorig/assignments.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "autorig/tuning.h"

namespace sinew::autorig {
namespace {

constexpr std::size_t kMostPartners = 16;

// A beam search over ways to give the template's tips partners, one limb after the other.
class AssignmentSearch {
 public:
  AssignmentSearch(const BodyMap& body, const TemplateData& model)
      : body_(body), model_(model), table_(tuning(model.rings)) {}

  std::vector<Candidate> cheapest() const {
    std::vector<Partial> now, kept;
    std::vector<Extension> longer;
    for (std::size_t root = 0; root < body_.major.size(); ++root)
      if (model_.two_sided || !body_.major[root].middle) now.push_back(begun(root));
    for (std::size_t limb = 1; limb < tip_count(); ++limb) {
      longer.clear();
      const auto consider = [&](std::size_t from, int tip) {
        longer.push_back({cost_of(with(now[from], limb, tip)), static_cast<std::uint32_t>(from), tip});
      };
      for (std::size_t from = 0; from < now.size(); ++from) {
        for (std::size_t tip = 0; tip < body_.major.size(); ++tip)
          if (!now[from].uses(tip) && !body_.major[tip].middle) {
            consider(from, static_cast<int>(tip));
            if (longer.back().cost > table_.hopeless) longer.pop_back();
          }
        if (now[from].missing < table_.most_missing && tip_count() > 2) consider(from, -1);
      }
      // Those that come first stay first among equals.
      const auto cheaper = [](const Extension& a, const Extension& b) {
        return std::tie(a.cost, a.from, a.tip) < std::tie(b.cost, b.from, b.tip);
      };
      const auto end = longer.begin() + static_cast<std::ptrdiff_t>(std::min(table_.beam, longer.size()));
      std::partial_sort(longer.begin(), end, longer.end(), cheaper);
      kept.clear();
      for (auto one = longer.begin(); one != end; ++one) kept.push_back(with(now[one->from], limb, one->tip));
      std::swap(now, kept);
    }
    std::vector<Candidate> all;
    for (const Partial& one : now)
      if (one.sums.mm > 0) all.push_back(finish(one));
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    if (all.size() > table_.most_scored) all.resize(table_.most_scored);
    return all;
  }

  Candidate scored(std::size_t root, std::span<const int> tips) const {
    Partial one = begun(root);
    for (std::size_t limb = 1; limb < tip_count(); ++limb) one = with(one, limb, tips[limb - 1]);
    return finish(one);
  }

 private:
  struct Partial {
    TipSums sums;
    std::array<int, kMostPartners> partners;  // per tip of the template so far: the root's, then the limbs'
    std::uint32_t used = 0;                   // a bit for each tip of the body
    int missing = 0;
    bool uses(std::size_t tip) const { return (used >> tip & 1) != 0; }
  };
  struct Extension {
    double cost;
    std::uint32_t from;
    int tip;
  };

  std::size_t tip_count() const { return std::min(model_.parts.limbs.size() + 1, kMostPartners); }

  static Partial begun(std::size_t root) {
    Partial one;
    one.partners[0] = static_cast<int>(root);
    one.used = 1u << root;
    return one;
  }

  Partial with(const Partial& one, std::size_t limb, int tip) const {
    Partial more = one;
    more.partners[limb] = tip;
    if (tip < 0) {
      ++more.missing;
      return more;
    }
    more.used |= 1u << tip;
    more.sums.add_last(body_, model_, Partners(more.partners).first(limb + 1));
    return more;
  }

  double cost_of(const Partial& one) const {
    return table_.partial_lengths * one.sums.rigid_lengths() +
           table_.limbs[kAsymmetry] * one.sums.asymmetry() + table_.partial_missing * one.missing;
  }

  Candidate finish(const Partial& one) const {
    const Partners partners = Partners(one.partners).first(tip_count());
    Candidate made;
    made.root = static_cast<std::size_t>(partners[0]);
    made.tips.assign(model_.parts.limbs.size(), -1);
    std::copy(partners.begin() + 1, partners.end(), made.tips.begin());
    made.features = tip_features(body_, model_, partners);
    made.cost = score(weights_for(model_), made.features);
    return made;
  }

  const BodyMap& body_;
  const TemplateData& model_;
  const Tuning& table_;
};

}  // namespace

std::vector<Candidate> cheapest_assignments(const BodyMap& body, const TemplateData& model) {
  return AssignmentSearch(body, model).cheapest();
}

Candidate score_assignment(const BodyMap& body, const TemplateData& model, std::size_t root,
                           std::span<const int> tips) {
  return AssignmentSearch(body, model).scored(root, tips);
}

}  // namespace sinew::autorig
