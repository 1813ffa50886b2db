// SPDX-License-Identifier: Apache-2.0
#include "deform/signs.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "deform/dqs_kernel.h"
#include "deform/rig_samples.h"
#include "sinew/deform/dqs.h"
#include "sinew/deform/stretch.h"

namespace sinew {
namespace {

// A chain whose joints are all turned by so much about their own random axes.
test::Sample turned_chain(double angle) {
  test::Sample sample = test::random_sample(1003, 9, 6, test::Motion::kRigid);
  std::mt19937 random(11);
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  for (Affine3& transform : local)
    transform.rotate(Eigen::AngleAxisd(angle, test::random_vector(random).normalized()));
  test::set_pose(sample, local);
  return sample;
}

struct Filled {
  SkinTable table;
  SignPairs pairs;
  Palette<DualEntry> duals;
};

Filled fill(const test::Sample& sample) {
  auto table = pack_skin(sample.rig.weights, sample.rig.skeleton.size(), RowSums::kNormalised);
  EXPECT_TRUE(table.ok());
  Filled filled{*table, find_sign_pairs(*table), Palette<DualEntry>(table->palette_size())};
  Palette<MatrixEntry> rows(table->palette_size());
  fill_rigid(*table, sample.matrices, palette_heads(*table, bind_transforms(sample.rig)), filled.duals, rows);
  return filled;
}

void negate_every_second(Palette<DualEntry>& duals) {
  for (std::size_t e = 0; e < duals.size(); e += 2)
    for (std::size_t c = 0; c < 4; ++c) {
      duals[e].real[c] *= -1;
      duals[e].dual[c] *= -1;
    }
}

TEST(Signs, PairsAreTheFirstInfluenceOfARowAndTheOthers) {
  SkinWeights weights;
  for (int i = 0; i < 8; ++i) weights.add_row(std::vector<Influence>{{2, 0.2}, {0, 0.7}, {5, 0.1}});
  weights.add_row(std::vector<Influence>{{3, 1.0}});
  weights.add_row({});
  const auto table = pack_skin(weights, 6, RowSums::kAsGiven);
  ASSERT_TRUE(table.ok());
  const SignPairs pairs = find_sign_pairs(*table);
  ASSERT_TRUE(pairs.usable);
  ASSERT_EQ(pairs.all.size(), 2u);
  for (const SignPairs::Pair& pair : pairs.all) EXPECT_EQ(table->palette_joints[pair.first], 0u);
  EXPECT_EQ(pairs.tree.size(), 2u);
}

TEST(Signs, AreNotSoughtWhereThereAreManyPairs) {
  test::Sample sample;
  sample.rig.skeleton = test::chain(10, Vec3(0, 1, 0));
  for (std::uint32_t i = 0; i < 20; ++i)
    test::add_vertex(sample, Vec3(1, 0, 0), Vec3(1, 0, 0),
                     {{i % 10, 0.5}, {(i + 1) % 10, 0.3}, {(i + 2) % 10, 0.2}});
  test::bind(sample);
  test::set_pose(sample, rest_pose(sample.rig.skeleton).local);
  Filled filled = fill(sample);
  EXPECT_FALSE(filled.pairs.usable);
  EXPECT_FALSE(align_signs(filled.pairs, filled.duals));
}

TEST(Signs, AlignedQuaternionsGiveTheBitsOfSignedOnes) {
  const test::Sample sample = turned_chain(0.2);
  Filled filled = fill(sample);
  negate_every_second(filled.duals);
  const FrameInput input = sample.input();
  std::vector<Vec3f> positions[2], normals[2];
  for (int k = 0; k < 2; ++k) {
    positions[k].resize(1003);
    normals[k].resize(1003);
  }
  const std::size_t groups = filled.table.group_count();
  dqs_groups(filled.table, filled.duals, 0, groups, streams_of(input, positions[0], normals[0]));
  ASSERT_TRUE(align_signs(filled.pairs, filled.duals));
  aligned_dqs_groups(filled.table, filled.duals, 0, groups, streams_of(input, positions[1], normals[1]));
  EXPECT_TRUE(test::same_bits(positions[0], positions[1]));
  EXPECT_TRUE(test::same_bits(normals[0], normals[1]));
}

TEST(Signs, ThreeJointsAThirdOfATurnApartCannotAgree) {
  test::Sample sample;
  sample.rig.skeleton = test::chain(3, Vec3(0, 1, 0));
  for (const int first : {0, 1, 2})
    for (int i = 0; i < 8; ++i) {
      std::vector<Influence> row;
      for (std::uint32_t j = 0; j < 3; ++j) row.push_back({j, static_cast<int>(j) == first ? 0.6 : 0.2});
      test::add_vertex(sample, Vec3(1, 0.1 * i, 0), Vec3(1, 0, 0), row);
    }
  test::bind(sample);
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  for (std::size_t j = 1; j < 3; ++j)
    local[j].rotate(Eigen::AngleAxisd(2 * std::numbers::pi / 3, Vec3::UnitY()));
  test::set_pose(sample, local);
  Filled filled = fill(sample);
  ASSERT_TRUE(filled.pairs.usable);
  EXPECT_FALSE(align_signs(filled.pairs, filled.duals));
  test::Expected expected(sample);
  reference_dqs(sample.rig, sample.input(), expected.out());
  test::expect_near(test::run(build_dqs(sample.rig), sample), expected);
}

// The kernels for aligned signs, on every target, and those for signed ones where the turns are large.
TEST(Signs, SmallAndLargeTurnsAreTheDoublePrecisionFormulas) {
  for (const double angle : {0.2, 2.6}) {
    test::Sample sample = turned_chain(angle);
    Filled filled = fill(sample);
    EXPECT_EQ(align_signs(filled.pairs, filled.duals), angle < 1);
    sample.rig.endpoint.method = "painted";
    for (std::size_t k = 0; k < sample.rig.weights.entries.size(); ++k)
      sample.rig.endpoint.values.push_back(static_cast<float>(k % 11) / 10.0f);
    test::Expected dqs(sample), stretch(sample);
    reference_dqs(sample.rig, sample.input(), dqs.out());
    reference_stretch(sample.rig, sample.input(), StretchForm::kDualQuaternion, stretch.out());
    for (const std::int64_t target : {HWY_AVX3, HWY_AVX2, HWY_SSE4, HWY_NEON, HWY_EMU128}) {
      if (target != HWY_EMU128 && (hwy::SupportedTargets() & target) == 0) continue;
      hwy::SetSupportedTargetsForTest(target);
      test::expect_near(test::run(build_dqs(sample.rig), sample), dqs);
      test::expect_near(test::run(build_stretch(sample.rig, StretchForm::kDualQuaternion), sample), stretch);
      hwy::SetSupportedTargetsForTest(0);
    }
  }
}

}  // namespace
}  // namespace sinew
