// SPDX-License-Identifier: Apache-2.0
#include "autorig/tuning.h"

#include <gtest/gtest.h>

namespace sinew::autorig {
namespace {

TemplateData with_limbs(std::size_t limbs, std::size_t joints, bool rings) {
  TemplateData model;
  model.parts.limbs.resize(limbs);
  model.joints.resize(joints);
  model.rings = rings;
  return model;
}

TEST(Tuning, LimbsSpinesAndRodsHaveWeightsOfTheirOwn) {
  for (const bool rings : {false, true}) {
    EXPECT_EQ(&weights_for(with_limbs(4, 20, rings)), &tuning(rings).limbs);
    EXPECT_EQ(&weights_for(with_limbs(1, 12, rings)), &tuning(rings).spine);
    EXPECT_EQ(&weights_for(with_limbs(1, 3, rings)), &tuning(rings).rod);
  }
}

TEST(Tuning, AThickSnakeIsASnakeAndAThickRodIsNone) {
  EXPECT_LT(tuning(false).spine[kThickness], tuning(false).rod[kThickness]);
  // But a body that is as thick as a rod is rather one: what a spine costs in any case decides.
  Features nothing{};
  nothing[kConstant] = 1;
  EXPECT_LT(score(tuning(false).rod, nothing), score(tuning(false).spine, nothing));
}

TEST(Tuning, RingsMayNotBeLongerNorElsewhere) {
  EXPECT_TRUE(tuning(false).flexible);
  EXPECT_FALSE(tuning(true).flexible);
  EXPECT_EQ(tuning(true).limbs[kSeamShift], 0) << "what may not move has no price";
  EXPECT_LT(tuning(true).hopeless, tuning(false).hopeless);
  EXPECT_TRUE(tuning(false).looks_again);
  EXPECT_FALSE(tuning(true).looks_again) << "the surface is tried instead";
}

TEST(Tuning, AMissingLimbCostsMoreThanAMissingTailOrAnExtraLimb) {
  const Features& w = tuning(false).limbs;
  EXPECT_GT(w[kMissingLimbs], w[kMissingTail]);
  EXPECT_GT(w[kMissingLimbs], w[kExtraLimbs]);
  EXPECT_GT(w[kExtraLimbs], w[kHeadLimbs]) << "ears and horns are common";
}

}  // namespace
}  // namespace sinew::autorig
