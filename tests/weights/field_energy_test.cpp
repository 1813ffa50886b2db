// SPDX-License-Identifier: Apache-2.0
#include "weights/field_energy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "weights/cylinder_body.h"

namespace sinew {
namespace {

using weights_detail::FieldEnergy, weights_detail::Fields;

// Small smooth fields, 0 at fixed vertices.
Fields some_fields(const test::MiddleJoint& joint, double phase) {
  Fields fields = Fields::Zero(joint.model.rest().rows(), 3 * kTurnFunctions);
  for (Eigen::Index i = 0; i < fields.rows(); ++i)
    for (Eigen::Index k = 0; k < fields.cols() && !joint.fixed[static_cast<std::size_t>(i)]; ++k)
      fields(i, k) =
          static_cast<float>(0.02 * std::sin(phase + joint.model.rest().row(i).dot(Vec3(1, 2, 0.5)) +
                                             0.3 * static_cast<double>(k)));
  return fields;
}

// Where the search for rotations starts from those of other fields, what is found hardly differs.
TEST(FieldEnergy, DoesNotDependOnWhatWasAskedBefore) {
  const test::MiddleJoint joint(0.25);
  std::vector<Vec3> turns;
  for (int k = 0; k < 20; ++k) turns.push_back({1.4 * std::cos(k), 1.4 * std::sin(k), 0.14 * k - 1.4});
  FieldEnergy energy(joint.model, joint.fixed, joint.model.rest(), joint.start, joint.start, turns);
  const Fields fields = some_fields(joint, 0.4), far = 3 * some_fields(joint, 2.9);
  const std::vector<double> first = energy.energies(&fields);
  (void)energy.energies(&far);
  const std::vector<double> again = energy.energies(&fields);
  for (std::size_t k = 0; k < turns.size(); ++k) {
    EXPECT_NEAR(again[k] / first[k], 1, 1e-6) << k;
    EXPECT_NEAR(again[k] / joint.model.energy(energy.posed(k)), 1, 1e-4) << k;
  }
}

// Energies against the double-precision model at the poses; the gradient against central differences.
TEST(FieldEnergy, IsTheModelsEnergyWithItsGradient) {
  const test::MiddleJoint joint(0.25);
  std::vector<Vec3> turns{{1.2, 0.3, 0.4}, {-0.5, 0.9, -1.1}, {0, 0, 1.5}};
  for (int k = 0; k < 8; ++k) turns.push_back({std::cos(k), std::sin(k), 0.2 * k - 0.8});  // more than a pack
  FieldEnergy energy(joint.model, joint.fixed, joint.model.rest(), joint.start, joint.start, turns);
  const Fields fields = some_fields(joint, 0.4), direction = some_fields(joint, 1.7);
  const std::vector<double> energies = energy.energies(&fields);
  for (std::size_t k = 0; k < turns.size(); ++k) {
    EXPECT_NEAR(energies[k] / joint.model.energy(energy.posed(k)), 1, 1e-4) << k;
    FieldEnergy alone(joint.model, joint.fixed, joint.model.rest(), joint.start, joint.start, {&turns[k], 1});
    EXPECT_EQ(alone.energies(&fields)[0], energies[k]) << k;
    EXPECT_EQ(alone.posed(0), energy.posed(k)) << k;
  }

  std::vector<double> scales{1, 0.5, 2};
  for (std::size_t k = scales.size(); k < turns.size(); ++k) scales.push_back(0.3 * static_cast<double>(k));
  Fields gradient;
  energy.evaluate(fields, scales, gradient);
  const double slope = gradient.cast<double>().cwiseProduct(direction.cast<double>()).sum();
  constexpr float kStep = 0.05f;
  Fields ignored;
  const double ahead = energy.evaluate(fields + kStep * direction, scales, ignored),
               behind = energy.evaluate(fields - kStep * direction, scales, ignored);
  EXPECT_GT(std::abs(slope), 1e-3);
  EXPECT_NEAR((ahead - behind) / (2.0 * static_cast<double>(kStep)) / slope, 1, 0.01);
}

}  // namespace
}  // namespace sinew
