// SPDX-License-Identifier: Apache-2.0
#include "sinew/batch/journal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "sinew/core/file.h"
#include "support/sanitized.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

struct JournalFolder {
  fs::path path = fs::temp_directory_path() / ("sinew-journal-" + std::to_string(::getpid()));
  JournalFolder() { fs::create_directories(path / "_batch"); }
  ~JournalFolder() { fs::remove_all(path); }
};

JobOutcome outcome_of(int exit, double at, const std::string& message) {
  JobOutcome outcome;
  outcome.exit = exit;
  outcome.seconds = 1.25;
  outcome.peak_mb = 17.5;
  outcome.attempts = 2;
  outcome.at = at;
  outcome.message = message;
  return outcome;
}

double cpu_seconds_so_far() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

TEST(Journal, KeepsWhatWasAppended) {
  const JournalFolder folder;
  {
    auto journal = Journal::open(folder.path, {});
    ASSERT_TRUE(journal.ok());
    journal->begin(1);
    journal->begin(2);
    journal->end(1, 7, outcome_of(3, 100, "a \"quoted\"\nline"));
    ASSERT_TRUE(journal->append().ok());
    journal->begin(3);  // never appended
  }
  auto again = Journal::open(folder.path, {});
  again->end(2, 8, outcome_of(0, 101, ""));
  ASSERT_TRUE(again->append().ok());
  ASSERT_TRUE(again->sync().ok());
  const auto records = read_journals(folder.path);
  ASSERT_TRUE(records.ok());
  ASSERT_EQ(records->size(), 2U);
  const JobRecord& first = records->at(1);
  EXPECT_TRUE(first.begun && first.ended);
  EXPECT_EQ(first.outcome.exit, 3);
  EXPECT_EQ(first.outcome.seconds, 1.25);
  EXPECT_EQ(first.outcome.peak_mb, 17.5);
  EXPECT_EQ(first.outcome.attempts, 2);
  EXPECT_EQ(first.outcome.message, "a \"quoted\"\nline");
  EXPECT_EQ(records->at(2).outcome.exit, 0);
}

// Cut anywhere, it holds the whole lines before the cut; and goes on behind it.
TEST(Journal, SurvivesACutAtEveryByte) {
  const JournalFolder folder;
  const fs::path file = folder.path / "_batch" / "journal.jsonl";
  {
    auto journal = Journal::open(folder.path, {});
    for (std::uint64_t key = 1; key <= 3; ++key) {
      journal->begin(key);
      journal->end(key, key, outcome_of(static_cast<int>(key), 100, "m"));
    }
    ASSERT_TRUE(journal->append().ok());
  }
  const auto whole = read_file(file);
  ASSERT_TRUE(whole.ok());
  for (std::size_t cut = 0; cut <= whole->size(); ++cut) {
    const std::string text = whole->substr(0, cut);
    ASSERT_TRUE(write_file(file, text, Overwrite::kYes).ok());
    {
      auto journal = Journal::open(folder.path, {});
      journal->end(9, 9, outcome_of(0, 200, ""));
      ASSERT_TRUE(journal->append().ok());
    }
    const auto records = read_journals(folder.path);
    ASSERT_TRUE(records.ok());
    ASSERT_TRUE(records->contains(9)) << cut;
    std::size_t ends = 0, lines = 0;
    for (const auto& [key, record] : *records) ends += record.ended ? 1 : 0;
    for (std::size_t from = text.find("\"job\""); from != std::string::npos;
         from = text.find("\"job\"", from + 1))
      lines += text.find('\n', from) != std::string::npos || text.ends_with("\"m\"}") ? 1 : 0;
    EXPECT_EQ(ends, lines + 1) << cut;
  }
}

TEST(Journal, TakesTheLatestOfSeveralEndsAndAllShards) {
  const JournalFolder folder;
  for (const auto& [shard, exit, at] : {std::tuple{Shard{1, 2}, 4, 300.0}, std::tuple{Shard{2, 2}, 0, 400.0},
                                        std::tuple{Shard{}, 5, 200.0}}) {
    auto journal = Journal::open(folder.path, shard);
    journal->end(1, 1, outcome_of(exit, at, ""));
    ASSERT_TRUE(journal->append().ok());
  }
  EXPECT_EQ(read_journals(folder.path)->at(1).outcome.exit, 0);
  JobRecords shards;  // whatever the order of the journals
  read_journal("{\"job\":\"1\",\"exit\":0,\"at\":9}\n{\"job\":\"1\",\"exit\":4,\"at\":5}\n", shards);
  EXPECT_EQ(shards.at(1).outcome.exit, 0);
  JobRecords records;  // at the same time: the later line
  read_journal("{\"job\":\"1\",\"exit\":3,\"at\":5}\n{\"job\":\"1\",\"exit\":0,\"at\":5}\n", records);
  EXPECT_EQ(records.at(1).outcome.exit, 0);
}

TEST(Journal, SkipsLinesThatAreNone) {
  JobRecords records;
  read_journal(
      "\n{}\n{\"job\":\"xyz\",\"exit\":0}\n{\"job\":\"1\"}\n[1,2]\n{\"begin\":\"zz\"}\nnull\n{\"job\":\"2\","
      "\"exit\":0,\"new\":[{\"a\":null}]}\n{\"job\":\"3\",\"exit\":1e300}\n{\"job\":\"4\",\"exit\":0}",
      records);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_TRUE(records.at(2).ended);
}

TEST(Journal, OfAHundredThousandJobsIsReadInUnderASecond) {
  const JournalFolder folder;
  {
    auto journal = Journal::open(folder.path, {});
    for (std::uint64_t key = 1; key <= 100'000; ++key) {
      journal->begin(key * 0x9e3779b97f4a7c15ULL);
      journal->end(key * 0x9e3779b97f4a7c15ULL, key,
                   outcome_of(0, 1.7e9, "meshes/body.obj: 3 islands without a bone follow their neighbours"));
    }
    ASSERT_TRUE(journal->append().ok());
  }
  const double before = cpu_seconds_so_far();
  const auto records = read_journals(folder.path);
  const double seconds = cpu_seconds_so_far() - before;
  ASSERT_TRUE(records.ok());
  EXPECT_EQ(records->size(), 100'000U);
  RecordProperty("seconds", std::to_string(seconds));
  std::printf("journal of 100,000 jobs: %.3f s of CPU\n", seconds);
  EXPECT_LT(seconds, 1.0 * test::kSlower);
}

TEST(Shard, IsAPartOfAWhole) {
  EXPECT_EQ(parse_shard("2/8")->index, 2U);
  EXPECT_EQ(parse_shard("2/8")->count, 8U);
  for (const char* text : {"", "1", "0/2", "3/2", "a/b", "1/", "/2", "1/2/3", "-1/2", "1/99999999"}) {
    const auto shard = parse_shard(text);
    ASSERT_FALSE(shard.ok()) << text;
    EXPECT_EQ(shard.error().code, ErrorCode::kUsage);
  }
  for (std::size_t job = 0; job < 20; ++job) {
    int holders = 0;
    for (std::size_t index = 1; index <= 3; ++index) holders += Shard{index, 3}.holds(job) ? 1 : 0;
    EXPECT_EQ(holders, 1);
  }
}

}  // namespace
}  // namespace sinew
