// SPDX-License-Identifier: Apache-2.0
#include "sinew/render/render.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {
TEST(Render, EmptySubjectIsWhite) {
  const auto image = render(Subject{});
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image->width, 1920);
  for (const std::uint8_t value : image->rgb) ASSERT_EQ(value, 255);
}
}  // namespace
}  // namespace sinew
