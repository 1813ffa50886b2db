// SPDX-License-Identifier: Apache-2.0
#include "sinew/batch/run_batch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include "support/sanitized.h"

// Jobs are scripts of the shell, which gets them as `sh -c SCRIPT -o OUT --force --threads 1`: $1 is the output.
namespace sinew {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class RunBatch : public testing::Test {
 protected:
  RunBatch() {
    fs::create_directories(root_);
    options_.folder = root_ / "out";
    options_.program = "/bin/sh";
    options_.jobs = 2;
    options_.pictures = false;
  }
  ~RunBatch() override { fs::remove_all(root_); }

  void add(const std::string& script, const std::string& out) {
    jobs_.push_back({jobs_.size() + 1, "-c", {script}, out});
  }
  BatchReport run() {
    auto report = run_batch(jobs_, options_);
    EXPECT_TRUE(report.ok()) << report.error().message;
    return report.ok() ? *std::move(report) : BatchReport{};
  }
  std::string log_file() const { return (root_ / "log").string(); }
  // The lines that scripts have appended to the log.
  std::map<std::string, int> logged() const {
    std::map<std::string, int> counts;
    std::ifstream file(log_file());
    for (std::string line; std::getline(file, line);) ++counts[line];
    return counts;
  }
  static std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static void wait_until(const std::function<bool()>& true_at_last) {
    while (!true_at_last()) std::this_thread::sleep_for(5ms);
  }

