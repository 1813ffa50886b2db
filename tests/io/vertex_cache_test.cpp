// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "io/bytes.h"
#include "sinew/io/mesh_files.h"

namespace sinew {
namespace {

using Frames = std::vector<std::vector<Vec3f>>;

const Frames kFrames = {
    {Vec3f(1, 2, 3), Vec3f(4, 5, 6)}, {Vec3f(-1, 0, 0.5f), Vec3f(0, 0, 0)}, {Vec3f(7, 8, 9), Vec3f(1, 1, 1)}};

TEST(VertexCache, Pc2HasTheDocumentedLayout) {
  const auto bytes = write_pc2(kFrames, 24);
  ASSERT_TRUE(bytes.ok());
  ASSERT_EQ(bytes->size(), 32 + 3 * 2 * 12u);
  EXPECT_EQ(bytes->substr(0, 12), std::string_view("POINTCACHE2\0", 12));
  const auto order = io::ByteOrder::kLittle;
  EXPECT_EQ(io::load<std::int32_t>(bytes->data() + 12, order), 1);
  EXPECT_EQ(io::load<std::int32_t>(bytes->data() + 16, order), 2);
  EXPECT_EQ(io::load<float>(bytes->data() + 20, order), 0.0f);
  EXPECT_EQ(io::load<float>(bytes->data() + 24, order), 1.0f);
  EXPECT_EQ(io::load<std::int32_t>(bytes->data() + 28, order), 3);
  EXPECT_EQ(io::load<float>(bytes->data() + 32 + 4 * 5, order), 6.0f);
  EXPECT_EQ(io::load<float>(bytes->data() + 32 + 4 * 8, order), 0.5f);
}

TEST(VertexCache, MddIsBigEndianWithATimeAFrame) {
  const auto bytes = write_mdd(kFrames, 24);
  ASSERT_TRUE(bytes.ok());
  ASSERT_EQ(bytes->size(), 8 + 3 * 4 + 3 * 2 * 12u);
  EXPECT_EQ(bytes->substr(0, 8), std::string_view("\0\0\0\3\0\0\0\2", 8));
  const auto order = io::ByteOrder::kBig;
  EXPECT_FLOAT_EQ(io::load<float>(bytes->data() + 8 + 8, order), 2.0f / 24);
  EXPECT_EQ(io::load<float>(bytes->data() + 20, order), 1.0f);
  EXPECT_EQ(io::load<float>(bytes->data() + 20 + 4 * 12, order), 7.0f);
}

TEST(VertexCache, UnevenEmptyAndTimelessCachesAreMisuse) {
  for (const auto write : {write_pc2, write_mdd}) {
    for (const auto& result : {write({}, 24), write({{Vec3f::Zero()}, {}}, 24), write(kFrames, 0),
                               write(kFrames, -1), write(kFrames, std::nan(""))}) {
      ASSERT_FALSE(result.ok());
      EXPECT_EQ(result.error().code, ErrorCode::kUsage);
    }
  }
}

TEST(VertexCache, VerticesThatAreNotFiniteAreRefused) {
  for (const auto write : {write_pc2, write_mdd})
    for (const float odd : {INFINITY, -INFINITY, NAN}) {
      std::vector<std::vector<Vec3f>> frames = kFrames;
      frames[1][1].y() = odd;
      const auto result = write(frames, 24);
      ASSERT_FALSE(result.ok());
      EXPECT_EQ(result.error().code, ErrorCode::kImpossible);
      EXPECT_NE(result.error().message.find("vertex 1 of frame 1"), std::string::npos);
    }
}

}  // namespace
}  // namespace sinew
