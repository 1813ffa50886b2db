// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/spherical_twist.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "weights/cylinder_body.h"

namespace sinew {
namespace {

using test::MiddleJoint;

constexpr std::array<double, 2> kAngles{std::numbers::pi / 2, -std::numbers::pi / 2};

TEST(SphericalTwist, DerivativeIsTheCentralDifference) {
  const MiddleJoint joint(0.5);
  const Vec3 axis = joint.frame.axes.col(2);
  Eigen::VectorXd gradient;
  spherical_twist_energy(joint.model, joint.start, joint.frame.origin, axis, kAngles, &gradient);
  std::mt19937 random(3);
  for (int k = 0; k < 20; ++k) {
    const auto i = static_cast<Eigen::Index>(random() % static_cast<unsigned>(joint.start.size()));
    Eigen::VectorXd up = joint.start, down = joint.start;
    const double step = 1e-3;  // rotations are fitted in float
    up[i] += step;
    down[i] -= step;
    const double slope = (spherical_twist_energy(joint.model, up, joint.frame.origin, axis, kAngles) -
                          spherical_twist_energy(joint.model, down, joint.frame.origin, axis, kAngles)) /
                         (2 * step);
    EXPECT_NEAR(gradient[i], slope, 1e-2 * gradient.cwiseAbs().maxCoeff()) << i;
  }
}

TEST(SphericalTwist, NotAboveTheLinearWeightsNorTheStart) {
  const MiddleJoint joint(0.25);
  const Vec3 axis = joint.frame.axes.col(2);
  const auto energy = [&](const Eigen::VectorXd& t) {
    return spherical_twist_energy(joint.model, t, joint.frame.origin, axis, kAngles);
  };
  const auto linear = energy_minimising_weight(joint.model, joint.fixed, joint.start, joint.frame.origin,
                                               twist_samples(joint.frame));
  const auto spherical =
      spherical_twist_weight(joint.model, joint.fixed, joint.start, joint.frame.origin, axis, kAngles);
  ASSERT_TRUE(linear.ok() && spherical.ok());
  EXPECT_LE(spherical->energy, energy(joint.start));
  EXPECT_LT(spherical->energy, energy(linear->values));
  EXPECT_NEAR(spherical->energy, energy(spherical->values), 1e-9 * spherical->energy);
  for (std::size_t k = 1; k < spherical->history.size(); ++k)
    EXPECT_LE(spherical->history[k], spherical->history[k - 1]);
  for (std::size_t v = 0; v < joint.fixed.size(); ++v)
    if (const auto i = static_cast<Eigen::Index>(v); joint.fixed[v]) {
      EXPECT_EQ(spherical->values[i], joint.start[i]);
    }
}

}  // namespace
}  // namespace sinew
