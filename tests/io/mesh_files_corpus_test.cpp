// SPDX-License-Identifier: Apache-2.0
// Replays the committed corpus, where every finding of the fuzzers ends up, with the ordinary build.
#include <gtest/gtest.h>

#include "../fuzz/targets.cpp"  // compiled here: the fuzz programs need clang
#include "sinew/core/file.h"
#include "support/data.h"

namespace sinew::fuzz {
namespace {

namespace fs = std::filesystem;

class CorpusTest : public ::testing::TestWithParam<NamedTarget> {};

TEST_P(CorpusTest, EveryFileGivesASoundResultOrASentence) {
  const fs::path folder = test::source_folder() / "fuzz" / "corpus" / GetParam().name;
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto bytes = read_file(entry.path());
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ(GetParam().run(*bytes), "") << entry.path();
    // And cut short anywhere, which is the commonest damage.
    const std::size_t step = bytes->size() / 64 + 1;
    for (std::size_t size = 0; size < bytes->size(); size += step)
      EXPECT_EQ(GetParam().run(std::string_view(*bytes).substr(0, size)), "")
          << entry.path() << " cut to " << size;
    ++files;
  }
  EXPECT_GT(files, 3u);
}

INSTANTIATE_TEST_SUITE_P(Targets, CorpusTest, ::testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace sinew::fuzz
