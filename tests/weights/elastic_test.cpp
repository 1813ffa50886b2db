// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/elastic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sinew/volume/elastic.h"
#include "sinew/weights/bbw.h"
#include "sinew/weights/elastic_dqs.h"
#include "sinew/weights/elastic_lsq.h"
#include "weights/cylinder_body.h"

namespace sinew {
namespace {

using test::Cylinder, test::MiddleJoint;

TEST(ElasticWeight, EnergyNeverRisesAndSettlesWithin24Steps) {
  const MiddleJoint joint(0.25);
  for (const JointSamples& samples : {swing_samples(joint.frame), twist_samples(joint.frame)}) {
    auto weight =
        energy_minimising_weight(joint.model, joint.fixed, joint.start, joint.frame.origin, samples);
    ASSERT_TRUE(weight) << weight.error().message;
    EXPECT_GT(weight->steps, 1);
    EXPECT_LT(weight->steps, 24);
    for (std::size_t i = 1; i < weight->history.size(); ++i)
      EXPECT_LE(weight->history[i], weight->history[i - 1]);
    // The figure is that of the weights, from scratch.
    EXPECT_NEAR(linear_energy(joint.model, weight->values, joint.frame.origin, samples), weight->energy,
                1e-4 * weight->energy);  // the regularisation is in the latter
    // A minimum: no direction lowers the energy, to first order.
    std::mt19937 random(3);
    std::normal_distribution<double> number(0, 1e-3);
    for (int trial = 0; trial < 5; ++trial) {
      Eigen::VectorXd other = weight->values;
      for (Eigen::Index i = 0; i < other.size(); ++i)
        if (!joint.fixed[static_cast<std::size_t>(i)]) other[i] += number(random);
      EXPECT_GT(linear_energy(joint.model, other, joint.frame.origin, samples), weight->energy);
    }
  }
}

TEST(ElasticWeight, IsSymmetricWhereTheBodyIs) {
  const MiddleJoint joint(0.5);
  auto weight = energy_minimising_weight(joint.model, joint.fixed, joint.start, joint.frame.origin,
                                         twist_samples(joint.frame), {.tolerance = 1e-8, .max_steps = 200});
  ASSERT_TRUE(weight);
  for (std::uint32_t v = 0; v < joint.body.grid.vertex_count(); ++v) {
    const Vec3i p = joint.body.grid.vertices()[v];
    const Vec3i mirrored(p.x(), p.y(), joint.body.grid.vertices().dims().z() - 1 - p.z());
    const std::uint32_t other = joint.body.grid.vertices().find(mirrored);
    ASSERT_NE(other, kNoIndex);
    // The vertices on the axis hardly count.
    if (std::hypot(joint.model.rest()(v, 0), joint.model.rest()(v, 1)) < 0.4) continue;
    EXPECT_NEAR(weight->values[v] + weight->values[other], 1, 2e-2) << p.transpose();
  }
}

TEST(ElasticWeight, FourSamplesDoWhat32Do) {
  const MiddleJoint joint(0.5);
  const DescentOptions exact{.tolerance = 1e-6, .max_steps = 100};
  auto four = energy_minimising_weight(joint.model, joint.fixed, joint.start, joint.frame.origin,
                                       swing_samples(joint.frame, 4), exact);
  auto many = energy_minimising_weight(joint.model, joint.fixed, joint.start, joint.frame.origin,
                                       swing_samples(joint.frame, 32), exact);
  ASSERT_TRUE(four && many);
  const Eigen::VectorXd difference = (four->values - many->values).cwiseAbs();
  EXPECT_LT(difference.maxCoeff(), 0.05);
  EXPECT_LT(difference.mean(), 0.01);
  EXPECT_GT(difference.maxCoeff(), 0);  // they are not the same samples
}

// Summed over the sample poses, which are what the weights were made for.
TEST(ElasticWeight, BelowBoundedBiharmonicWeights) {
  const MiddleJoint joint(0.25);
  auto biharmonic = grid_bbw(joint.body.grid, joint.body.handles);
  ASSERT_TRUE(biharmonic) << biharmonic.error().message;
  for (const JointSamples& samples : {swing_samples(joint.frame), twist_samples(joint.frame)}) {
    auto weight =
        energy_minimising_weight(joint.model, joint.fixed, joint.start, joint.frame.origin, samples);
    ASSERT_TRUE(weight) << weight.error().message;
    EXPECT_LT(linear_energy(joint.model, weight->values, joint.frame.origin, samples),
              0.99 * linear_energy(joint.model, biharmonic->values.col(1), joint.frame.origin, samples));
  }
}

TEST(ElasticWeight, BelowTheLeastSquaresFit) {
  const MiddleJoint joint(0.5);
  for (const JointSamples& samples : {swing_samples(joint.frame), twist_samples(joint.frame)}) {
    auto fit = least_squares_weight(joint.body.grid, joint.fixed, joint.start, joint.frame.origin, samples);
    ASSERT_TRUE(fit) << fit.error().message;
    auto from_fit =
        energy_minimising_weight(joint.model, joint.fixed, fit->values, joint.frame.origin, samples);
    auto from_start =
        energy_minimising_weight(joint.model, joint.fixed, joint.start, joint.frame.origin, samples);
    ASSERT_TRUE(from_fit && from_start);
    EXPECT_LT(std::min(from_fit->energy, from_start->energy), fit->energy);
    auto clamped = least_squares_weight(joint.body.grid, joint.fixed, joint.start, joint.frame.origin,
                                        samples, {.non_negative = true});
    ASSERT_TRUE(clamped);
    EXPECT_GE(clamped->values.minCoeff(), 0);
    EXPECT_LE(clamped->values.maxCoeff(), 1);
  }
}

TEST(ElasticWeightDqs, DerivativeIsTheCentralDifference) {
  const MiddleJoint joint(0.5);
  const JointSamples samples = swing_samples(joint.frame);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(0, 1);
  Eigen::VectorXd weight = joint.start, gradient;
  for (Eigen::Index i = 0; i < weight.size(); ++i) weight[i] = 0.8 * weight[i] + 0.2 * number(random);
  dqs_energy(joint.model, weight, joint.frame.origin, samples, &gradient);
  const double step = 1e-4;
  for (Eigen::Index i = 3; i < weight.size(); i += weight.size() / 7) {
    Eigen::VectorXd up = weight, down = weight;
    up[i] += step;
    down[i] -= step;
    const double quotient = (dqs_energy(joint.model, up, joint.frame.origin, samples) -
                             dqs_energy(joint.model, down, joint.frame.origin, samples)) /
                            (2 * step);
    EXPECT_NEAR(gradient[i], quotient, 1e-3 * gradient.cwiseAbs().maxCoeff()) << i;
  }
}

TEST(ElasticWeightDqs, NotAboveTheLinearWeightsUsedWithDqs) {
  const MiddleJoint joint(0.5);
  for (const JointSamples& samples : {swing_samples(joint.frame), twist_samples(joint.frame)}) {
    auto linear =
        energy_minimising_weight(joint.model, joint.fixed, joint.start, joint.frame.origin, samples);
    ASSERT_TRUE(linear);
    auto dual =
        energy_minimising_weight_dqs(joint.model, joint.fixed, linear->values, joint.frame.origin, samples);
    ASSERT_TRUE(dual) << dual.error().message;
    EXPECT_LT(dual->energy, dqs_energy(joint.model, linear->values, joint.frame.origin, samples));
    for (std::size_t i = 1; i < dual->history.size(); ++i) EXPECT_LE(dual->history[i], dual->history[i - 1]);
  }
}

TEST(ElasticJoints, WhereAJointHasNoInfluenceNothingIsLost) {
  const Cylinder body(0.5);
  auto near = grid_joint_weights(body.grid, body.handles, body.bones, body.parents);
  auto whole = grid_joint_weights(body.grid, body.handles, body.bones, body.parents, {.whole_body = true});
  ASSERT_TRUE(near && whole) << near.error().message;
  EXPECT_LT((near->swing - whole->swing).cwiseAbs().maxCoeff(), 0.02);
  EXPECT_LT((near->twist - whole->twist).cwiseAbs().maxCoeff(), 0.02);
  EXPECT_EQ(near->swing.col(0).minCoeff(), 1);  // the root moves everything
  EXPECT_EQ(near->swing.col(1).minCoeff(), 0);
  EXPECT_EQ(near->swing.col(1).maxCoeff(), 1);
  for (std::uint32_t v = 0; v < body.grid.vertex_count(); ++v) {
    if (body.handles.of_vertex[v] >= 0) {
      EXPECT_EQ(near->swing(v, 1), body.handles.of_vertex[v]);
    }
  }
}

TEST(ElasticJoints, RowsTurnIntoBoneRowsAndBack) {
  // 0 - 1 - 2, 1 - 3, and 4 a child of 0 that comes first in the list of another parent's children.
  const std::vector<int> parents{-1, 0, 1, 1, 0};
  const std::vector<std::size_t> order = bone_order(parents);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(0, 1);
  std::vector<double> bones(5), joints(5), again(5);
  for (int trial = 0; trial < 100; ++trial) {
    // Bone rows that sum to 1 come back.
    double sum = 0;
    for (double& w : bones) sum += w = number(random);
    for (double& w : bones) w /= sum;
    joint_row_from_bone_row(parents, order, bones, joints);
    EXPECT_NEAR(joints[0], 1, 1e-12);
    EXPECT_NEAR(joints[1], bones[1] + bones[2] + bones[3], 1e-12);
    // Any joint row gives a row that sums to 1.
    for (double& s : joints) s = number(random);
    joints[0] = 1;
    bone_row_from_joint_row(parents, order, joints, again);
    double total = 0;
    for (const double w : again) {
      EXPECT_GE(w, 0);
      total += w;
    }
    EXPECT_NEAR(total, 1, 1e-12);
  }
  // All of joint 2 within half of joint 1: the product of the way down.
  joints = {1, 0.5, 1, 0, 0};
  bone_row_from_joint_row(parents, order, joints, again);
  EXPECT_NEAR(again[0], 0.5, 1e-12);
  EXPECT_NEAR(again[1], 0, 1e-12);
  EXPECT_NEAR(again[2], 0.5, 1e-12);
  // Siblings that ask for more than there is share.
  joints = {1, 1, 1, 1, 0};
  bone_row_from_joint_row(parents, order, joints, again);
  EXPECT_NEAR(again[2], 0.5, 1e-12);
  EXPECT_NEAR(again[3], 0.5, 1e-12);
  // Two roots share.
  bone_row_from_joint_row(std::vector<int>{-1, -1}, bone_order(std::vector<int>{-1, -1}),
                          std::vector<double>{0.2, 0.6}, again);
  EXPECT_NEAR(again[0], 0.25, 1e-12);
  EXPECT_NEAR(again[1], 0.75, 1e-12);
}

}  // namespace
}  // namespace sinew
