// SPDX-License-Identifier: Apache-2.0
#include "weights/least_energies.h"

#include <gtest/gtest.h>

#include <cmath>

#include "weights/cylinder_body.h"
#include "weights/field_energy.h"

namespace sinew {
namespace {

using weights_detail::FieldEnergy, weights_detail::least_energies;

TEST(LeastEnergies, AreThoseOfTheElasticBody) {
  const test::MiddleJoint joint(0.25);
  const ElasticBody body = *ElasticBody::build(joint.model.grid(), joint.fixed);
  std::vector<Vec3> turns;
  for (int k = 0; k < 6; ++k) turns.push_back({1.3 * std::cos(k), 1.3 * std::sin(k), 0.4 * k - 1});
  FieldEnergy energy(joint.model, joint.fixed, joint.model.rest(), joint.start, joint.start, turns);
  const std::vector<double> bare = energy.energies(nullptr);
  const std::vector<double> least = least_energies(body, energy.posed(), turns.size(), {.tolerance = 1e-4});
  ASSERT_EQ(least.size(), turns.size());
  for (std::size_t k = 0; k < turns.size(); ++k) {
    EXPECT_NEAR(least[k] / body.minimise(energy.posed(k), {.tolerance = 1e-5}).energy, 1, 3e-3) << k;
    EXPECT_LT(least[k], 0.9 * bare[k]) << k;
  }
}

}  // namespace
}  // namespace sinew
