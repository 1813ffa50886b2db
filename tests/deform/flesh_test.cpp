// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/flesh.h"

#include <gtest/gtest.h>

#include "deform/methods.h"
#include "deform/rig_samples.h"
#include "sinew/deform/reference.h"

namespace sinew {
namespace {

using test::Motion;

TEST(FleshDeformer, IsTheDoublePrecisionFormula) {
  for (const Motion motion : {Motion::kRigid, Motion::kStretched}) {
    test::Sample sample = test::random_sample(1003, 12, 6, motion);
    sample.rig = test::with_flesh(sample.rig);
    test::Expected expected(sample);
    reference_flesh(sample.rig, sample.input(), expected.out());
    test::expect_near(test::run(build_flesh(sample.rig), sample), expected);
  }
}

TEST(FleshDeformer, RestIsTheIdentity) {
  test::Sample sample = test::random_sample(300, 12, 6, Motion::kRigid);
  sample.rig = test::with_flesh(sample.rig);
  test::bind(sample);
  const test::Output out = test::run(build_flesh(sample.rig), sample);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_LT((out.positions[i] - sample.positions[i]).norm(), 1e-5f);
}

TEST(FleshDeformer, ARigWithoutFleshIsRefused) {
  const test::Sample sample = test::random_sample(30, 4, 3, Motion::kRigid);
  const auto built = build_flesh(sample.rig);
  ASSERT_FALSE(built.ok());
  EXPECT_EQ(built.error().code, ErrorCode::kImpossible);
}

}  // namespace
}  // namespace sinew