  fs::path root_ = fs::temp_directory_path() / ("sinew-run-batch-" + std::to_string(::getpid()));
  BatchOptions options_;
  std::vector<BatchJob> jobs_;
};

TEST_F(RunBatch, OneBadJobHoldsUpNobody) {
  add("echo one > \"$1\"; echo 'warning: odd' >&2; echo 'note: fine' >&2", "deep/er/one");
  add("echo first >&2; echo 'sinew: a.obj: line 3: no number' >&2; exit 3", "two");
  add("kill -SEGV $$", "three");
  add("true", "four");
  add("echo five > \"$1\"", "five");
  const BatchReport report = run();
  EXPECT_EQ(report.done, 2U);
  EXPECT_EQ(report.failed, 3U);
  EXPECT_EQ(report.skipped, 0U);
  EXPECT_EQ(report.waiting, 0U);
  ASSERT_EQ(report.jobs.size(), 5U);
  EXPECT_EQ(report.jobs[0].outcome.message, "odd");
  EXPECT_EQ(text_of(options_.folder / "deep/er/one"), "one\n");
  EXPECT_EQ(report.jobs[1].outcome.exit, 3);
  EXPECT_EQ(report.jobs[1].outcome.message, "a.obj: line 3: no number");
  EXPECT_EQ(report.jobs[1].outcome.attempts, 1);
  EXPECT_EQ(report.jobs[2].outcome.exit, 128 + SIGSEGV);
  EXPECT_NE(report.jobs[2].outcome.message.find("signal 11"), std::string::npos);
  EXPECT_EQ(report.jobs[2].outcome.attempts, 2);
  EXPECT_EQ(report.jobs[3].outcome.exit, 1);
  EXPECT_NE(report.jobs[3].outcome.message.find("wrote no output"), std::string::npos);
  EXPECT_GT(report.busy, 0);
  EXPECT_LE(report.busy, 1);
}

TEST_F(RunBatch, ASecondRunRepeatsNothingButWhatIsMissing) {
  const std::string script = "echo $1 | sed 's,.*/,,' >> " + log_file() + "; echo x > \"$1\"";
  add(script, "a");
  add(script, "b");
  add("echo bad >> " + log_file() + "; exit 4", "bad");
  run();
  BatchReport report = run();
  EXPECT_EQ(report.done, 0U);
  EXPECT_EQ(report.skipped, 2U);
  EXPECT_EQ(report.failed, 1U);
  EXPECT_EQ(logged(), (std::map<std::string, int>{{"a", 1}, {"b", 1}, {"bad", 1}}));
  fs::remove(options_.folder / "b");  // a result that is lost comes back
  report = run();
  EXPECT_EQ(report.done, 1U);
  EXPECT_EQ(report.skipped, 1U);
  options_.redo_failed = true;
  report = run();
  EXPECT_EQ(report.failed, 1U);
  EXPECT_EQ(logged(), (std::map<std::string, int>{{"a", 1}, {"b", 2}, {"bad", 2}}));
  // Another line before them changes nothing; another option is another job, and its file was not made by it.
  options_.redo_failed = false;
  jobs_.insert(jobs_.begin(), {1, "-c", {"echo y > \"$1\""}, "new"});
  EXPECT_EQ(run().done, 1U);
  jobs_[0].args[0] += " ";
  const auto changed = run_batch(jobs_, options_);
  ASSERT_FALSE(changed.ok());
  EXPECT_EQ(changed.error().code, ErrorCode::kIo);
}

TEST_F(RunBatch, OutputsThatExistAreRefusedBeforeAnythingStarts) {
  add("echo ran >> " + log_file() + "; echo x > \"$1\"", "a");
  add("echo ran >> " + log_file() + "; echo x > \"$1\"", "b");
  fs::create_directories(options_.folder);
  std::ofstream(options_.folder / "b") << "precious";
  const auto refused = run_batch(jobs_, options_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  EXPECT_NE(refused.error().message.find("line 2"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(logged().empty());
  EXPECT_EQ(text_of(options_.folder / "b"), "precious");
  options_.overwrite = Overwrite::kYes;
  EXPECT_EQ(run().done, 2U);
  EXPECT_EQ(text_of(options_.folder / "b"), "x\n");
}

TEST_F(RunBatch, AJobThatHangsIsStopped) {
  options_.timeout = 2.5;
  options_.retries = 0;
  add("sleep 3600", "obedient");
  add("trap '' TERM; while true; do sleep 3600; done", "stubborn");
  add("echo x > \"$1\"", "fine");
  const BatchReport report = run();
  EXPECT_EQ(report.done, 1U);
  for (const int k : {0, 1}) {
    EXPECT_EQ(report.jobs[static_cast<std::size_t>(k)].outcome.exit, 6);
    EXPECT_NE(report.jobs[static_cast<std::size_t>(k)].outcome.message.find("2.5 s"), std::string::npos);
  }
  EXPECT_LT(report.jobs[0].outcome.seconds, 600);
}

TEST_F(RunBatch, MemoryIsLimitedAndMeasured) {
  options_.memory_mb = 300;
  add("ulimit -d > \"$1\"", "limit");
  add("exec dd if=/dev/zero of=\"$1\" bs=250M count=1", "large");
  add("sleep 0.4; echo > \"$1\"", "small");
  // What this program holds itself is no part of it.
  const std::vector<char> ballast(std::size_t{150} << 20, 1);
  const BatchReport report = run();
  EXPECT_EQ(report.done, 3U);
  EXPECT_EQ(text_of(options_.folder / "limit"), "307200\n");
  if (!test::kSanitized) {
    EXPECT_LT(report.jobs[2].outcome.peak_mb, 50);
    EXPECT_GT(report.jobs[1].outcome.peak_mb, 249);
  }
  EXPECT_EQ(ballast[7], 1);
}

TEST_F(RunBatch, OnlyWhatMayPassIsTriedAgain) {
  options_.retries = 3;
  add("echo N1 >> " + log_file() + "; [ $(grep -c N1 " + log_file() + ") = 3 ] && echo x > \"$1\" || exit 5",
      "a");
  add("echo N2 >> " + log_file() + "; exit 5", "b");
  for (const int code : {2, 3, 4, 6})
    add(fmt::format("echo C{0} >> {1}; exit {0}", code, log_file()), fmt::format("c{}", code));
  const BatchReport report = run();
  EXPECT_EQ(report.done, 1U);
  EXPECT_EQ(report.jobs[0].outcome.attempts, 3);
  EXPECT_EQ(report.jobs[1].outcome.attempts, 4);
  EXPECT_EQ(logged(),
            (std::map<std::string, int>{{"N1", 3}, {"N2", 4}, {"C2", 1}, {"C3", 1}, {"C4", 1}, {"C6", 1}}));
}

TEST_F(RunBatch, WhatAVerbWithoutFilePrintsIsItsOutput) {
  options_.verbs = {{"-c", false}};
  add("echo printed; echo said >&2", "a.txt");
  add("echo half; exit 3", "b.txt");
  EXPECT_EQ(run().done, 1U);
  EXPECT_EQ(text_of(options_.folder / "a.txt"), "printed\n");
  EXPECT_FALSE(fs::exists(options_.folder / "b.txt"));
}

TEST_F(RunBatch, AFullDiskStopsTheBatchAndFailsNoJob) {
  options_.jobs = 1;
  add("echo x > \"$1\"", "a");
  add("[ -e " + log_file() + " ] && echo x > \"$1\" && exit 0; touch " + log_file() +
          "; echo \"sinew: cannot write 'b': No space left on device\" >&2; exit 5",
      "b");
  add("echo x > \"$1\"", "c");
  const auto stopped = run_batch(jobs_, options_);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kIo);
  EXPECT_NE(stopped.error().message.find("line 2"), std::string::npos);
  EXPECT_FALSE(fs::exists(options_.folder / "c"));
  const BatchReport report = run();
  EXPECT_EQ(report.skipped, 1U);
  EXPECT_EQ(report.done, 2U);
}

TEST_F(RunBatch, AProgramThatIsGoneFailsNoJob) {
  add("echo x > \"$1\"", "a");
  options_.program = (root_ / "gone").string();
  const auto stopped = run_batch(jobs_, options_);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kIo);
  options_.program = "/bin/sh";
  EXPECT_EQ(run().done, 1U);
}

TEST_F(RunBatch, TwoInOneFolderAreRefusedAndShardsAreNot) {
  const fs::path go = root_ / "go";  // what all jobs wait for
  for (const char* out : {"a", "b", "c", "d"})
    add(fmt::format("until [ -e {} ]; do sleep 0.05; done; echo x > \"$1\"", go.string()), out);
  const auto begun = [&](const char* journal) { return fs::exists(options_.folder / "_batch" / journal); };
  const auto let_go = [&] { std::ofstream(go) << "go"; };
  const auto attempt = [&](const Shard& shard) {
    BatchOptions options = options_;
    options.shard = shard;
    return run_batch(jobs_, options);
  };
  for (const Shard first : {Shard{1, 1}, Shard{1, 2}}) {
    fs::remove_all(options_.folder);
    fs::remove(go);
    std::thread running([&] { EXPECT_TRUE(attempt(first).ok()); });
    wait_until([&] { return begun(first.count == 1 ? "journal.jsonl" : "journal-1-of-2.jsonl"); });
    std::vector<Shard> others = {{1, 1}, {1, 2}, {1, 3}, {2, 3}};
    for (const Shard other : others) {
      const auto refused = attempt(other);
      EXPECT_FALSE(refused.ok());
      if (refused.ok()) continue;
      EXPECT_EQ(refused.error().code, ErrorCode::kIo);
      EXPECT_NE(refused.error().message.find("another batch"), std::string::npos);
    }
    std::thread beside;
    if (first.count == 2) {
      beside = std::thread([&] {
        const auto second = attempt({2, 2});
        EXPECT_TRUE(second.ok() && second->done == 2) << (second.ok() ? "" : second.error().message);
      });
      wait_until([&] { return begun("journal-2-of-2.jsonl"); });
    }
    let_go();
    running.join();
    if (beside.joinable()) beside.join();
  }
  const auto all = gather_batch(jobs_, options_.folder);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->done, 4U);
  EXPECT_EQ(attempt({2, 3})->skipped, 1U);  // shards of another number take over
  options_.lock_wait = 60;                  // and whoever may wait does
  fs::remove_all(options_.folder);
  fs::remove(go);
  std::thread running([&] { EXPECT_TRUE(attempt({1, 1}).ok()); });
  wait_until([&] { return begun("journal.jsonl"); });
  std::thread waiting([&] { EXPECT_TRUE(attempt({1, 1}).ok()); });
  std::this_thread::sleep_for(200ms);  // in which it would be refused
  let_go();
  running.join();
  waiting.join();
}

TEST_F(RunBatch, StopsWhenToldAndForgetsNothing) {
  add("echo x > \"$1\"", "a");
  add("sleep 3600", "b");
  add("sleep 3600", "c");
  std::atomic<bool> stop{false};
  Progress progress;
  progress.cancel = &stop;
  options_.progress = &progress;
  std::thread stopper([&] {
    wait_until([&] {
      const auto so_far = gather_batch(jobs_, options_.folder);
      return so_far.ok() && so_far->done == 1;
    });
    stop = true;
  });
  const auto stopped = run_batch(jobs_, options_);
  stopper.join();
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  const auto all = gather_batch(jobs_, options_.folder);
  EXPECT_EQ(all->done, 1U);
  EXPECT_EQ(all->failed, 0U);
  EXPECT_EQ(all->waiting, 2U);
}

// Killed at any moment, again and again: each run repeats at most what was running.
TEST_F(RunBatch, KilledAtAnyMomentLosesNothing) {
  constexpr int kJobs = 60;
  for (int k = 0; k < kJobs; ++k)
    add(fmt::format("echo {} >> {}; sleep 0.01; echo {} > \"$1\"", k, log_file(), k), fmt::format("r{}", k));
  std::mt19937 random(7);
  int kills = 0;
  for (bool ended = false; !ended;) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(run_batch(jobs_, options_).ok() ? 0 : 1);
    int status = 0;
    if (kills < 25) {
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 120));
      ::kill(child, SIGKILL);
    }
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
      ++kills;
    } else {
      ASSERT_EQ(WEXITSTATUS(status), 0);
      ended = true;
    }
  }
  int runs = 0;
  for (const auto& [job, count] : logged()) runs += count;
  EXPECT_EQ(logged().size(), static_cast<std::size_t>(kJobs));
  EXPECT_LE(runs, kJobs + kills * static_cast<int>(options_.jobs));
  std::printf("%d jobs, %d kills, %d runs of jobs\n", kJobs, kills, runs);
  const auto all = gather_batch(jobs_, options_.folder);
  EXPECT_EQ(all->done, static_cast<std::size_t>(kJobs));
  for (int k = 0; k < kJobs; ++k)
    EXPECT_EQ(text_of(options_.folder / fmt::format("r{}", k)), fmt::format("{}\n", k));
}

