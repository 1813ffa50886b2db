// SPDX-License-Identifier: Apache-2.0
#include "weights/field_modes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "weights/cylinder_body.h"

namespace sinew::weights_detail {
namespace {

// What rounding each mode to its step costs: a twelfth of the squared step at every coordinate of a vertex.
double noise_of(const Corotational& model, const Rounding& rounding) {
  double stiffness = 0, squares = 0;
  for (Eigen::Index i = 0; i < model.matrix().rows(); ++i) stiffness += model.matrix().coeff(i, i);
  for (const float step : rounding.steps) squares += static_cast<double>(step) * static_cast<double>(step);
  return 0.5 * 3 * stiffness * squares / 12;
}

TEST(Rounding, SpendsItsBudgetOnStepsThatAreEqualWhereTheyCanBe) {
  const test::Cylinder body(0.5);
  const Corotational model(body.grid);
  const std::vector<std::uint8_t> fixed(body.grid.vertex_count(), 0);
  Modes modes;
  constexpr std::size_t kModes = 6;
  modes.mixes.setZero(kModes, kTurnFunctions);
  modes.values.setRandom(static_cast<Eigen::Index>(fixed.size()), 3 * kModes);
  for (Eigen::Index m = 0; m < static_cast<Eigen::Index>(kModes); ++m)
    modes.values.middleCols(3 * m, 3) *= std::pow(0.2f, static_cast<float>(m));
  const double coarse = noise_of(model, rounding_of(model, fixed, modes, 1e-30));
  EXPECT_LT(coarse, 1.001e-30);
  for (const double step : {3e-4, 1e-2}) {
    Rounding equal{std::vector<float>(kModes, static_cast<float>(step)), {}};
    const double budget = noise_of(model, equal);
    const Rounding rounding = rounding_of(model, fixed, modes, budget);
    EXPECT_NEAR(noise_of(model, rounding), budget, 1e-3 * budget);
    const float least = *std::min_element(rounding.steps.begin(), rounding.steps.end());
    for (std::size_t m = 0; m < kModes; ++m) {
      const float of_8_bits =
          modes.values.middleCols(3 * static_cast<Eigen::Index>(m), 3).cwiseAbs().maxCoeff() / 127;
      EXPECT_FLOAT_EQ(rounding.steps[m], rounding.fine[m] ? least : std::max(least, of_8_bits));
    }
  }
}

}  // namespace
}  // namespace sinew::weights_detail
