// SPDX-License-Identifier: Apache-2.0
#include "autorig/assignments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>

#include "autorig/tuning.h"

namespace sinew::autorig {
namespace {

// Head, left and right arm, left and right leg, tail at the ends of a tree.
Eigen::MatrixXd animal_distances(const std::array<double, 6>& length, double trunk) {
  Eigen::MatrixXd apart = Eigen::MatrixXd::Zero(6, 6);
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k)
      if (i != k)
        apart(i, k) = length[static_cast<std::size_t>(i)] + length[static_cast<std::size_t>(k)] +
                      ((i < 3) != (k < 3) ? trunk : 0);
  return apart;
}

TemplateData animal() {
  TemplateData model;
  model.apart = animal_distances({0.3, 0.7, 0.7, 0.9, 0.9, 0.5}, 0.6);
  model.diameter = model.apart.maxCoeff();
  model.two_sided = true;
  model.parts.limbs.resize(5);
  model.mirror_limbs = {1, 0, 3, 2, 4};
  return model;
}

// The tips of the body in another order: body tip order[i] is the template's i.
BodyMap shuffled(const Eigen::MatrixXd& apart, const std::array<int, 6>& order) {
  BodyMap body;
  body.major.resize(6);
  body.apart.resize(6, 6);
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k)
      body.apart(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(k)]) = apart(i, k);
  body.diameter = apart.maxCoeff();
  body.graph.positions.resize(6, Vec3::Zero());  // only distances tell
  for (std::uint32_t i = 0; i < 6; ++i) body.major[i].point = i;
  return body;
}

TEST(Assignments, TheCheapestFindsEveryTipAgain) {
  const TemplateData model = animal();
  const std::array<int, 6> order = {3, 5, 0, 2, 4, 1};
  const auto all = cheapest_assignments(shuffled(2 * model.apart, order), model);
  ASSERT_FALSE(all.empty());
  EXPECT_LE(all.size(), tuning(false).most_scored);
  EXPECT_NEAR(all[0].cost, 0, 1e-6);
  EXPECT_EQ(all[0].root, 3u);
  // Left and right may change places: distances do not tell them.
  EXPECT_TRUE((all[0].tips[0] == 5 && all[0].tips[1] == 0) || (all[0].tips[0] == 0 && all[0].tips[1] == 5));
  EXPECT_TRUE((all[0].tips[2] == 2 && all[0].tips[3] == 4) || (all[0].tips[2] == 4 && all[0].tips[3] == 2));
  EXPECT_EQ(all[0].tips[4], 1);
  for (std::size_t k = 1; k < all.size(); ++k) EXPECT_LE(all[k - 1].cost, all[k].cost);
}

TEST(Assignments, ALongTailAndLongArmsStayWhatTheyAre) {
  const TemplateData model = animal();
  const std::array<int, 6> order = {0, 1, 2, 3, 4, 5};
  const auto all =
      cheapest_assignments(shuffled(animal_distances({0.3, 1.1, 1.1, 0.9, 0.9, 1.2}, 0.6), order), model);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].root, 0u);
  EXPECT_EQ(all[0].tips[4], 5);
}

TEST(Assignments, ScoringOneIsWhatTheSearchSays) {
  const TemplateData model = animal();
  const BodyMap body = shuffled(animal_distances({0.4, 0.6, 0.65, 1, 1, 0.3}, 0.5), {0, 1, 2, 3, 4, 5});
  for (const Candidate& one : cheapest_assignments(body, model)) {
    const Candidate again = score_assignment(body, model, one.root, one.tips);
    EXPECT_DOUBLE_EQ(again.cost, one.cost);
    EXPECT_EQ(again.tips, one.tips);
    EXPECT_DOUBLE_EQ(score(weights_for(model), one.features), one.cost);
  }
}

// Every way to give the tips of a body to the template's, with up to as many missing as the search allows.
double cheapest_of_all(const BodyMap& body, const TemplateData& model) {
  const std::size_t limbs = model.parts.limbs.size(), tips = body.major.size();
  double best = std::numeric_limits<double>::infinity();
  std::vector<int> chosen(limbs, -1);
  for (std::size_t root = 0; root < tips; ++root) {
    const auto go_on = [&](const auto& self, std::size_t limb, int missing) -> void {
      if (limb == limbs) {
        best = std::min(best, score_assignment(body, model, root, chosen).cost);
        return;
      }
      for (int tip = -1; tip < static_cast<int>(tips); ++tip) {
        const bool none = tip < 0;
        if (none && missing == tuning(false).most_missing) continue;
        if (!none && (tip == static_cast<int>(root) ||
                      std::find(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(limb), tip) !=
                          chosen.begin() + static_cast<std::ptrdiff_t>(limb)))
          continue;
        chosen[limb] = tip;
        self(self, limb + 1, missing + none);
      }
    };
    go_on(go_on, 0, 0);
  }
  return best;
}

TEST(Assignments, NothingCheaperIsPassedOverInBodiesOfSixTips) {
  const TemplateData model = animal();
  std::mt19937 random(24);
  std::uniform_real_distribution<double> length(0.2, 1.4), noise(0.9, 1.1);
  for (int k = 0; k < 12; ++k) {
    const double arm = length(random), leg = length(random);
    Eigen::MatrixXd apart = animal_distances(
        {length(random), arm, arm * noise(random), leg, leg * noise(random), length(random)}, length(random));
    const BodyMap body = shuffled(apart, {4, 1, 5, 0, 2, 3});
    const auto all = cheapest_assignments(body, model);
    ASSERT_FALSE(all.empty());
    EXPECT_NEAR(all[0].cost, cheapest_of_all(body, model), 1e-9) << "body " << k;
  }
}

}  // namespace
}  // namespace sinew::autorig