TEST_F(RunBatch, GatheringNeedsABatch) {
  EXPECT_EQ(gather_batch(jobs_, root_ / "nothing").error().code, ErrorCode::kIo);
}

TEST(BatchWords, SayHowLongItTakes) {
  EXPECT_EQ(batch_progress(0, 10, 0, 5, 0), "0 of 10 done");
  EXPECT_EQ(batch_progress(2, 10, 0, 5, 2), "2 of 10 done, 20 s left");
  EXPECT_EQ(batch_progress(6, 10, 1, 100, 1), "6 of 10 done, 1 failed, 7 min left");
  EXPECT_EQ(batch_progress(100, 1000, 0, 3600, 100), "100 of 1000 done, 9.0 h left");
  EXPECT_EQ(batch_progress(1, 101, 0, 3456, 1), "1 of 101 done, 4.0 days left");
  EXPECT_EQ(batch_progress(10, 10, 0, 5, 10), "10 of 10 done");
  EXPECT_EQ(last_sentence("warning: a\nsinew: b: c\n\n"), "b: c");
  EXPECT_EQ(last_sentence(""), "");
  EXPECT_EQ(picture_name("a/b.glb"), "_batch/pictures/a/b.glb.png");
  EXPECT_EQ(picture_name("a/b.PNG"), "a/b.PNG");
  EXPECT_EQ(picture_name("report"), "");
}

}  // namespace
}  // namespace sinew
