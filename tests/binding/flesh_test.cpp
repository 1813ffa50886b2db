// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/flesh.h"

#include <gtest/gtest.h>

#include "sinew/binding/bind.h"
#include "sinew/characters/characters.h"

namespace sinew {
namespace {

// A mesh that was not skinned when it was read, as of every .obj, has flesh like one that was.
TEST(BoundFlesh, DoesNotDependOnWhetherTheMeshWasSkinnedBefore) {
  Rig skinned = *make_character("arm");
  Rig fresh = skinned;
  fresh.weights = {};
  for (MeshPart& part : fresh.parts) part.skinned = false;
  BindRequest request;
  request.flesh.emplace();
  for (Rig* rig : {&skinned, &fresh}) {
    const auto report = bind(*rig, request);
    ASSERT_TRUE(report.ok()) << report.error().message;
    ASSERT_TRUE(report->flesh.has_value());
    EXPECT_GT(report->flesh->field_bytes, 0u);
    for (const MeshPart& part : rig->parts) EXPECT_TRUE(part.skinned);
  }
  EXPECT_EQ(skinned.flesh, fresh.flesh);
}

// Rounding to 8 bits, and the second modes where that is too coarse: to a ten-thousandth of the largest shift.
TEST(BoundFlesh, RoundedModesAddUpToTheirValues) {
  Eigen::MatrixXf values(40, 6);
  for (Eigen::Index i = 0; i < values.rows(); ++i)
    for (Eigen::Index k = 0; k < values.cols(); ++k)
      values(i, k) = std::sin(0.7f * static_cast<float>(i + 3 * k)) * (k < 3 ? 1.0f : 0.01f);
  std::vector<std::uint32_t> vertices;
  for (std::uint32_t i = 0; i < 40; ++i) vertices.push_back(i);
  const std::vector<float> twist(40, 0.5f), mixes(2 * kTurnFunctions, 1.0f);
  const std::vector<std::uint8_t> fine{1, 0};
  const FleshField field = quantise_field(3, vertices, twist, mixes, fine, values);
  ASSERT_EQ(field.modes(), 3u);
  ASSERT_EQ(field.vertices.size(), 40u);
  EXPECT_EQ(field.mixes.size(), 3 * kTurnFunctions);
  for (std::size_t v = 0; v < 40; ++v)
    for (std::size_t c = 0; c < 3; ++c) {
      const auto at = [&](std::size_t m) {
        return field.steps[m] * static_cast<float>(field.values[3 * (3 * v + m) + c]);
      };
      const auto row = static_cast<Eigen::Index>(v), column = static_cast<Eigen::Index>(c);
      EXPECT_NEAR(at(0) + at(2), values(row, column), 1e-4f);
      EXPECT_NEAR(at(1), values(row, column + 3), 0.01f / 127);
    }
}

}  // namespace
}  // namespace sinew
